//! Arguments of `trim`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::Nanos;
use drivelab_method::trim::ROUNDS_MAX;

use super::{AddressRange, MeterArgs, SafetyArgs, units};

/// Arguments of `trim`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("file_size", |arg| arg.hide(true)))]
#[command(after_help = "\
Each round fills the range and takes a curve of writing rates (fresh), writes at random for --torture and takes \
it again (used: the control), writes at random as long once more, trims the whole range and takes it a third time \
(trimmed). A curve is taken on 64 spans, at most 2 % of the range together, so that measuring does not restore \
the drive. 256 blocks are read before the TRIM and twice after it.

Verdicts: effective (trimmed is faster than used, beyond doubt), ineffective (use has cost speed and TRIM does not \
bring half of it back; exit code 1), unsupported, undecided (use has cost nothing, or the rounds differ too much). \
Intervals are over rounds. A round takes twice --torture and a fill. A used drive rests as long as the \
discards before it took (in the first round those that ask whether it takes TRIM), as a trimmed one does. What the range \
holds is destroyed.

Examples:
  drivelab trim /dev/sdb --serial=S3Z9NB0K123456 --discard-contents --torture 10min
  drivelab trim 'sim:sm2246en?trim=ignored' --json")]
pub struct TrimArgs {
    /// A drive or a simulated drive
    pub target: String,
    /// How long random writes wear the drive, twice a round
    #[arg(long, value_parser = units::duration, default_value = "30min")]
    pub torture: Nanos,
    /// Rounds; a verdict needs two at least
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=i64::from(ROUNDS_MAX)))]
    pub rounds: u16,
    /// The part of the drive that is used, as START-END: sizes or percentages
    #[arg(long, value_name = "RANGE", default_value = "0%-100%", value_parser = AddressRange::parse)]
    pub address_range: AddressRange,
    /// The seed of every random draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep every I/O, what the machine did, trim.json, trim.csv and report.html in this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.trim/1) instead of the summary
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
