//! The rollup that a recording writes.

use clap::Args;
use drivelab_export::HostName;

use super::ExportPlace;

/// The rollup that a recording writes while it goes on.
#[derive(Debug, Args)]
pub struct RollupToArgs {
    /// Also write the rollup of what is recorded to this folder, or to `s3://BUCKET/PREFIX`, every five minutes: counts, bytes
    /// and times, as `drivelab export` writes them; no addresses, file names or processes
    #[arg(long, value_name = "DEST", value_parser = ExportPlace::parser())]
    pub rollup_to: Option<ExportPlace>,
    /// The machine that the rollup is of [default: the name of this one]
    #[arg(long, value_name = "NAME", requires = "rollup_to")]
    pub host: Option<HostName>,
    /// Leave serial numbers out of the table of drives that comes with the rollup
    #[arg(long, requires = "rollup_to")]
    pub hide_serial: bool,
}
