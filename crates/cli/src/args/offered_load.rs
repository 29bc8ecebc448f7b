//! Arguments of `offered-load`.

use clap::Args;
use drivelab_block::Nanos;

use super::{
    BlockSizeArg, MeterArgs, Precondition, QueueDepthArg, RangeArg, ReadWrite, ResultArgs, SafetyArgs,
    UntilWarmArg, units,
};

/// Arguments of `offered-load`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The peak is what the drive takes in a closed loop with --queue-depth in flight. Then I/Os arrive at random (a Poisson process) \
at shares of it, whatever the drive does, and the response time counts from when an I/O was due. Up to 1,024 are in flight; \
where all of these are taken the drive is overloaded, and what waits counts. Where the machine itself sends late, that is \
said, and the load says nothing of the drive.

Examples:
  drivelab offered-load sim:consistent --limit 1ms
  drivelab offered-load /dev/nvme0n1 --loads 10%,50%,90% --cell-duration 60s -o nvme")]
pub struct OfferedLoadArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// What to do
    #[arg(long, value_enum, default_value_t = ReadWrite::Randread)]
    pub rw: ReadWrite,
    /// Share of reads, for randrw [default: 50%]
    #[arg(long, value_name = "PERCENT", value_parser = units::whole_percent)]
    pub read_percent: Option<u8>,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// The loads, in per cent of the peak
    #[arg(
        long,
        value_name = "PERCENT,...",
        value_delimiter = ',',
        default_value = "10%,20%,30%,40%,50%,60%,70%,80%,90%,95%",
        value_parser = units::percent
    )]
    pub loads: Vec<f64>,
    /// The p99 of the response time that is still good enough: find the load at which it is passed
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub limit: Option<Nanos>,
    /// How long each cell lasts: the peak, and each load
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// What is written before the loads: fill (the range, in sequence) or none
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
