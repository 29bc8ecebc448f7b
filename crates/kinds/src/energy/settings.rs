//! What was run while a meter was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was run while a meter was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergySettings {
    /// The command with its arguments; `{}` in them stands for `place`, where there is one.
    pub command: Vec<String>,
    /// What the command is about, such as the folder that a drive is mounted at: it does not make the task another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Bytes that the command moves, where the user gave them.
    pub moved_bytes: Option<u64>,
    /// The idle time before and after it, in nanoseconds; the one after a run is the one before the next.
    pub baseline_ns: u64,
    /// How often it is run; absent where it is run once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub runs: u16,
}

/// What stands for the place in a command.
pub const PLACE: &str = "{}";

impl EnergySettings {
    /// The command as it is run.
    pub fn command_at_place(&self) -> Vec<String> {
        let Some(place) = &self.place else { return self.command.clone() };
        self.command.iter().map(|argument| argument.replace(PLACE, place)).collect()
    }
}

fn once() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_once(runs: &u16) -> bool {
    *runs == 1
}
