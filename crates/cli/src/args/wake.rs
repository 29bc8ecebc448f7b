//! Arguments of `wake`.

use clap::Args;
use drivelab_block::Nanos;

use super::{MeterArgs, RangeArg, ResultArgs, SafetyArgs, units};

/// Arguments of `wake`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A drive that rests goes to sleep, in steps, and the next I/O has to wake it up. Single reads of 4 KiB at random places are \
made after rests of each length, in random order. Six reads each are the fewest by which a step can be shown. Nothing is \
written, but to a simulated drive, which begins empty.

The processors are kept awake meanwhile, which takes root: otherwise they sleep while the drive rests, and a read has their time \
to wake up, too, of up to a tenth of a millisecond.

Examples:
  drivelab wake sim:consistent
  drivelab wake /dev/nvme0n1 --rests 1ms,100ms,1s,10s --runs 20 -o nvme")]
pub struct WakeArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Rest so long before a read
    #[arg(
        long,
        value_name = "DURATION,...",
        value_delimiter = ',',
        default_value = "1ms,3ms,10ms,30ms,100ms,300ms,1s,3s,10s,30s,60s",
        value_parser = units::duration
    )]
    pub rests: Vec<Nanos>,
    /// Repetitions: reads after each rest
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = units::whole::<u16>(1..=1000))]
    pub runs: u16,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
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
