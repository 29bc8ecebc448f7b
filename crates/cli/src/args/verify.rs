//! Options of commands that verify what they write.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_kinds::read_back::ReadBack;

/// When what was written is read back.
#[derive(Clone, Debug, Args)]
pub struct VerifyOption {
    /// When to read back what was written
    ///
    /// This notices nothing at places that were not written, no data that is lost later, such as in a power cut, and no fault of
    /// flash while the drive answers from its own cache: write more than the cache holds.
    #[arg(long, value_enum, default_value_t = VerifyArg::End)]
    verify: VerifyArg,
}

impl VerifyOption {
    /// When what was written is read back.
    pub fn read_back(&self) -> ReadBack {
        match self.verify {
            VerifyArg::Continuous => ReadBack::Continuous,
            VerifyArg::End => ReadBack::End,
            VerifyArg::No => ReadBack::No,
        }
    }
}

/// The run whose writes are read back after a crash.
#[derive(Clone, Debug, Args)]
pub struct AfterCrashArg {
    /// Read back what a run acknowledged that was killed or lost its power; its folder
    #[arg(long, value_name = "DIR")]
    pub verify_after_crash: Option<PathBuf>,
}

/// When what was written is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum VerifyArg {
    /// Half a pass over the range behind the writing, the rest at the end
    Continuous,
    /// When all is written: the writing is not disturbed
    End,
    /// Not at all
    No,
}
