//! Arguments of `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_export::{ExportForm, HostName};
use drivelab_record::ClockTime;

use super::{ExportPlace, JsonArg};

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub struct ExportArgs {
    /// Folders of results, or folders below which results are looked for
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Export to this folder, or to `s3://BUCKET/PREFIX`: not there yet, empty, or one that earlier exports were written to
    #[arg(long, value_name = "DEST", value_parser = ExportPlace::parser())]
    pub destination: ExportPlace,
    /// What is exported of each result
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t = FormArg::Rollup)]
    pub form: FormArg,
    /// The machine that the results are of [default: the one that each names; `simulated` of simulated drives]
    #[arg(long, value_name = "NAME")]
    pub host: Option<HostName>,
    /// When those results began that have no clock time, with the offset from UTC: imported traces and simulated drives
    /// [default: simulated drives begin at 1970-01-01T00:00:00+00:00]
    #[arg(long, value_name = "TIME")]
    pub started: Option<ClockTime>,
    /// Leave serial numbers out of the catalogue and the table of drives: `hidden-` and four digits stand in their place
    #[arg(long)]
    pub hide_serial: bool,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// What is exported of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// Every record with all columns, sorted by time
    Records,
    /// Counts, bytes and times by five minutes, device, operation and latency bucket
    Rollup,
}

impl FormArg {
    /// The form.
    pub fn form(self) -> ExportForm {
        match self {
            FormArg::Records => ExportForm::Records,
            FormArg::Rollup => ExportForm::Rollup,
        }
    }
}

const EXPORT_HELP: &str = "\
DEST has date=2026-11-24/host=NAME/run=ID/*.parquet, dates in UTC, catalogue/*.parquet with one row for each run, \
and drives/*.parquet with one row for each of its devices. A rollup holds no addresses, processes, file names or \
serial numbers; the catalogue has the labels, settings and conditions of the results. What was exported before is \
left alone, and an export that was killed goes on with the same command.

An object store takes its credentials, region and address from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and \
AWS_ENDPOINT_URL of the environment; AWS_ALLOW_HTTP=true allows an address without encryption.

Examples:
  drivelab export results --destination fleet                        # every result below results, as rollups
  drivelab export results --destination fleet --as records
  drivelab export results --destination s3://measurements/fleet
  drivelab export hm_0 --destination fleet --host lab --started 2026-11-24T08:00:00+01:00";
