//! What was run while a meter was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was run while a meter was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergySettings {
    /// The command with its arguments.
    pub command: Vec<String>,
    /// Bytes that the command moves, where the user gave them.
    pub moved_bytes: Option<u64>,
    /// The idle time before and after it, in nanoseconds.
    pub baseline_ns: u64,
}
