//! A simulated drive's own account, as the manifest keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a simulated drive did by its own account, from the begin of what was measured on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulationAccount {
    /// Media writes / host writes in the measured phase; none where no flash was written.
    pub write_amplification: Option<f64>,
    /// Blocks collected in the measured phase.
    pub collections: u64,
    /// Every delay of the measured phase.
    pub injected_delays: Vec<DelayAccount>,
    /// Every injected fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub injected_faults: Vec<FaultAccount>,
    /// The bytes that it keeps, where it announces more; absent where it keeps all of its capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps_bytes: Option<u64>,
}

/// A fault that was injected into a simulated drive's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultAccount {
    /// One word for what it was.
    pub kind: String,
    /// The write command, counted from 1.
    pub host_write: u64,
    /// The first sector that does not hold what was written.
    pub sector: u64,
    /// The first sector that it was stored in instead.
    pub landed: Option<u64>,
}

/// A delay that was injected into a simulated drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayAccount {
    /// When, on the clock of the records.
    pub at_ns: u64,
    /// How long.
    pub duration_ns: u64,
    /// Bytes written since the one before.
    pub bytes_since_previous: Option<u64>,
}
