//! What a run finds beside its completions. It is kept with the run's outcome, and shown as it is.

use serde::{Deserialize, Serialize};

use super::HealthFindings;

/// All that was found beside the times of writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StallsFindings {
    /// What was read back; none where nothing was.
    pub verification: Option<VerificationDocument>,
    /// The drive's own health, beside the delays.
    #[serde(default)]
    pub health: HealthFindings,
    /// The recording of the device's own times, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_recording: Option<DeviceRecordingDocument>,
    /// What the kernel said about the drive meanwhile.
    #[serde(default)]
    pub kernel_log: Vec<KernelLine>,
}

/// Where the device's own times are, and how they fit to the run's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecordingDocument {
    /// The folder of the trace, in that of the run.
    pub folder: String,
    /// The zero of its times on the run's clock, in nanoseconds.
    pub zero_ns: i64,
    /// The first sector of what was written on the device that was recorded: a partition's start.
    pub first_sector: u64,
    /// `D2C` or `Q2C`.
    pub measured: String,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
}

/// Blocks that were read back, and what was wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationDocument {
    /// Blocks that were read back and judged.
    pub blocks: u64,
    /// With a few bits changed.
    pub flipped: u64,
    /// With a part that is not of the write.
    pub torn: u64,
    /// With a part that was written for another place.
    pub misplaced: u64,
    /// Of an older write.
    pub stale: u64,
    /// Of no write at all.
    pub missing: u64,
    /// Reads that failed.
    pub unreadable: u64,
    /// Blocks that were written and not read back.
    #[serde(default)]
    pub left: u64,
    /// Blocks of which is not known what they should hold, since the last write to them failed.
    pub not_judged: u64,
    /// The first thousand faults.
    pub faults: Vec<FaultDocument>,
}

impl VerificationDocument {
    /// Blocks that are not as they were written.
    pub fn faulty(&self) -> u64 {
        self.flipped + self.torn + self.misplaced + self.stale + self.missing + self.unreadable
    }
}

/// One block that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultDocument {
    /// `flipped`, `torn`, `misplaced`, `stale` or `missing`.
    pub kind: String,
    /// The first logical block of the block.
    pub lba: u64,
    /// The first logical block that is not as it should be.
    pub wrong_lba: u64,
    /// The number of the write that should be there, from 0.
    pub expected_write: u64,
    /// What is there instead: `write N`, `another place's`, `another run's`, `changed bits`, `nothing`.
    pub found: String,
}

/// A line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLine {
    /// Seconds from the start of the stream.
    pub at_s: f64,
    /// What it says.
    pub text: String,
    /// What its codes mean, where it has any that are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meaning: Vec<String>,
}
