//! What a person has to say before anything is written.

use clap::Args;
use drivelab_block::ByteCount;

use super::units;

/// Flags of every command that writes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Before anything is written")]
pub struct SafetyArgs {
    /// Confirm the drive by its serial number (of a loop or zram device: its kernel name). Repeatable, one a target
    #[arg(long, value_name = "SERIAL")]
    pub serial: Vec<String>,
    /// Destroy what the drive or file holds: file systems, partition tables, data
    #[arg(long)]
    pub discard_contents: bool,
    /// Create a file that is not there yet, of this size
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub file_size: Option<ByteCount>,
    /// Stop the run where the drive gets warmer than this, in degrees Celsius
    #[arg(long, value_name = "CELSIUS", default_value_t = 75)]
    pub temperature_limit: i32,
    /// Test a drive although its own health check says that it fails
    #[arg(long)]
    pub ignore_health: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}
