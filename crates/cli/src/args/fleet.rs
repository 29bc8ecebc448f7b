//! Arguments of `fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ExportPlace, JsonArg};

/// Arguments of `fleet`.
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What to do with the exports of many machines.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Which drives are unlike their peers or got slower, and how long I/Os take on each model
    Report(FleetReportArgs),
}

/// Arguments of `fleet report`.
#[derive(Debug, Args)]
#[command(after_help = "\
DEST is what `drivelab export` wrote to, from one machine or many: a folder, or a prefix of an object store, whose files \
are fetched into the folder for temporary files (TMPDIR) meanwhile. The answers are those of the queries in \
sql/, which DuckDB, DataFusion and Spark run.

Examples:
  drivelab export results --destination fleet
  drivelab fleet report fleet --report fleet.html
  drivelab fleet report s3://measurements/fleet --json")]
pub struct FleetReportArgs {
    /// The folder that was exported to, or `s3://BUCKET/PREFIX`
    #[arg(value_name = "DEST", value_parser = ExportPlace::parser())]
    pub place: ExportPlace,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the data of each picture and table as CSV into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Print Markdown instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}
