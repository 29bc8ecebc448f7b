//! Arguments of `trace`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use drivelab_trace::Format;

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// What to do with traces.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// What to do with traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Make a trace of files in other people's formats
    Import(TraceImportArgs),
    /// Say what a trace, or a run, comes to: service times, load, and whether slow I/Os come in bunches
    Show(TraceShowArgs),
}

/// Arguments of `trace import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  drivelab trace import hm_0.csv.gz -o hm_0\n  \
    drivelab trace import sda.blktrace.* -o desktop")]
pub struct TraceImportArgs {
    /// Files to import, packed (gz, bz2, xz, zst) or not; several become one trace
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The folder to make of them
    #[arg(short, long, value_name = "TRACE")]
    pub output: PathBuf,
    /// The files' format [default: found out from what they hold]
    #[arg(long, value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    pub format: Option<String>,
    /// Print what the trace comes to as one JSON document (schema drivelab.trace/1)
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `trace show`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drivelab trace show hm_0 --json")]
pub struct TraceShowArgs {
    /// The folder of a trace, or of a run
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Print one JSON document (schema drivelab.trace/1)
    #[arg(long)]
    pub json: bool,
}
