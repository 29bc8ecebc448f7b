//! What a drive reports of its own health.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a drive is, by what it reports itself; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Nothing speaks against it now.
    Well,
    /// Something does, and it may go on for long.
    Doubtful,
    /// Many of its sectors were replaced, or cannot be read.
    Damaged,
    /// It reports that it fails, or is about to.
    Failing,
}

/// What a drive reports of its own health.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveHealth {
    /// Whether it passes its own check; null where it does not say.
    pub passed: Option<bool>,
    /// How it is.
    pub state: HealthState,
    /// What speaks against it, the worst first.
    pub findings: Vec<DriveHealthFinding>,
}

/// One thing that speaks against a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveHealthFinding {
    /// What it is.
    pub kind: DriveHealthKind,
    /// How the drive is by it alone.
    pub state: HealthState,
    /// How many sectors, errors, or per cent; null where nothing is counted.
    pub count: Option<u64>,
    /// A sentence without its final stop.
    pub words: String,
}

/// What can speak against a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriveHealthKind {
    /// Its own check fails.
    OwnCheckFails,
    /// An attribute has reached the threshold of failure.
    AttributeFails,
    /// An attribute is past the threshold of wear.
    AttributeWorn,
    /// An NVMe drive warns.
    CriticalWarning,
    /// Its rated endurance is used up.
    EnduranceUsed,
    /// Sectors were replaced by spare ones.
    ReallocatedSectors,
    /// Sectors cannot be read, and wait to be replaced.
    PendingSectors,
    /// Sectors could not be read when the drive looked.
    UncorrectableSectors,
    /// The drive has counted errors of its media.
    MediaErrors,
    /// An attribute was at or below its threshold at some time.
    AttributeWasLow,
    /// Its log of errors has entries.
    ErrorsLogged,
    /// Its log of self-tests has failures.
    SelfTestsFailed,
}

impl DriveHealth {
    /// Whether the drive fails, or is damaged.
    pub fn is_bad(&self) -> bool {
        self.state >= HealthState::Damaged
    }

    /// What makes the drive what it is, in words; empty where it is well.
    pub(super) fn reasons(&self) -> Vec<&str> {
        let worst = self.findings.iter().filter(|one| one.state == self.state);
        worst.filter(|_| self.state > HealthState::Well).map(|one| one.words.as_str()).collect()
    }

    /// What else the drive reports, in words.
    pub(super) fn lesser(&self) -> Vec<&str> {
        let lesser =
            self.findings.iter().filter(|one| one.state < self.state || one.state == HealthState::Well);
        lesser.map(|one| one.words.as_str()).collect()
    }
}
