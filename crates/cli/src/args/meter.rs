//! How the power is to be measured.

use clap::Args;
use drivelab_block::Nanos;
use drivelab_meter::MeterSpec;

use super::units;

/// Flags of every command that can measure what a drive draws.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Power and energy")]
pub struct MeterArgs {
    /// Read this meter ten times a second: battery, rapl, hwmon:NAME, scpi:HOST:PORT, scpi:TTY[@SPEED], csv:FILE
    /// (columns time and watts, read afterwards; times in seconds since 1970, or ISO 8601 with a zone), or sim
    /// (a simulated drive's own account, with consistency, load, replay, stalls and trim)
    #[arg(long, value_name = "METER")]
    pub meter: Option<MeterSpec>,
    /// The voltage of an ammeter, whose current is multiplied with it
    #[arg(long, value_name = "V", value_parser = units::positive)]
    pub volts: Option<f64>,
    /// How long nothing is done before and after, to know the idle power
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    pub baseline: Nanos,
    /// Tell how long a battery of so many watt-hours lasts
    #[arg(long, value_name = "WH", value_parser = units::positive)]
    pub battery: Option<f64>,
}
