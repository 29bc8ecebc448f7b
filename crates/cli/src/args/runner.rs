//! Options as the runner takes them: what the user says before anything is written, and how the power is measured.

use std::marker::PhantomData;
use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use drivelab_block::{ByteCount, Nanos};
use drivelab_meter::MeterSpec;
use drivelab_runner::{MeterOptions, SafetyOptions, TemperatureLimit, tests_with_simulated_energy};

use super::units;

/// Options of every command that writes.
pub type SafetyArgs = RunnerArgs<SafetyOptions, TypedSafety>;
/// Options of every command that can measure what a drive draws.
pub type MeterArgs = RunnerArgs<MeterOptions, TypedMeter>;

/// Options as the runner takes them, made of how they are typed.
#[derive(Clone, Debug)]
pub struct RunnerArgs<O, T>(O, PhantomData<T>);

impl<O, T> From<O> for RunnerArgs<O, T> {
    fn from(options: O) -> RunnerArgs<O, T> {
        RunnerArgs(options, PhantomData)
    }
}

impl<O, T> Deref for RunnerArgs<O, T> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.0
    }
}

impl<O, T: Args + Into<O>> FromArgMatches for RunnerArgs<O, T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<RunnerArgs<O, T>, Error> {
        T::from_arg_matches(matches).map(|typed| RunnerArgs(typed.into(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = RunnerArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<O, T: Args + Into<O>> Args for RunnerArgs<O, T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

/// What the user says before anything is written.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Before anything is written")]
pub struct TypedSafety {
    /// Confirm the drive by its serial number (of a loop or zram device: its kernel name; if other drives have the same serial
    /// number: SERIAL@WWN, or SERIAL@PATH, as `drivelab drives` shows it). Repeatable, one a target
    #[arg(long, value_name = "SERIAL")]
    serial: Vec<String>,
    /// Destroy what the drive or file holds: file systems, partition tables, recordings, data
    #[arg(long)]
    destroy_data: bool,
    /// Create a file that is not there yet, of this size
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    file_size: Option<ByteCount>,
    /// Stop the run if the drive gets warmer than this, in °C; without a sensor the test does not start. "none" stops at
    /// no temperature [default: 75, if there is a sensor; of an NVMe drive, which throttles before, 2 below its critical
    /// temperature if that is higher]
    #[arg(long, value_name = "CELSIUS", allow_hyphen_values = true)]
    temperature_limit: Option<TemperatureLimit>,
    /// Test a drive although its own health check says that it fails
    #[arg(long)]
    ignore_health: bool,
    /// Take a file to be unused where other processes, loop devices or overlays cannot be looked at; known
    /// uses still refuse it
    #[arg(long)]
    assume_unused: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl From<TypedSafety> for SafetyOptions {
    fn from(typed: TypedSafety) -> SafetyOptions {
        SafetyOptions {
            serial: typed.serial,
            destroy_data: typed.destroy_data,
            file_size: typed.file_size,
            temperature_limit: typed.temperature_limit.unwrap_or_default(),
            ignore_health: typed.ignore_health,
            assume_unused: typed.assume_unused,
            dry_run: typed.dry_run,
        }
    }
}

/// How the power is to be measured.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Power and energy")]
pub struct TypedMeter {
    #[arg(long, value_name = "METER", help = format!("Read this meter ten times a second: battery, rapl, hwmon:NAME, \
        scpi:HOST:PORT, scpi:TTY[@SPEED], csv:FILE (columns time and watts, read afterwards; times in seconds since 1970, or \
        ISO 8601 with a zone), or sim (a simulated drive's own account, with {})", tests_with_simulated_energy()))]
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

impl From<TypedMeter> for MeterOptions {
    fn from(typed: TypedMeter) -> MeterOptions {
        let TypedMeter { meter, volts, baseline, battery } = typed;
        MeterOptions { meter, volts, baseline, battery }
    }
}
