//! How a command ended whose energy was measured. What it took is in the outcome of its run, as for every other run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a command ended whose energy was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyFindings {
    /// Its exit code; none where a signal ended it.
    pub exit_code: Option<i32>,
}

impl EnergyFindings {
    /// That the command failed, in a sentence; none where it did not.
    pub fn failure(&self) -> Option<String> {
        match self.exit_code {
            Some(0) => None,
            Some(code) => Some(format!("The command ended with exit code {code}.")),
            None => Some("The command was ended by a signal.".to_owned()),
        }
    }
}
