//! Arguments of `consistency`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, Nanos};

use super::{AddressRange, MeterArgs, SafetyArgs, units};

/// Arguments of `consistency`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
twentieth of the run (5 s to 30 s). Steady state is five rounds within 20 % of their mean, with a slope of \
at most 10 %, and every later window of five as well; with a cliff, only rounds that begin after it count.

Examples:
  drivelab consistency sim:sm2246en sim:consistent --reserve 0%,25% -o runs
  drivelab consistency /dev/sdb --serial=S3Z9NB0K123456 --discard-contents -o runs")]
pub struct ConsistencyArgs {
    /// Drives, files or simulated drives, tested one after the other
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Parts of the user capacity to keep back, a run each
    #[arg(
        long,
        value_name = "PERCENT,...",
        value_delimiter = ',',
        default_value = "0%",
        value_parser = units::percent,
        allow_hyphen_values = true
    )]
    pub reserve: Vec<f64>,
    /// How long the random writes last
    #[arg(long, default_value = "2000s", value_parser = units::duration)]
    pub duration: Nanos,
    /// Block size of the random writes
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = units::size)]
    pub block_size: ByteCount,
    /// Writes in flight
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub queue_depth: u32,
    /// The part of the drive to use, in sizes or percentages
    #[arg(long, value_name = "START-END", default_value = "0-100%", value_parser = AddressRange::parse)]
    pub address_range: AddressRange,
    /// Length of the rounds by which steady state is judged
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
    pub round: Nanos,
    /// Leave out the sequential fill
    #[arg(long)]
    pub no_fill: bool,
    /// Leave out the purge (the discard of the whole drive)
    #[arg(long)]
    pub no_purge: bool,
    /// How far the data can be compressed, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub compressibility: u8,
    /// The seed of every random draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Where the runs go: a folder that is empty or not there yet [default: consistency-DATE-TIME]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.consistency/1) instead of the summary
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
