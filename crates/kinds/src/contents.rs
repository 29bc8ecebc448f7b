//! What has to be known of the bytes that reads return.

use drivelab_workload::verify::{ReadbackLog, RunId, SharedVerification};

/// What has to be known of the bytes that the reads of a test return.
#[derive(Clone, Debug, Default)]
pub enum ReadContents {
    /// Nothing.
    #[default]
    Unwatched,
    /// Whether blocks hold zeros, what they held before, or something else, at several looks.
    Looks(ReadbackLog),
    /// Whether blocks are as they were written. Each of their sectors names its run, its write and its own address.
    SelfDescribing {
        /// What tells the blocks of this run from those of every other.
        run: RunId,
        /// What every block should hold, and what was found.
        verification: SharedVerification,
    },
}
