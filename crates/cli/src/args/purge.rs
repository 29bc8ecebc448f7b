//! Arguments of `purge`.

use clap::Args;
use drivelab_kinds::PurgeOption;

use super::{JsonArg, SafetyArgs};

/// Arguments of `purge`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
auto takes the first of these that the drive has and that reaches nothing but the target, and says why: NVMe \
Sanitize (block erase, or else crypto erase), NVMe Format (user data erase), ATA SECURITY ERASE UNIT (enhanced, or \
else normal), discard. What a power cut has cut off is finished by the next purge: a sanitize in progress is waited \
for, and the password of a secure erase (\"drivelab\") is taken away. Afterwards sampled places are read back: exit \
code 1 where data is still there after anything but a discard.

Examples:
  drivelab purge /dev/nvme0n1 --dry-run --serial=S3Z9NB0K123456 --destroy-data
  drivelab purge /dev/nvme0n1 --serial=S3Z9NB0K123456 --destroy-data --purge format")]
pub struct PurgeArgs {
    /// The drive, partition or file
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// How the drive is purged: auto, sanitize, format, secure-erase or discard
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub purge: PurgeOption,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}
