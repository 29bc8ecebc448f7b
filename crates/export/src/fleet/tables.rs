//! The catalogue and the table of drives, small tables whose columns are found by their names.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::{CATALOGUE_FORMAT, DRIVES_FORMAT};

use crate::fleet::error::LeftOut;
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

pub struct SmallRow(HashMap<String, Field>);

/// The rows of a file; the error is a sentence without its final stop.
pub fn rows_of(file: File) -> Result<Vec<SmallRow>, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("it cannot be read ({error})");
    let file = SerializedFileReader::new(file).map_err(|error| cannot(&error))?;
    let rows = file.get_row_iter(None).map_err(|error| cannot(&error))?;
    rows.map(|row| {
        let row = row.map_err(|error| cannot(&error))?;
        Ok(SmallRow(row.into_columns().into_iter().collect()))
    })
    .collect()
}

impl SmallRow {
    /// A text that every row has.
    pub fn text(&self, name: &str) -> Result<String, String> {
        self.optional_text(name)?.ok_or_else(|| missing(name))
    }

    /// A text that may be absent, as may be its column: an earlier version did not have it.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, String> {
        match self.0.get(name) {
            None | Some(Field::Null) => Ok(None),
            Some(Field::Str(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("its column {name} holds no texts")),
        }
    }

    /// A count that every row has.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        self.optional_count(name)?.ok_or_else(|| missing(name))
    }

    /// A count that may be absent, as may be its column.
    pub fn optional_count(&self, name: &str) -> Result<Option<u64>, String> {
        let count = match self.0.get(name) {
            None | Some(Field::Null) => return Ok(None),
            Some(Field::Long(count)) => u64::try_from(*count).ok(),
            Some(Field::Int(count)) => u64::try_from(*count).ok(),
            Some(Field::ULong(count)) => Some(*count),
            Some(Field::UInt(count)) => Some(u64::from(*count)),
            Some(_) => None,
        };
        count.map(Some).ok_or_else(|| format!("its column {name} holds something else than counts"))
    }

    /// A number that every row has.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        match self.0.get(name) {
            Some(Field::Double(number)) => Ok(*number),
            _ => Err(missing(name)),
        }
    }
}

fn missing(name: &str) -> String {
    format!("a row has no {name}")
}
