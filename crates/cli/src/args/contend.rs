//! Arguments of `stream contend`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, Nanos};

use super::{JsonArg, ReadWrite, SafetyArgs, SeedArg, units};

/// Arguments of `stream contend`.
#[derive(Debug, Args)]
#[command(mut_arg("json", |arg| arg.conflicts_with("dry_run")))]
#[command(after_help = "\
The recorder writes to TARGET, and `drivelab load` works on a file in --competitor-directory, which has to lie on the \
same drive. What helps is what every run of it says: fewer frames dropped, or as few and a longest write \
that is 1.5 times shorter, against every run without it. With fewer than five runs chance could say so, and \
nothing is recommended. Schedulers, control groups and priorities are put back; what a \
kill left is put back by the next start.

Example:
  drivelab stream contend /dev/sdb1 --competitor-directory /mnt/sdb2 --rate 160MB/s --serial=S3Z9NB0K123456")]
pub struct StreamContendArgs {
    /// A partition, a drive or a file for the recorder
    pub target: PathBuf,
    /// A folder on the same drive, for the competitor's file
    #[arg(long, value_name = "DIR")]
    pub competitor_directory: PathBuf,
    /// The stream's rate, in frames of 1 MB
    #[arg(long, value_name = "RATE", default_value = "100MB/s", value_parser = units::byte_rate)]
    pub rate: f64,
    /// Memory of the stream's ring
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = units::size)]
    pub ring: ByteCount,
    /// What the competitor does
    #[arg(long, value_enum, default_value_t = ReadWrite::Randwrite)]
    pub competitor: ReadWrite,
    /// Size of the competitor's file
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = units::size)]
    pub competitor_size: ByteCount,
    /// How long each run lasts
    #[arg(long, default_value = "10s", value_parser = units::duration)]
    pub duration: Nanos,
    /// Runs of each mechanism
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// The seed of every random draw.
    #[command(flatten)]
    pub seed: SeedArg,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
