//! What a test of waking up is asked.

use drivelab_record::Condition;
use drivelab_view::format::things;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::power_states::in_words;
use crate::RangeOption;

/// Bytes of a read; a block where that is longer.
pub(super) const READ: u64 = 4096;

/// What a test of waking up is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeSettings {
    /// The rests before a read.
    pub rests_ns: Vec<u64>,
    /// Reads after each of them.
    pub runs: u16,
    /// The part of the drive that is read.
    pub range: RangeOption,
}

impl WakeSettings {
    /// The settings as the conditions of a run have them.
    pub(super) fn conditions(&self) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let rests: Vec<String> = self.rests_ns.iter().map(|rest| in_words(*rest)).collect();
        vec![
            line("Random reads", format!("{READ} bytes, one at a time, each after a rest")),
            line(
                "Rests",
                format!("{}, {} each, in random order", rests.join(", "), things(self.runs.into(), "read")),
            ),
            line("Range", self.range.to_string()),
        ]
    }
}
