//! What a quick test is asked.

use serde::{Deserialize, Serialize};

/// What a quick test is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuickSettings {
    /// Whether the rate of writing is measured, too, which destroys what the drive holds.
    pub write: bool,
}
