//! Arguments of the tests that read a drive or put a load of the user's own on it.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::PurgeOption;
use drivelab_kinds::load::{Operation, Spacing};
use drivelab_kinds::offered_load::LoadOption;
use drivelab_kinds::quick::A_HUNDRED;
use drivelab_kinds::replay::{AddressMapping, ReplayTiming};
use drivelab_method::replay::Speed;
use drivelab_runner::{Failure, usage};

use super::units::{NamedValue, Rate};
use super::{
    AfterCrashArg, BlockSizeArg, CompressibilityArg, PhaseArgs, Precondition, QueueDepthArg, RangeArg,
    SlowArgs, TestArgs, UntilWarmArg, VerifyOption, units,
};

/// What says how a load is run, and so does not go with reading back what one wrote.
const LOAD_NOT_AFTER_CRASH: [&str; 15] = [
    "fio_json",
    "rw",
    "read_percent",
    "block_size",
    "queue_depth",
    "threads",
    "duration",
    "bytes",
    "rate",
    "range",
    "compressibility",
    "verify",
    "flush_every",
    "until_warm",
    "output",
];

#[derive(Clone, Debug, Args)]
#[command(mut_arg("verify", |arg| arg.default_value("no")))]
#[command(mut_arg("verify_after_crash", |arg| arg.conflicts_with_all(LOAD_NOT_AFTER_CRASH)))]
#[command(after_help = "\
Examples:
  drivelab load /dev/nvme0n1 --rw randread --queue-depth 32 --duration 10s
  drivelab load /dev/sdb --rw randwrite --verify end --duration 60s --serial=S3Z9NB0K123456 --destroy-data -o sdb
  drivelab load /dev/sdb --verify-after-crash sdb   # after a kill or a power cut: is all there that was acknowledged?
  drivelab load --fio-job randread.fio --fio-json > randread.json
  drivelab load sim:consistent --rw randwrite --rate 5000/s --arrivals poisson --duration 60s --json")]
pub struct LoadArgs {
    /// Take target and options from this job file of fio (one job; rw, bs, iodepth, numjobs, rate, size, runtime, filename and
    /// their like); options that are given here as well come first
    #[arg(long, value_name = "FILE")]
    pub fio_job: Option<PathBuf>,
    /// Print JSON as fio does with --output-format=json, for programs that read that, instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub fio_json: bool,
    #[command(flatten)]
    pub operation: OperationArgs,
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// Threads, each with a queue of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::whole::<u16>(1..=1024))]
    pub threads: u16,
    /// Stop after this time [default: 10s, or until --bytes]
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Stop after this many bytes, in whole blocks
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Open loop: this rate on an absolute schedule, all threads together, such as 5000/s or 160MB/s
    #[arg(long, value_name = "RATE", value_parser = Rate::parse, allow_negative_numbers = true)]
    pub rate: Option<Rate>,
    /// How the requests of an open loop are spaced
    #[arg(long, default_value = "regular", requires = "rate", value_parser = units::choice([
        ("regular", "Equal gaps", Spacing::Regular),
        ("poisson", "Independent exponential gaps", Spacing::Poisson),
    ]))]
    pub arrivals: Spacing,
    #[command(flatten)]
    pub range: RangeArg,
    /// Processors for the threads and for the kernel's helpers of their rings; the recorder runs elsewhere
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true, value_parser = units::cpus)]
    pub cpus: units::Cpus,
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    #[command(flatten)]
    pub verify: VerifyOption,
    /// With --verify: flush after this many writes of each thread, so that a power cut may only take what came later
    #[arg(long, value_name = "N", value_parser = units::whole_above_zero)]
    pub flush_every: Option<u32>,
    #[command(flatten)]
    pub after_crash: AfterCrashArg,
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    #[command(flatten)]
    pub test: TestArgs,
}

/// What a load does, with its share of reads.
#[derive(Clone, Copy, Debug, Args)]
pub struct OperationArgs {
    /// What to do
    #[arg(long, default_value = "randread", value_parser = units::choice(OPERATIONS))]
    pub rw: Operation,
    /// Share of reads, for randrw [default: 50%]
    #[arg(long, value_name = "PERCENT", value_parser = units::whole_percent)]
    pub read_percent: Option<u8>,
}

impl OperationArgs {
    /// The operation; a share of reads goes with a mix alone. With another one it is refused.
    pub fn operation(self) -> Result<Operation, Failure> {
        match (self.rw, self.read_percent) {
            (operation, None) => Ok(operation),
            (Operation::Randrw { .. }, Some(read_percent)) => Ok(Operation::random(read_percent)),
            (_, Some(_)) => Err(usage!("--read-percent goes with --rw randrw")),
        }
    }
}

/// What a load does, as it is typed; a mix has half of each where no share of reads is named.
pub const OPERATIONS: [NamedValue<Operation>; 7] = [
    ("randread", "Random reads", Operation::Randread),
    ("randwrite", "Random writes", Operation::Randwrite),
    ("randrw", "Random reads and writes", Operation::Randrw { read_percent: 50 }),
    ("read", "Sequential reads", Operation::Read),
    ("write", "Sequential writes", Operation::Write),
    ("discard", "Sequential discards", Operation::Discard),
    ("flush", "Flushes", Operation::Flush),
];

/// The highest load, in per cent of the peak.
const PERCENT_MAX: f64 = 200.0;

/// A load as it is typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypedLoad {
    /// In per cent of the peak.
    Percent(f64),
    /// A rate.
    Rate(Rate),
}

impl TypedLoad {
    /// Reads `50%`, `5000/s` or `160MB/s`.
    fn parse(text: &str) -> Result<TypedLoad, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(
                "nothing follows a comma: write the list without spaces, such as 10%,50%,5000/s".to_owned()
            );
        }
        if let Some(number) = text.parse::<f64>().ok().filter(|number| *number > 0.0) {
            let share = if number <= PERCENT_MAX {
                format!(", or {text}% for that share of the peak")
            } else {
                String::new()
            };
            return Err(format!("a load has a unit: write {text}/s for I/Os a second{share}"));
        }
        if text.contains('%') || ["percent", "per cent", "pct"].iter().any(|word| text.ends_with(word)) {
            return match units::percent(text)? {
                percent if (1.0..=PERCENT_MAX).contains(&percent) => Ok(TypedLoad::Percent(percent)),
                _ => Err("a load is from 1% to 200% of the peak, or a rate such as 5000/s".to_owned()),
            };
        }
        let is_number = text.contains(|sign: char| sign.is_ascii_digit());
        let example = || "a load is a share of the peak or a rate, such as 50%, 5000/s or 160MB/s".to_owned();
        Rate::parse(text).map(TypedLoad::Rate).map_err(|error| if is_number { error } else { example() })
    }

    /// The load, in I/Os of this size.
    pub fn asked(self, block_size: ByteCount) -> LoadOption {
        match self {
            TypedLoad::Percent(percent) => LoadOption::Percent(percent),
            TypedLoad::Rate(rate) => LoadOption::Iops(rate.ios(block_size)),
        }
    }
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("cell_duration", |arg| arg.default_value("30s").help("How long each cell lasts: the peak, and each load")))]
#[command(mut_arg("precondition", |arg| arg.help("What is written before the loads: fill (the range, in sequence) or none")))]
#[command(after_help = "\
The peak is what the drive takes in a closed loop with --queue-depth in flight. Then I/Os arrive at random (a Poisson process) \
at shares of it, or at the rates that --loads names, whatever the drive does, and the response time counts from when an I/O \
was due. Up to 1,024 are in flight; where all of these are taken the drive is overloaded, and what waits counts. Where the \
machine itself sends late, that is said, and the load says nothing of the drive.

Examples:
  drivelab offered-load sim:consistent --limit 1ms
  drivelab offered-load sim:consistent --loads 5000/s,20000/s,50%
  drivelab offered-load /dev/nvme0n1 --loads 10%,50%,90% --cell-duration 60s -o nvme")]
pub struct OfferedLoadArgs {
    #[command(flatten)]
    pub operation: OperationArgs,
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// The loads: shares of the peak, or rates, such as 50%, 5000/s or 160MB/s
    #[arg(
        long,
        value_name = "LOAD,...",
        value_delimiter = ',',
        default_value = "10%,20%,30%,40%,50%,60%,70%,80%,90%,95%",
        value_parser = TypedLoad::parse
    )]
    pub loads: Vec<TypedLoad>,
    /// The p99 of the response time that is still good enough: find the load at which it is passed
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub limit: Option<Nanos>,
    #[command(flatten)]
    pub cells: CellArgs,
    #[command(flatten)]
    pub test: TestArgs,
}

/// Arguments of `quick`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("\
A minute at most: sequential reads at {A_HUNDRED} places over the drive, four requests in flight, then {A_HUNDRED} \
random reads of one block. What a place's first four requests take is the way there and is not in \
its rate. Nothing is written unless --write asks for the rate of writing, which destroys what the drive \
holds. Many drives answer reads of blocks that were never written, or were trimmed, without touching \
their flash. A simulated drive is new: what is read from it is written first.

Examples:
  drivelab quick /dev/sdb --report sdb.html
  drivelab quick /dev/sdb -o sdb
  drivelab quick /dev/sdb --write --serial=S3Z9NB0K123456 --destroy-data --json"))]
pub struct QuickArgs {
    /// Measure the rate of writing, too
    #[arg(long)]
    pub write: bool,
    #[command(flatten)]
    pub test: TestArgs,
    /// Write the page to this file, whether or not the result is kept
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run", help_heading = None)]
    pub report: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Timing:
  recorded   each request at its own time on an absolute schedule, whatever the target does
  dependent  as long after an answer as in the trace: after that of the request whose completion was
             the latest there before this one was issued; order is kept
  unpaced    with a fixed number in flight; a request waits for one in flight on the same sectors
             where one of the two writes or discards, and so do those behind it

Examples:
  drivelab replay desktop sim:consistent --max-idle 1s
  drivelab replay shipped:compile sim:sm2246en --timing dependent --map compact
  drivelab replay desktop /dev/sdb --map compact --no-writes -o runs/sdb
  drivelab replay desktop /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --precondition fill -o runs/sdb")]
pub struct ReplayArgs {
    /// The folder of a trace, as `trace import` makes it, or of a run; or shipped:boot, shipped:compile, shipped:upgrade
    pub trace: PathBuf,
    /// When requests are made
    #[arg(long, default_value = "recorded", value_parser = units::choice([
        ("recorded", "At the trace's own times", ReplayTiming::Recorded),
        ("dependent", "As long after an answer as in the trace", ReplayTiming::Dependent),
        ("unpaced", "With a fixed number in flight", ReplayTiming::Unpaced),
    ]))]
    pub timing: ReplayTiming,
    /// How much faster than the trace [default: 1]
    #[arg(long, value_name = "X", value_parser = speed, allow_hyphen_values = true)]
    pub speed: Option<Speed>,
    /// Cut spans in which nothing was in flight to this, in the trace's own time
    #[arg(long, value_name = "DURATION", value_parser = units::duration, allow_hyphen_values = true)]
    pub max_idle: Option<Nanos>,
    /// Where requests go
    #[arg(long, default_value = "identity", value_parser = units::choice([
        ("identity", "To their own addresses, where these fit", AddressMapping::Identity),
        ("compact", "What the trace touches moved together, devices one after the other", AddressMapping::Compact),
    ]))]
    pub map: AddressMapping,
    /// Only the requests of this device of the trace, by its name there
    #[arg(long, value_name = "NAME")]
    pub trace_device: Option<String>,
    /// Stop after this much of the trace, in its own time
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// I/Os in flight at most [default: 32 unpaced, else 1024, or fewer where buffers would take over 256 MiB, and no fewer than
    /// the trace had]
    #[arg(long, value_name = "N")]
    pub queue_depth: Option<u32>,
    /// Leave the trace's writes and discards out: nothing on the target is changed
    #[arg(long)]
    pub no_writes: bool,
    /// Leave the trace's discards out, as for a target that takes none
    #[arg(long)]
    pub no_discards: bool,
    /// How the drive is purged before: none, discard, auto, sanitize, format or secure-erase (the whole target)
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub purge: PurgeOption,
    /// What is written before the replay: none, fill (what it will touch), or fill-all (the whole target)
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Precondition::of_replay)]
    pub precondition: Precondition,
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    #[command(flatten)]
    pub test: TestArgs,
    #[command(flatten)]
    pub phases: PhaseArgs,
    #[command(flatten)]
    pub slow: SlowArgs,
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor = text.parse().ok().and_then(Speed::new);
    factor.ok_or_else(|| "a speed is a number from 0.001 to a million, such as 2 or 0.5".to_owned())
}

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
    #[command(flatten)]
    pub range: RangeArg,
    #[command(flatten)]
    pub test: TestArgs,
}

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
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    #[command(flatten)]
    pub cells: CellArgs,
    #[command(flatten)]
    pub test: TestArgs,
}

/// The cells of a test that reads or loads a drive which may have been filled before.
#[derive(Clone, Debug, Args)]
pub struct CellArgs {
    /// How long each cell lasts
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    #[command(flatten)]
    pub range: RangeArg,
    /// What is written before the reads: fill (the range, in sequence) or none
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Precondition::of_reads)]
    pub precondition: Precondition,
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_a_share_of_the_peak_or_a_rate() {
        let asked = |text: &str| TypedLoad::parse(text).map(|load| load.asked(ByteCount::new(4096)));
        assert_eq!(asked("50%"), Ok(LoadOption::Percent(50.0)));
        assert_eq!(asked("5000/s"), Ok(LoadOption::Iops(5000.0)));
        assert_eq!(asked("4MiB/s"), Ok(LoadOption::Iops(1024.0)));
    }

    #[test]
    fn an_error_names_the_load_that_was_meant() {
        for (text, meant) in [
            ("5000", "write 5000/s for I/Os a second"),
            ("50", "write 50/s for I/Os a second, or 50%"),
            ("5000iops", "write 5000/s"),
            ("42k", "42000/s"),
            ("0%", "1% to 200%"),
            ("50 percent", "write 50%"),
            ("", "without spaces"),
            ("half", "such as 50%, 5000/s"),
        ] {
            let read = TypedLoad::parse(text);
            assert!(read.as_ref().is_err_and(|error| error.contains(meant)), "{text}: {read:?}");
        }
    }
}
