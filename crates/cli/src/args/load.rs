//! Arguments of `load`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::{ByteCount, Nanos};

use super::{AddressRange, Cpus, MeterArgs, SafetyArgs, units};

/// Arguments of `load`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab load /dev/nvme0n1 --rw randread --queue-depth 32 --duration 10s
  drivelab load sim:consistent --rw randwrite --rate 5000 --arrivals poisson --duration 60s --json")]
pub struct LoadArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// What to do
    #[arg(long, value_enum, default_value_t = ReadWrite::Randread)]
    pub rw: ReadWrite,
    /// Share of reads, for randrw [default: 50]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub read_percent: Option<u8>,
    /// Block size
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = units::size)]
    pub block_size: ByteCount,
    /// Requests in flight, for each worker
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub queue_depth: u32,
    /// Workers, each with a thread and a queue of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: u16,
    /// How long [default: 10s, or until --bytes]
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// How much, in whole blocks
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Open loop: this many requests a second on an absolute schedule, all workers together
    #[arg(long, value_name = "IOPS", allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// How the requests of an open loop are spaced
    #[arg(long, value_enum, default_value_t = ArrivalArg::Regular, requires = "rate")]
    pub arrivals: ArrivalArg,
    /// The part of the target to use, in sizes or percentages
    #[arg(long, value_name = "START-END", default_value = "0-100%", value_parser = AddressRange::parse)]
    pub address_range: AddressRange,
    /// Processors for the workers and for the kernel's helpers of their rings; the recorder runs elsewhere
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true, value_parser = Cpus::parse)]
    pub cpus: Cpus,
    /// How far the data can be compressed, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub compressibility: u8,
    /// The seed of every random draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep the records of every I/O in this folder, which must be empty or not there yet
    #[arg(long, value_name = "DIR")]
    pub records: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.load/1) instead of the summary
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
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

/// How requests of an open loop are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalArg {
    /// Equal gaps
    Regular,
    /// Independent exponential gaps
    Poisson,
}
