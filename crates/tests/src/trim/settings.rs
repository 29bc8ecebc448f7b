//! What a validation of TRIM is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AskedPurge, AskedRange};

/// What a validation of TRIM is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimSettings {
    /// How long random writes precondition the drive, twice a round, in nanoseconds.
    pub preconditioning_ns: u64,
    /// Random writes end before that once they have written the range so many times; null where they last their time.
    #[serde(default)]
    pub preconditioning_passes_max: Option<u32>,
    /// Rounds: 1 to 18.
    pub rounds: u16,
    /// How the drive is purged before the first round, besides the discard that tries whether it takes TRIM.
    #[serde(default = "AskedPurge::discard")]
    pub purge: AskedPurge,
    /// The part of the drive that is used.
    pub range: AskedRange,
}
