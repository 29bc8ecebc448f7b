//! Arguments of `fill`.

use clap::Args;
use drivelab_block::{ByteCount, Nanos};

use super::{
    BlockSizeArg, CompressibilityArg, MeterArgs, PurgeArg, QueueDepthArg, RangeArg, ResultArgs, SafetyArgs,
    UntilWarmArg, units,
};

/// Arguments of `fill`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("block_size", |arg| arg.default_value("1MiB")))]
#[command(mut_arg("queue_depth", |arg| arg.default_value("8")))]
#[command(after_help = "\
The drive is purged and written once, in sequence. The rate over what was written is divided into plateaus; a knee is \
a place at which the rate changes by a factor of 1.2 or more, at once and for 1 % of what is written. A rate that \
drifts or undulates has none.

With --rests, recovery is measured after the fill, at each level of --filled: the range is discarded and filled so far, \
and what is written last fills the cache; the drive rests, and is written on until a quarter more than the first \
plateau. What was written fast is fast again. Before the cache is filled, what lies behind the level is discarded, and the \
drive rests as long as the longest of --rests (10 s at least, 5 minutes at most), so that it can empty its cache: each \
rest then finds the same state. Where the cache was not empty all the same, the result says so.

Examples:
  drivelab fill sim:qlc-slc -o qlc
  drivelab fill sim:tlc-nvme --rests 0s,30s,5min,30min --filled 0%,50%,80% -o recovery
  drivelab fill /dev/nvme0n1 --serial=S3Z9NB0K123456 --destroy-data -o nvme")]
pub struct FillArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// Stop after this many bytes [default: the whole range]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Rest so long and write on, to see how much is fast again, such as 0s,30s,5min,30min
    #[arg(long, value_name = "DURATION,...", value_delimiter = ',', value_parser = units::duration_or_zero)]
    pub rests: Vec<Nanos>,
    /// How far the range is filled before a rest [default: 0%]
    #[arg(long, value_name = "PERCENT,...", value_delimiter = ',', value_parser = units::percent, requires = "rests")]
    pub filled: Vec<f64>,
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
