//! Power states as a drive reports them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A power state that a drive reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedPowerState {
    /// Its number.
    pub number: u8,
    /// Whether the drive serves I/O in it.
    pub is_operational: bool,
    /// What it draws at most, in watts; null where it is not reported.
    pub watts: Option<f64>,
    /// The idle time after which the drive enters it, from the state that enters it first; null where it does not by itself.
    pub entered_after_ns: Option<u64>,
    /// The longest time to leave it; null where it is not reported.
    pub exit_ns: Option<u64>,
}

/// Why no power states of a target are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoPowerStates {
    /// The profile of the simulated drive has none.
    NotInProfile,
    /// The target is a file.
    File,
    /// The drive is no NVMe drive: of others, the idle times of power states cannot be asked.
    NotNvme,
    /// The target is a partition of an NVMe drive.
    Partition,
    /// The NVMe drive could not be asked, or did not answer.
    NoAnswer,
}
