//! Arguments of commands about results that are there.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use drivelab_documents::ClockTime;
use drivelab_export::s3::StoreAddress;
use drivelab_export::{ExportForm, HostName};

use super::{JsonArg, NameArgs, PageArg, SlowArgs, TablesArgs, units};

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
    #[arg(long = "as", value_name = "FORM", default_value = "rollup", value_parser = units::choice([
        ("records", "Every record with all columns, sorted by time", ExportForm::Records),
        ("rollup", "Counts, bytes and times by five minutes, device, operation and latency bucket", ExportForm::Rollup),
    ]))]
    pub form: ExportForm,
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
    #[command(flatten)]
    pub json: JsonArg,
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

/// Where exports are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportPlace {
    /// In a folder.
    Folder(PathBuf),
    /// In an object store.
    Store(StoreAddress),
}

impl ExportPlace {
    /// How clap reads it.
    pub fn parser() -> impl TypedValueParser<Value = ExportPlace> {
        OsStringValueParser::new().try_map(ExportPlace::parse)
    }

    fn parse(text: OsString) -> Result<ExportPlace, String> {
        if text.to_string_lossy().trim().is_empty() {
            // As that of a variable that is not set.
            return Err("it is empty: name a folder, or s3://BUCKET/PREFIX".to_owned());
        }
        match text.to_str().filter(|text| StoreAddress::is_meant_by(text)) {
            Some(address) => address.parse().map(ExportPlace::Store),
            None => Ok(ExportPlace::Folder(text.into())),
        }
    }
}

impl fmt::Display for ExportPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportPlace::Folder(folder) => folder.display().fmt(out),
            ExportPlace::Store(address) => address.fmt(out),
        }
    }
}

/// What to do with the exports of many machines.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Which drives are unlike their peers or got slower, and how long I/Os take on each model
    Report(FleetReportArgs),
}

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
    #[command(flatten)]
    pub page: PageArg,
    #[command(flatten)]
    pub tables: TablesArgs,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab report sdb                                    # makes the page of a result again
  drivelab report sdb sdc --report both.html --csv data   # compares two")]
pub struct ReportArgs {
    /// Folders of results, or folders that hold folders of results
    #[arg(required = true, value_name = "DIR")]
    pub runs: Vec<PathBuf>,
    /// Write the page to this file, which is not there yet where results are compared [default: report.html in the folder that is
    /// named alone]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write each picture as SVG into this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write each picture as PNG into this folder
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    #[command(flatten)]
    pub tables: TablesArgs,
    #[command(flatten)]
    pub slow: SlowArgs,
    #[command(flatten)]
    pub json: JsonArg,
}

/// What `--report` of `index` does.
const INDEX_PAGE: &str =
    "Write the page to this file [default: index.html in the folder that is named alone]";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab index results                        # makes results/index.html
  drivelab index 2025 2026 --report all.html    # of two folders
  drivelab index results --csv table            # for a spreadsheet")]
#[command(mut_arg("report", |arg| arg.help(INDEX_PAGE)))]
pub struct IndexArgs {
    /// Folders below which results are looked for
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    pub page: PageArg,
    #[command(flatten)]
    pub tables: TablesArgs,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Nothing else of the result changes, and its page is made again, unless millions of records would have to be read for it. \
Pages of comparisons stay as they are: `drivelab report` makes new ones.

Example:
  drivelab label sdb --label 'MX200, after a year' --note 'in the rack, 31 degrees'
  drivelab label sdb --hide-serial      # before the page is published")]
#[group(id = "name", multiple = true, required = true, args = ["label", "note", "hide_serial", "show_serial"])]
pub struct LabelArgs {
    /// The folder of the result, of a review, of a drive in a review, or of a trace
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub name: NameArgs,
    /// Show the drive's serial number again
    #[arg(long, conflicts_with = "hide_serial")]
    pub show_serial: bool,
}
