//! What is watched of a drive while it works: its own health, its temperature, and what the kernel logs about it.

mod health;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use health::{
    HealthAfterDelay, HealthFindings, HealthNotAsked, HealthOutcome, HealthReading, HealthSource,
    MovedCounters,
};

/// What was seen of a drive while it worked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedDrive {
    /// The drive's health, in seconds from the start of the first phase.
    pub health: HealthFindings,
    /// What the kernel logged about the drive.
    pub kernel_log: Vec<KernelLine>,
    /// What speaks against the drive at the end, and did not at the start: sentences without a full stop.
    pub worsened: Vec<String>,
}

/// A line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelLine {
    /// Seconds from the start of the first phase.
    pub at_s: f64,
    /// Its text.
    pub text: String,
    /// What its codes mean, where it has any that are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meaning: Vec<String>,
}
