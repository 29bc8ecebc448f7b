//! Arguments of `lifetime`.

use std::path::PathBuf;

use clap::Args;

use super::{HideSerialArg, JsonArg, OutputArg, units};

/// Arguments of `lifetime`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Host and flash writes come from the drive's own counters (smartctl; root), and a unit is only believed if \
a standard states it, or the name that smartctl's database has for an attribute of this drive. ext4 counts what \
its mounted file systems were written. Nothing is written to a drive. The exit code is 1 if a drive reports \
that it fails, or has replaced, or cannot read, a thousand sectors or more.

Examples:
  drivelab lifetime
  drivelab lifetime /dev/nvme0n1 --rated-tbw 600 -o monday
  drivelab lifetime --report drives.html
  drivelab lifetime /dev/nvme0n1 --since monday   # and the write amplification in between")]
pub struct LifetimeArgs {
    /// A drive or a partition of it [default: every drive]
    pub target: Option<PathBuf>,
    /// The endurance that the named drive is rated for, in decimal terabytes written
    #[arg(long, value_name = "TB", value_parser = units::rated_terabytes, requires = "target")]
    pub rated_tbw: Option<f64>,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArg,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Show what was written since the result that was kept in this folder
    #[arg(long, value_name = "DIR")]
    pub since: Option<PathBuf>,
    /// Whether serial numbers are shown.
    #[command(flatten)]
    pub hide_serial: HideSerialArg,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}
