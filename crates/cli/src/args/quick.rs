//! Arguments of `quick`.

use clap::Args;

use super::{MeterArgs, ResultArgs, SafetyArgs};

/// Arguments of `quick`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A minute at most: sequential reads at a hundred places over the drive, four requests in flight, then a \
hundred random reads of one block. What a place's first four requests take is the way there and is not in \
its rate. Nothing is written unless --write asks for the rate of writing, which destroys what the drive \
holds. Many drives answer reads of blocks that were never written, or were trimmed, without touching \
their flash. A simulated drive is new: what is read from it is written first.

Examples:
  drivelab quick /dev/sdb --report sdb.html
  drivelab quick /dev/sdb -o sdb
  drivelab quick /dev/sdb --write --serial=S3Z9NB0K123456 --destroy-data --json")]
pub struct QuickArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Measure the rate of writing, too
    #[arg(long)]
    pub write: bool,
    /// The seed, where the result goes, and how it is printed.
    #[command(flatten)]
    pub result: ResultArgs,
    /// Write the page to this file, whether or not the result is kept
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub report: Option<std::path::PathBuf>,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}
