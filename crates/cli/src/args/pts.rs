//! Arguments of `pts`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::Nanos;

use super::{AddressRange, MeterArgs, SafetyArgs, units};

/// A test of `pts`, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PtsTestArg {
    /// Random I/O: seven mixes of reads and writes by eight block sizes
    Iops,
    /// Sequential I/O of 1024 and of 128 KiB
    Throughput,
    /// One I/O at a time; then twenty rounds of 4 KiB writes
    Latency,
    /// 4 KiB random writes from a purged drive on, until steady or four times its capacity
    Saturation,
    /// Five seconds of random writes after idle times of 0 to 50 s
    IdleRecovery,
    /// Sequential, random and sequential writes
    CrossStimulus,
    /// Response time against rate, over threads and depths
    Demand,
}

/// Arguments of `pts`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Rounds in the style of SNIA's Performance Test Specification; conformance is not claimed. Each test purges the range \
(a discard), writes it twice in sequence, and repeats all of its cells until the tracked one is steady: five \
consecutive rounds within 20 % of their mean, their fitted line changing by at most 10 % of it; at most 25 rounds. \
Figures are means of these five rounds, higher percentiles and longest times the worst of them. What the range holds is \
destroyed. On a real drive all tests take more than a day: choose some with --tests.

Examples:
  drivelab pts /dev/sdb --tests throughput,latency --serial=S3Z9NB0K123456 --discard-contents
  drivelab pts sim:consistent -o pts")]
pub struct PtsArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// The tests, in this order
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [
        PtsTestArg::Iops, PtsTestArg::Throughput, PtsTestArg::Latency, PtsTestArg::Saturation,
        PtsTestArg::IdleRecovery, PtsTestArg::CrossStimulus, PtsTestArg::Demand,
    ])]
    pub tests: Vec<PtsTestArg>,
    /// How long each cell of a round lasts
    #[arg(long, value_parser = units::duration, default_value = "60s")]
    pub round: Nanos,
    /// Requests in flight where the test itself names no other number
    #[arg(long, default_value_t = 32)]
    pub queue_depth: u32,
    /// The part of the drive that is used, as START-END: sizes or percentages
    #[arg(long, value_name = "RANGE", default_value = "0%-100%", value_parser = AddressRange::parse)]
    pub address_range: AddressRange,
    /// The seed of every random draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep pts.json, pts.csv and report.html in this folder, written anew after each test, and machine.csv: what the machine did
    /// (not beside a simulated drive)
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.pts/1) instead of the tables
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
