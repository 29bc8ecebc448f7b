//! How a drive is purged before a test.

use clap::Args;
use drivelab_kinds::PurgeOption;

/// The purge before a test that writes the drive full.
#[derive(Clone, Copy, Debug, Args)]
pub struct PurgeArg {
    /// How the drive is purged before: discard (the range), auto, sanitize, format, secure-erase (the whole drive), or none (not
    /// of trim)
    #[arg(id = "purge", long = "purge", value_name = "HOW", default_value = "discard")]
    asked: PurgeOption,
}

impl PurgeArg {
    /// How the drive is purged.
    pub fn asked(self) -> PurgeOption {
        self.asked
    }
}
