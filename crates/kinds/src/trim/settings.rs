//! What a validation of TRIM is asked.

use serde::{Deserialize, Serialize};

use crate::{FlashOverProvisioning, PurgeOption, RangeOption};

/// What a validation of TRIM is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrimSettings {
    /// What is written to wear the drive, twice a round.
    #[serde(default)]
    pub precondition: TrimPrecondition,
    /// The over-provisioning that one-pass preconditioning begins from; absent with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_over_provisioning: Option<FlashOverProvisioning>,
    /// How long random writes precondition the drive, twice a round, in nanoseconds; 0 with one pass.
    pub preconditioning_ns: u64,
    /// Random writes end before that once they have written the range so many times; null where they last their time.
    #[serde(default)]
    pub preconditioning_passes_max: Option<u32>,
    /// Rounds: 1 to 18.
    pub rounds: u16,
    /// How the drive is purged before the first round, besides the discard that tries whether it takes TRIM.
    #[serde(default = "PurgeOption::discard")]
    pub purge: PurgeOption,
    /// The part of the drive that is used.
    pub range: RangeOption,
}

/// What is written to wear a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrimPrecondition {
    /// Random writes for a time.
    #[default]
    Random,
    /// The flash of the drive, once, in the order of one-pass preconditioning, over what the fill wrote.
    OnePass,
}
