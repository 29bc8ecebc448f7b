//! What every command that works on a drive may be told, as it is typed.

use clap::Args;
use drivelab_block::typed::{duration, size_above_zero};
use drivelab_block::{ByteCount, Nanos};
use drivelab_meter::MeterSpec;

use crate::TemperatureLimit;

/// What the user says before anything is written.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Before anything is written")]
pub struct SafetyOptions {
    /// Confirm the drive by its serial number (of a loop or zram device: its kernel name; if other drives have the same serial
    /// number: SERIAL@WWN, or SERIAL@PATH, as `drivelab drives` shows it). Repeatable, one a target
    #[arg(long, value_name = "SERIAL")]
    pub serial: Vec<String>,
    /// Destroy what the drive or file holds: file systems, partition tables, recordings, data
    #[arg(long)]
    pub destroy_data: bool,
    /// Create a file that is not there yet, of this size
    #[arg(long, value_name = "SIZE", value_parser = size_above_zero)]
    pub file_size: Option<ByteCount>,
    /// Stop the run if the drive gets warmer than this, in °C; without a sensor the test does not start. "none" stops at
    /// no temperature [default: 75, if there is a sensor; of an NVMe drive, which throttles before, 2 below its critical
    /// temperature if that is higher]
    #[arg(long, value_name = "CELSIUS", allow_hyphen_values = true)]
    pub temperature_limit: Option<TemperatureLimit>,
    /// Test a drive although its own health check says that it fails
    #[arg(long)]
    pub ignore_health: bool,
    /// Take a file to be unused where other processes, loop devices or overlays cannot be looked at; known
    /// uses still refuse it
    #[arg(long)]
    pub assume_unused: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl SafetyOptions {
    /// What ends the run where its drive gets too warm.
    pub fn temperature_limit(&self) -> TemperatureLimit {
        self.temperature_limit.unwrap_or_default()
    }
}

/// How the power is measured.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Power and energy")]
pub struct MeterOptions {
    /// Read this meter ten times a second
    #[arg(long, value_name = "METER")]
    pub meter: Option<MeterSpec>,
    /// The voltage of an ammeter, whose current is multiplied with it
    #[arg(long, value_name = "V", value_parser = positive)]
    pub volts: Option<f64>,
    /// How long nothing is done before and after, to know the idle power
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub baseline: Nanos,
    /// Tell how long a battery of so many watt-hours lasts
    #[arg(long, value_name = "WH", value_parser = positive)]
    pub battery: Option<f64>,
}

/// Reads a number above zero: volts, watt-hours.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a number above zero and no unit, such as 12".to_owned()),
    }
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
