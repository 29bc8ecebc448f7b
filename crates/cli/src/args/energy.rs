//! Arguments of `energy`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::ByteCount;

use super::{JsonArg, LiveArg, MeterArgs, NameArgs, OutputArg, units};

/// Arguments of `energy`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The idle power is the mean of before and after; what it moved by in between is in its error. The energy is \
the area below the readings, or the difference of a counter of energy. The errors are those of sampling and \
of the idle power: the meter's own accuracy is in none of them. Without --meter the batteries are read while \
they discharge, else the processor packages (rapl), which are not the drive. The summary goes to stderr, \
so that the command's own output can be piped; with --json that goes to stderr, and stdout has the document.

Examples:
  drivelab energy --meter scpi:10.0.0.7:5025 --moved 10GB -o ssd -- cp film.mkv /mnt/ssd
  drivelab energy --meter hwmon:ina226 --battery 50 -- cp -r photos /mnt/stick
  drivelab energy --meter hwmon:ina226 --runs 5 -o stick --place /mnt/stick -- sh -c 'cp film.mkv {} && sync'
  drivelab energy --compare ssd disk")]
pub struct EnergyArgs {
    /// The command to run, with its arguments
    #[arg(last = true, required_unless_present = "compare", value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Compare the energies of two kept results instead, of commands or of tests with --meter: their folders
    #[arg(long, num_args = 2, value_names = ["DIR", "DIR"])]
    #[arg(conflicts_with_all = ["command", "output", "label", "note", "moved", "place", "runs", "meter", "volts"])]
    pub compare: Vec<PathBuf>,
    /// What {} in the command stands for: commands that differ only in it are one task, whose results are compared
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,
    /// Repetitions of the command: means over them have 95 % intervals. The idle time after one is that before the next
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::whole::<u16>(1..=100))]
    pub runs: u16,
    /// Bytes that the command moves each time, for the joules a gigabyte
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub moved: Option<ByteCount>,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArg,
    /// What the result is called.
    #[command(flatten)]
    pub name: NameArgs,
    /// Where it writes what it does now.
    #[command(flatten)]
    pub live: LiveArg,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
}
