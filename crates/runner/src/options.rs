//! What every command that works on a drive may be told.

use drivelab_block::{ByteCount, Nanos};
use drivelab_meter::MeterSpec;

use crate::TemperatureLimit;

/// What the user says before anything is written.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Clone, Debug, Default)]
pub struct SafetyOptions {
    /// The serial numbers that confirm the drives, one a target; of a loop or zram device its kernel name.
    pub serial: Vec<String>,
    /// Whether what the drive or file holds may be destroyed.
    pub destroy_data: bool,
    /// The size of a file that is not there yet and is to be created.
    pub file_size: Option<ByteCount>,
    /// What ends a run whose drive gets too warm.
    pub temperature_limit: TemperatureLimit,
    /// Whether a drive is tested although its own health check says that it fails.
    pub ignore_health: bool,
    /// Whether a file is taken to be unused as far as that cannot be looked at.
    pub assume_unused: bool,
    /// Whether the plan is printed and nothing is done.
    pub dry_run: bool,
}

/// How the power is measured.
#[derive(Clone, Debug)]
pub struct MeterOptions {
    /// The meter, where one is to be read.
    pub meter: Option<MeterSpec>,
    /// The voltage of an ammeter, whose current is multiplied with it.
    pub volts: Option<f64>,
    /// How long nothing is done before and after, to know the idle power.
    pub baseline: Nanos,
    /// The capacity of a battery in watt-hours, whose life is to be shown.
    pub battery: Option<f64>,
}

impl MeterOptions {
    /// How long nothing is done for the meter, before and after a test together; no time on a simulated drive, whose idle power
    /// is known.
    pub fn idle_time(&self) -> Nanos {
        match self.meter {
            None | Some(MeterSpec::Sim) => Nanos::ZERO,
            Some(_) => self.baseline + self.baseline,
        }
    }
}
