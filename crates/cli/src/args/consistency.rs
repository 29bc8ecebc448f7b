//! Arguments of `consistency`.

use clap::Args;
use drivelab_block::Nanos;

use super::{
    BlockSizeArg, CompressibilityArg, MeterArgs, Precondition, PurgeArg, QueueDepthArg, RangeArg, ResultArgs,
    SafetyArgs, UntilWarmArg, units,
};

/// Arguments of `consistency`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
twentieth of the run (5 s to 30 s). Steady state is five windows within 20 % of their mean, with a slope of \
at most 10 %, and every later window of five as well; with a cliff, only windows that begin after it count.

Without -o the result is kept in a new folder consistency-DATE-TIME.

Examples:
  drivelab consistency sim:sm2246en sim:consistent --over-provisioning 0%,25% -o runs
  drivelab consistency /dev/sdb --serial=S3Z9NB0K123456 --destroy-data -o runs")]
pub struct ConsistencyArgs {
    /// Drives, files or simulated drives, tested one after the other
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Extra over-provisioning, by leaving a share of the addresses unwritten: a run for each
    #[arg(
        long,
        value_name = "PERCENT,...",
        value_delimiter = ',',
        default_value = "0%",
        value_parser = units::over_provisioning,
        allow_hyphen_values = true
    )]
    pub over_provisioning: Vec<f64>,
    /// Stop after this time of random writes
    #[arg(long, default_value = "2000s", value_parser = units::duration)]
    pub duration: Nanos,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// The length of the windows by which steady state is judged
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
    pub window: Nanos,
    /// What is written before the random writes: fill (the range, in sequence), none, or one-pass, which brings a flash drive to
    /// its steady state by one write of its flash; one-pass:PERCENT gives the over-provisioning of the drive
    #[arg(long, value_name = "HOW", default_value = "fill", value_parser = Precondition::of_consistency)]
    pub precondition: Precondition,
    /// How the drive is purged before.
    #[command(flatten)]
    pub purge: PurgeArg,
    /// How far the data can be compressed.
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    /// How long the drive is read before, until it is warm.
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    /// The seed, where the result goes, and how it is printed.
    #[command(flatten)]
    pub result: ResultArgs,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
