//! Arguments of `load`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::load::Operation;

use super::units::Rate;
use super::{
    AfterCrashArg, BlockSizeArg, CompressibilityArg, Cpus, MeterArgs, QueueDepthArg, RangeArg, ResultArgs,
    SafetyArgs, UntilWarmArg, VerifyOption, units,
};

/// What says how a load is run, and so does not go with reading back what one wrote.
const NOT_AFTER_CRASH: [&str; 15] = [
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

/// Arguments of `load`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("verify", |arg| arg.default_value("no")))]
#[command(mut_arg("verify_after_crash", |arg| arg.conflicts_with_all(NOT_AFTER_CRASH)))]
#[command(after_help = "\
Examples:
  drivelab load /dev/nvme0n1 --rw randread --queue-depth 32 --duration 10s
  drivelab load /dev/sdb --rw randwrite --verify end --duration 60s --serial=S3Z9NB0K123456 --destroy-data -o sdb
  drivelab load /dev/sdb --verify-after-crash sdb   # after a kill or a power cut: is all there that was acknowledged?
  drivelab load --fio-job randread.fio --fio-json > randread.json
  drivelab load sim:consistent --rw randwrite --rate 5000/s --arrivals poisson --duration 60s --json")]
pub struct LoadArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Take target and options from this job file of fio (one job; rw, bs, iodepth, numjobs, rate, size, runtime, filename and
    /// their like); options that are given here as well come first
    #[arg(long, value_name = "FILE")]
    pub fio_job: Option<PathBuf>,
    /// Print JSON as fio does with --output-format=json, for programs that read that, instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub fio_json: bool,
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
    #[arg(long, value_enum, default_value_t = ArrivalArg::Regular, requires = "rate")]
    pub arrivals: ArrivalArg,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// Processors for the threads and for the kernel's helpers of their rings; the recorder runs elsewhere
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true, value_parser = Cpus::parse)]
    pub cpus: Cpus,
    /// How far the data can be compressed.
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    /// When what was written is read back.
    #[command(flatten)]
    pub verify: VerifyOption,
    /// With --verify: flush after this many writes of each thread, so that a power cut may only take what came later
    #[arg(long, value_name = "N", value_parser = units::whole_above_zero)]
    pub flush_every: Option<u32>,
    /// The run whose writes are read back after a crash.
    #[command(flatten)]
    pub after_crash: AfterCrashArg,
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

impl LoadArgs {
    /// I/Os a second of an open loop; none in a closed one.
    pub fn ios(&self) -> Option<f64> {
        self.rate.map(|rate| rate.ios(self.block_size.size()))
    }
}

/// What a load does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReadWrite {
    /// Random reads
    Randread,
    /// Random writes
    Randwrite,
    /// Random reads and writes
    Randrw,
    /// Sequential reads
    Read,
    /// Sequential writes
    Write,
    /// Sequential discards
    Discard,
    /// Flushes
    Flush,
}

/// The share of reads where none is named.
const DEFAULT_READ_PERCENT: u8 = 50;

impl ReadWrite {
    /// The operation; a share of reads goes with a mix alone.
    ///
    /// # Errors
    /// Where a share is named with another one; the text says what to type.
    pub fn operation(self, read_percent: Option<u8>) -> Result<Operation, String> {
        if read_percent.is_some() && self != ReadWrite::Randrw {
            return Err("--read-percent goes with --rw randrw".to_owned());
        }
        Ok(match self {
            ReadWrite::Randread => Operation::Randread,
            ReadWrite::Randwrite => Operation::Randwrite,
            ReadWrite::Randrw => Operation::random(read_percent.unwrap_or(DEFAULT_READ_PERCENT)),
            ReadWrite::Read => Operation::Read,
            ReadWrite::Write => Operation::Write,
            ReadWrite::Discard => Operation::Discard,
            ReadWrite::Flush => Operation::Flush,
        })
    }

    /// Whether what is there stays as it is.
    pub fn only_reads(self) -> bool {
        matches!(self, ReadWrite::Randread | ReadWrite::Read)
    }
}

/// How requests of an open loop are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalArg {
    /// Equal gaps
    Regular,
    /// Independent exponential gaps
    Poisson,
}
