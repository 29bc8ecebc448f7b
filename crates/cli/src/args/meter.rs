//! How the power is to be measured.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use drivelab_block::Nanos;
use drivelab_meter::MeterSpec;
use drivelab_runner::MeterOptions;

use super::units;

/// Options of every command that can measure what a drive draws, as the runner takes them.
#[derive(Clone, Debug)]
pub struct MeterArgs(MeterOptions);

#[derive(Args)]
#[command(next_help_heading = "Power and energy")]
struct TypedMeter {
    /// Read this meter ten times a second: battery, rapl, hwmon:NAME, scpi:HOST:PORT, scpi:TTY[@SPEED], csv:FILE
    /// (columns time and watts, read afterwards; times in seconds since 1970, or ISO 8601 with a zone), or sim
    /// (a simulated drive's own account, with consistency, fill, load, quick, replay, stalls and trim)
    #[arg(long, value_name = "METER")]
    meter: Option<MeterSpec>,
    /// The voltage of an ammeter, whose current is multiplied with it
    #[arg(long, value_name = "V", value_parser = units::positive)]
    volts: Option<f64>,
    /// How long nothing is done before and after, to know the idle power
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    baseline: Nanos,
    /// Tell how long a battery of so many watt-hours lasts
    #[arg(long, value_name = "WH", value_parser = units::positive)]
    battery: Option<f64>,
}

impl Deref for MeterArgs {
    type Target = MeterOptions;

    fn deref(&self) -> &MeterOptions {
        &self.0
    }
}

impl From<MeterOptions> for MeterArgs {
    fn from(options: MeterOptions) -> MeterArgs {
        MeterArgs(options)
    }
}

impl From<TypedMeter> for MeterArgs {
    fn from(typed: TypedMeter) -> MeterArgs {
        let TypedMeter { meter, volts, baseline, battery } = typed;
        MeterArgs(MeterOptions { meter, volts, baseline, battery })
    }
}

impl FromArgMatches for MeterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MeterArgs, Error> {
        TypedMeter::from_arg_matches(matches).map(MeterArgs::from)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = MeterArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for MeterArgs {
    fn augment_args(command: Command) -> Command {
        TypedMeter::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        TypedMeter::augment_args_for_update(command)
    }
}
