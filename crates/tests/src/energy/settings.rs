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
    /// The idle time before and after it, in nanoseconds; the one after a run is the one before the next.
    pub baseline_ns: u64,
    /// How often it is run; absent where it is run once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub runs: u16,
}

fn once() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_once(runs: &u16) -> bool {
    *runs == 1
}
