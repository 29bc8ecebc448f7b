//! Arguments of `stalls`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::{ByteCount, Nanos};
use drivelab_report::DELAY_DEFINITION;

use super::{AddressRange, MeterArgs, SafetyArgs, units};

/// Arguments of `stalls`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("{DELAY_DEFINITION}

Examples:
  drivelab stalls sim:mx200-250 --bytes 2.1TB -o mx200
  drivelab stalls /dev/sdb --serial=S3Z9NB0K123456 --discard-contents --verify continuous -o sdb
  drivelab stalls /dev/sdb --resume sdb   # after a power cut: is all there that was acknowledged?
  drivelab report mx200 x300s -o both.html"))]
pub struct StallsArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Bytes of a write
    #[arg(long, value_name = "SIZE", default_value = "3MiB", value_parser = units::size)]
    pub block: ByteCount,
    /// The part of the target to write, in sizes or percentages
    #[arg(long, value_name = "START-END", default_value = "0-100%", value_parser = AddressRange::parse)]
    pub range: AddressRange,
    /// How much to write, round and round the range [default: four times the range, or until --duration]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// How long to write
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Write at this rate, in MB/s, on an absolute schedule [default: as fast as the drive goes]
    #[arg(long, value_name = "MB/S", value_parser = units::megabytes_a_second)]
    pub rate: Option<f64>,
    /// Writes in flight
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub queue_depth: u32,
    /// When to read back what was written
    #[arg(long, value_enum, default_value_t = VerifyArg::End)]
    pub verify: VerifyArg,
    /// Tell the buffer for a stream of this rate, in MB/s, too. Repeatable
    #[arg(long, value_name = "MB/S", value_parser = units::megabytes_a_second)]
    pub stream_rate: Vec<f64>,
    /// Tell what of each write's time was the device's, by the kernel's block events (root; the trace is kept in -o)
    #[arg(long, requires = "output")]
    pub device_times: bool,
    /// Read back what a run acknowledged that was killed or lost its power; its folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "bytes", "duration", "rate", "verify", "device_times"])]
    pub resume: Option<PathBuf>,
    /// The seed of every random draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep the run in this folder, which must be empty or not there yet
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.stalls/1) instead of the summary
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyArg {
    /// Half a round behind the writing, the rest at the end
    Continuous,
    /// When all is written: the writing is not disturbed
    End,
    /// Not at all
    No,
}
