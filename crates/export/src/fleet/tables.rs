//! The catalogue and the table of drives.

use std::path::{Path, PathBuf};

use crate::{CATALOGUE_FORMAT, DRIVES_FORMAT};

use crate::fleet::LeftOut;
use crate::fleet::small_table::{SmallRow, rows_of};
use crate::fleet::source::FleetSource;

/// What the catalogue says of a run.
#[derive(Clone, Debug)]
pub struct RunRow {
    pub run: String,
    pub host: String,
    /// What tells the machine from others of its name.
    pub machine: Option<String>,
    pub kind: String,
    pub label: Option<String>,
    pub drive_model: Option<String>,
    pub firmware: Option<String>,
    pub start: String,
    pub start_unix_ns: u64,
    pub seconds: f64,
    pub records: Option<u64>,
    pub host_bytes_written: Option<u64>,
    pub flash_bytes_written: Option<u64>,
}

/// What the table of drives says of a device of a run.
#[derive(Clone, Debug)]
pub struct DriveRow {
    pub run: String,
    pub host: String,
    /// What tells the machine from others of its name.
    pub machine: Option<String>,
    pub device: String,
    pub drive: String,
    pub drive_model: Option<String>,
    pub firmware: Option<String>,
}

/// A row of a table of small files.
pub trait TableRow: Sized {
    const FORMAT: &'static str;

    /// The row; the error is a sentence without its final stop.
    fn parse(row: &SmallRow) -> Result<Self, String>;
}

impl TableRow for RunRow {
    const FORMAT: &'static str = CATALOGUE_FORMAT;

    fn parse(row: &SmallRow) -> Result<RunRow, String> {
        Ok(RunRow {
            run: row.text("run")?,
            host: row.text("host")?,
            machine: row.optional_text("machine")?,
            kind: row.text("kind")?,
            label: row.optional_text("label")?,
            drive_model: row.optional_text("drive_model")?,
            firmware: row.optional_text("firmware")?,
            start: row.text("start")?,
            start_unix_ns: row.count("start_unix_ns")?,
            seconds: row.number("seconds")?,
            records: row.optional_count("records")?,
            host_bytes_written: row.optional_count("host_bytes_written")?,
            flash_bytes_written: row.optional_count("flash_bytes_written")?,
        })
    }
}

impl TableRow for DriveRow {
    const FORMAT: &'static str = DRIVES_FORMAT;

    fn parse(row: &SmallRow) -> Result<DriveRow, String> {
        Ok(DriveRow {
            run: row.text("run")?,
            host: row.text("host")?,
            machine: row.optional_text("machine")?,
            device: row.text("device")?,
            drive: row.text("drive")?,
            drive_model: row.optional_text("drive_model")?,
            firmware: row.optional_text("firmware")?,
        })
    }
}

/// The rows of a table. A file that cannot be read, or is of another version, is left out as a whole.
pub fn read_table<R: TableRow>(
    source: &dyn FleetSource,
    files: &[PathBuf],
    left_out: &mut Vec<LeftOut>,
) -> Vec<R> {
    let mut rows = Vec::new();
    for path in files {
        match read_file(source, path) {
            Ok(of_file) => rows.extend(of_file),
            Err(why) => left_out.push(why),
        }
    }
    rows
}

fn read_file<R: TableRow>(source: &dyn FleetSource, path: &Path) -> Result<Vec<R>, LeftOut> {
    let shown = source.shown(path);
    let damaged = |why: String| LeftOut::Damaged { path: shown.clone(), why };
    let row = |row: SmallRow| {
        let found = row.text("format").map_err(damaged)?;
        if found != R::FORMAT {
            return Err(LeftOut::OtherFormat { path: shown.clone(), found, known: R::FORMAT });
        }
        R::parse(&row).map_err(damaged)
    };
    let file = source.open(path).map_err(|error| damaged(format!("it cannot be read ({error})")))?;
    rows_of(file).map_err(damaged)?.into_iter().map(row).collect()
}
