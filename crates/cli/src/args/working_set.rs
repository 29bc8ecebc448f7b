//! Arguments of `working-set`.

use clap::Args;
use drivelab_block::Nanos;

use super::{
    BlockSizeArg, MeterArgs, Precondition, QueueDepthArg, RangeArg, ResultArgs, SafetyArgs, UntilWarmArg,
    units,
};

/// Arguments of `working-set`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Random reads go to the first GiB of the range (of a range below 64 GiB, to the first 64th of it), then to four times as \
much, and so on up to all of it; each part is read for half of --cell-duration before it is measured. The rate falls where it \
stays below nine tenths of the highest one of smaller parts. A part is judged by at least 400 reads in at least 100 ms.

A drive that is not full answers reads of what was never written from its map alone: fill it before, or with --precondition \
fill, which destroys what it holds.

Examples:
  drivelab working-set sim:sm2246en
  drivelab working-set /dev/nvme0n1 --queue-depth 1 -o nvme
  drivelab working-set /dev/nvme0n1 --precondition fill --serial=S3Z9NB0K123456 --destroy-data -o nvme")]
pub struct WorkingSetArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// How long each cell lasts
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// What is written before the reads: fill (the range, in sequence) or none
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Precondition::of_reads)]
    pub precondition: Precondition,
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
