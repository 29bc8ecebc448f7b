//! What a validation of TRIM is asked.

use crate::AskedRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a validation of TRIM is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimSettings {
    /// How long random writes precondition the drive, twice a round, in nanoseconds.
    pub preconditioning_ns: u64,
    /// Rounds: 1 to 18.
    pub rounds: u16,
    /// The part of the drive that is used.
    pub range: AskedRange,
}
