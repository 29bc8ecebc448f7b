//! Arguments of the tests that write a drive, most of them all of it.

use clap::Args;
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::pts::PtsTest;
use drivelab_kinds::stalls::DELAY_DEFINITION;
use drivelab_kinds::trim::ROUNDS_MAX;

use super::units::{NamedValue, Rate};
use super::{
    AfterCrashArg, BlockSizeArg, CompressibilityArg, Precondition, PurgeArg, QueueDepthArg, RangeArg,
    TestArgs, TestOptions, UntilWarmArg, VerifyOption, units,
};

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
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    #[command(flatten)]
    pub range: RangeArg,
    /// The length of the windows by which steady state is judged
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
    pub window: Nanos,
    /// What is written before the random writes: fill (the range, in sequence), none, or one-pass, which brings a flash drive to
    /// its steady state by one write of its flash; one-pass:PERCENT gives the over-provisioning of the drive
    #[arg(long, value_name = "HOW", default_value = "fill", value_parser = Precondition::of_consistency)]
    pub precondition: Precondition,
    #[command(flatten)]
    pub purge: PurgeArg,
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    #[command(flatten)]
    pub options: TestOptions,
}

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
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
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
    #[command(flatten)]
    pub purge: PurgeArg,
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    #[command(flatten)]
    pub test: TestArgs,
}

/// The tests of `pts` as they are typed; one of them is two of the specification.
const PTS_TESTS: [NamedValue<&[PtsTest]>; 7] = [
    ("iops", "Random I/O: seven mixes of reads and writes by eight block sizes", &[PtsTest::Iops]),
    (
        "throughput",
        "Sequential I/O of 1024 and of 128 KiB",
        &[PtsTest::ThroughputLarge, PtsTest::ThroughputSmall],
    ),
    ("latency", "One I/O at a time; then twenty rounds of 4 KiB writes", &[PtsTest::Latency]),
    (
        "saturation",
        "4 KiB random writes from a purged drive on, until steady or four times its capacity",
        &[PtsTest::Saturation],
    ),
    (
        "idle-recovery",
        "Five seconds of random writes after idle times of 0 to 50 s",
        &[PtsTest::IdleRecovery],
    ),
    ("cross-stimulus", "Sequential, random and sequential writes", &[PtsTest::CrossStimulus]),
    ("demand", "Response time against rate, over threads and depths", &[PtsTest::Demand]),
];

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
    /// The tests, in this order
    #[arg(long, value_delimiter = ',', default_values = PTS_TESTS.map(|(name, ..)| name),
        value_parser = units::choice(PTS_TESTS))]
    pub tests: Vec<&'static [PtsTest]>,
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
    #[command(flatten)]
    pub range: RangeArg,
    #[command(flatten)]
    pub test: TestArgs,
}

/// What says how a stream is written, and so does not go with reading back what one wrote.
const NOT_AFTER_CRASH: [&str; 7] =
    ["output", "bytes", "duration", "rate", "verify", "device_times", "until_warm"];

#[derive(Clone, Debug, Args)]
#[command(mut_arg("block_size", |arg| arg.default_value("3MiB")))]
#[command(mut_arg("queue_depth", |arg| arg.default_value("1")))]
#[command(mut_arg("verify_after_crash", |arg| arg.conflicts_with_all(NOT_AFTER_CRASH)))]
#[command(after_help = format!("{DELAY_DEFINITION}

Examples:
  drivelab stalls sim:mx200-250 --bytes 2.1TB -o mx200
  drivelab stalls /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --verify continuous -o sdb
  drivelab stalls /dev/sdb --verify-after-crash sdb   # after a power cut: is all there that was acknowledged?
  drivelab report mx200 x300s --report both.html"))]
pub struct StallsArgs {
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub range: RangeArg,
    /// Stop after this many bytes, over the range again and again [default: four times the range, or until --duration]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Stop after this time
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Open loop: write at this rate on an absolute schedule, such as 160MB/s [default: as fast as the drive goes]
    #[arg(long, value_name = "RATE", value_parser = Rate::parse)]
    pub rate: Option<Rate>,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    #[command(flatten)]
    pub verify: VerifyOption,
    /// Report the buffer for a stream of this rate as well, such as 160MB/s. Repeatable
    #[arg(long, value_name = "RATE", value_parser = units::byte_rate)]
    pub stream_rate: Vec<f64>,
    /// Report what of each write's time was the device's, by the kernel's block events (root; the trace is kept in -o)
    #[arg(long, requires = "output")]
    pub device_times: bool,
    #[command(flatten)]
    pub after_crash: AfterCrashArg,
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    #[command(flatten)]
    pub test: TestArgs,
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("target", |arg| arg.help("A drive or a simulated drive")))]
#[command(mut_arg("file_size", |arg| arg.hide(true)))]
#[command(after_help = "\
Each round fills the range and takes a curve of writing rates (fresh), writes at random for the time of --precondition and takes \
it again (used: the control), writes at random as long once more, trims the whole range and takes it a third time \
(trimmed). A curve is taken on 64 spans, at most 2 % of the range together, so that measuring does not restore \
the drive. 256 blocks are read before the TRIM and twice after it.

Verdicts: effective (a trimmed drive is shown to be faster than a used one), ineffective (use has cost speed and TRIM does not \
bring half of it back; exit code 1), unsupported, undecided (use has cost nothing, or the rounds differ too much). If the rates \
decide nothing, the blocks that were read do: ignored (all return what they held; exit code 1), dropped (none does). \
Intervals are over rounds. A round takes twice the time of --precondition and a fill. Without that option random writes end \
after 30 minutes, or once they have written the range four times, which uses up all the flash that a drive keeps back. \
A used drive rests as long as the discards before it took (in the first round those that ask whether it takes TRIM), as \
a trimmed one does. What the range holds is destroyed.

Examples:
  drivelab trim /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --precondition random:10min
  drivelab trim 'sim:sm2246en?trim=ignored' --json")]
pub struct TrimArgs {
    /// What is written before a curve is taken of the used drive, twice a round: random:TIME, or one-pass, which writes the
    /// flash once; one-pass:PERCENT gives the over-provisioning of the drive [default: random:30min, or less where a drive is
    /// small]
    #[arg(long, value_name = "HOW", value_parser = Precondition::of_trim)]
    pub precondition: Option<Precondition>,
    /// Repetitions; a verdict needs two at least
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = units::whole(1..=ROUNDS_MAX))]
    pub runs: u16,
    #[command(flatten)]
    pub purge: PurgeArg,
    #[command(flatten)]
    pub range: RangeArg,
    #[command(flatten)]
    pub test: TestArgs,
}
