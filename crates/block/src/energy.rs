//! What a simulated drive knows of its own energy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A simulated drive's own account, in joules by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EnergyAccountDocument")]
pub struct EnergyAccount {
    /// All of it.
    pub joules: f64,
    /// What it takes to be switched on.
    pub idle: f64,
    /// Reading flash, or moving a disk's data under its heads.
    pub read: f64,
    /// Programming flash.
    pub program: f64,
    /// Erasing blocks.
    pub erase: f64,
    /// Moving a disk's arm.
    pub seek: f64,
    /// Carrying data between host and drive.
    pub transfer: f64,
}

impl EnergyAccount {
    /// The account with all of the energy: the sum of its causes.
    #[must_use]
    pub fn summed(self) -> EnergyAccount {
        let joules = self.idle + self.read + self.program + self.erase + self.seek + self.transfer;
        EnergyAccount { joules, ..self }
    }

    /// What was taken since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &EnergyAccount) -> EnergyAccount {
        let since = EnergyAccount {
            joules: 0.0,
            idle: self.idle - earlier.idle,
            read: self.read - earlier.read,
            program: self.program - earlier.program,
            erase: self.erase - earlier.erase,
            seek: self.seek - earlier.seek,
            transfer: self.transfer - earlier.transfer,
        };
        since.summed()
    }
}
