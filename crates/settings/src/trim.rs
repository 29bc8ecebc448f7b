//! The settings of a validation of TRIM.

use drivelab_block::Nanos;
use serde::{Deserialize, Serialize};

use crate::{AskedRange, SettingValue};

/// What a validation of TRIM was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrimSettings {
    /// How long random writes wear the drive, twice a round.
    pub preconditioning_ns: u64,
    /// Rounds.
    pub rounds: u16,
    /// The part of the drive.
    pub range: AskedRange,
}

impl TrimSettings {
    pub(crate) fn values(&self) -> Vec<SettingValue> {
        let TrimSettings { preconditioning_ns, rounds, range } = self;
        vec![
            SettingValue::Preconditioning(Nanos::new(*preconditioning_ns)),
            SettingValue::Rounds(*rounds),
            SettingValue::Range(*range),
        ]
    }
}
