//! What a test of waking up is asked.

use serde::{Deserialize, Serialize};

use crate::RangeOption;

/// What a test of waking up is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakeSettings {
    /// The rests before a read.
    pub rests_ns: Vec<u64>,
    /// Reads after each of them.
    pub runs: u16,
    /// The part of the drive that is read.
    pub range: RangeOption,
}
