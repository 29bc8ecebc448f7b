//! Arguments of `stream contend`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, Nanos};

use super::units::Rate;
use super::{JsonArg, ReadWrite, SafetyArgs, SeedArg, units};

/// Arguments of `stream contend`.
#[derive(Clone, Debug, Args)]
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
    /// Open loop: the stream's rate, in frames of 1 MB
    #[arg(long, value_name = "RATE", default_value = "100MB/s", value_parser = Rate::parse)]
    pub rate: Rate,
    /// Memory of the stream's ring
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = units::size)]
    pub ring: ByteCount,
    /// What the competitor does
    #[arg(long, value_enum, default_value_t = ReadWrite::Randwrite)]
    pub competitor: ReadWrite,
    /// Size of the competitor's file
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = units::size)]
    pub competitor_size: ByteCount,
    /// How long each cell lasts: a run of a mechanism
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// Repetitions of each mechanism
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = units::whole::<u16>(1..=100))]
    pub runs: u16,
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

impl StreamContendArgs {
    /// The stream's rate in bytes a second; its frames have 1 MB.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate.bytes(ByteCount::new(1_000_000))
    }
}
