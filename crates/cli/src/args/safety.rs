//! What the user says before anything is written.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use drivelab_block::ByteCount;
use drivelab_runner::{SafetyOptions, TemperatureLimit};

use super::units;

/// Options of every command that writes, as the runner takes them.
#[derive(Clone, Debug, Default)]
pub struct SafetyArgs(SafetyOptions);

impl From<SafetyOptions> for SafetyArgs {
    fn from(options: SafetyOptions) -> SafetyArgs {
        SafetyArgs(options)
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args)]
#[command(next_help_heading = "Before anything is written")]
struct TypedSafety {
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

impl Deref for SafetyArgs {
    type Target = SafetyOptions;

    fn deref(&self) -> &SafetyOptions {
        &self.0
    }
}

impl From<TypedSafety> for SafetyArgs {
    fn from(typed: TypedSafety) -> SafetyArgs {
        SafetyArgs(SafetyOptions {
            serial: typed.serial,
            destroy_data: typed.destroy_data,
            file_size: typed.file_size,
            temperature_limit: typed.temperature_limit.unwrap_or_default(),
            ignore_health: typed.ignore_health,
            assume_unused: typed.assume_unused,
            dry_run: typed.dry_run,
        })
    }
}

impl FromArgMatches for SafetyArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SafetyArgs, Error> {
        TypedSafety::from_arg_matches(matches).map(SafetyArgs::from)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = SafetyArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SafetyArgs {
    fn augment_args(command: Command) -> Command {
        TypedSafety::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        TypedSafety::augment_args_for_update(command)
    }
}
