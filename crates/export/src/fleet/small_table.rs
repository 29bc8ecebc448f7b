//! Rows of the small tables, whose columns are found by their names.

use std::collections::HashMap;
use std::fs::File;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

/// A row of a small table.
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
