//! What a drive makes of discards, and what it claims of them.

use drivelab_block::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of discards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscardOutcome {
    /// All of them were taken, in so much time.
    Taken(Nanos),
    /// The drive does not have the command, or the kernel passes it on to no drive of this kind; the text says which.
    Unsupported(String),
    /// Some failed for another reason.
    Failed {
        /// How many.
        count: u64,
        /// Their errors in the system's words.
        why: String,
    },
}

/// What the kernel and the drive claim of discards; null where nothing is claimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardClaims {
    /// The most bytes that the kernel passes on in one discard; 0 where it passes none on.
    pub request_max_bytes: Option<u64>,
    /// Whether a trimmed block returns the same at every read (ATA: DRAT).
    pub deterministic: Option<bool>,
    /// Whether it returns zeros (ATA: RZAT).
    pub zeros: Option<bool>,
}
