//! Arguments of `pts`.

use clap::{Args, ValueEnum};
use drivelab_block::Nanos;
use drivelab_kinds::pts::PtsTest;

use super::{MeterArgs, Precondition, PurgeArg, QueueDepthArg, RangeArg, ResultArgs, SafetyArgs, units};

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

impl PtsTestArg {
    /// The tests that it names.
    pub fn tests(self) -> &'static [PtsTest] {
        match self {
            PtsTestArg::Iops => &[PtsTest::Iops],
            PtsTestArg::Throughput => &[PtsTest::ThroughputLarge, PtsTest::ThroughputSmall],
            PtsTestArg::Latency => &[PtsTest::Latency],
            PtsTestArg::Saturation => &[PtsTest::Saturation],
            PtsTestArg::IdleRecovery => &[PtsTest::IdleRecovery],
            PtsTestArg::CrossStimulus => &[PtsTest::CrossStimulus],
            PtsTestArg::Demand => &[PtsTest::Demand],
        }
    }
}

/// Arguments of `pts`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Rounds in the style of SNIA's Performance Test Specification; conformance is not claimed. Each test purges the drive \
(--purge), writes it twice in sequence, and repeats all of its cells until the tracked one is steady: five \
consecutive rounds within 20 % of their mean, their fitted line changing by at most 10 % of it; at most 25 rounds. \
Figures are means of these five rounds, higher percentiles and maxima the worst of them. What the range holds is \
destroyed. On a real drive all tests take more than a day: choose some with --tests.

Examples:
  drivelab pts /dev/sdb --tests throughput,latency --serial=S3Z9NB0K123456 --destroy-data
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
    /// How long each cell lasts, in each round
    #[arg(long, value_name = "DURATION", value_parser = units::duration, default_value = "60s")]
    pub cell_duration: Nanos,
    /// I/Os in flight where the test itself names no other number.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// What is written before the cells of a test: one-pass, which brings a flash drive to its steady state by one write of its
    /// flash, and does not conform to the specification; one-pass:PERCENT gives the over-provisioning of the drive [default:
    /// the range twice in sequence]
    #[arg(long, value_name = "HOW", value_parser = Precondition::of_pts)]
    pub precondition: Option<Precondition>,
    /// How the drive is purged before each test.
    #[command(flatten)]
    pub purge: PurgeArg,
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
