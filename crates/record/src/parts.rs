//! What there is of the records in a folder of segments.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

use crate::RecordError;
use crate::error::of_the_system;
use crate::names::{SEGMENT, SEGMENTS, TAIL};

/// The files that hold records, in the order of their numbers: a segment, or the tail of one that never became
/// whole.
pub struct Parts {
    pub paths: Vec<PathBuf>,
    /// What should be there and is not, each a few words.
    pub faults: Vec<String>,
}

impl Parts {
    /// Lists a folder whose segments are numbered from `first`.
    ///
    /// # Errors
    /// Where it is there and cannot be listed.
    pub fn list(segments: &Path, first: u32) -> Result<Parts, RecordError> {
        let entries = match fs::read_dir(segments) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Parts::of_nothing()),
            entries => entries.map_err(|error| RecordError::io(segments, error))?,
        };
        // A tail is only of use where its segment never became whole: "parquet" sorts before "tail".
        let mut parts: BTreeMap<String, PathBuf> = BTreeMap::new();
        for entry in entries {
            let path = entry.map_err(|error| RecordError::io(segments, error))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((number, kind)) = name.split_once('.') else { continue };
            if kind == SEGMENT {
                parts.insert(number.to_owned(), path.clone());
            } else if kind == TAIL {
                parts.entry(number.to_owned()).or_insert_with(|| path.clone());
            }
        }
        let faults = gaps(parts.keys(), first);
        Ok(Parts { paths: parts.into_values().collect(), faults })
    }

    fn of_nothing() -> Parts {
        Parts { paths: Vec::new(), faults: vec![format!("the folder {SEGMENTS} is not there")] }
    }
}

/// Segments are numbered without a gap, so a number that is left out was one.
fn gaps<'a>(numbers: impl Iterator<Item = &'a String>, first: u32) -> Vec<String> {
    let mut expected = first;
    let mut gaps = Vec::new();
    for number in numbers.filter_map(|number| number.parse::<u32>().ok()) {
        match number.saturating_sub(expected) {
            0 => {}
            1 => gaps.push(format!("{SEGMENTS}/{expected:06}.{SEGMENT} is not there")),
            _ => gaps.push(format!("{SEGMENTS}/{expected:06}.{SEGMENT} to {:06} are not there", number - 1)),
        }
        expected = number.saturating_add(1);
    }
    gaps
}

/// Why a segment is of no use.
pub fn unusable(path: &Path, error: &ParquetError) -> String {
    of_the_system(error).map_or_else(|| damaged(path, error), |error| unreadable(path, error))
}

/// That the system does not give a part.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{SEGMENTS}/{} cannot be read ({error})", name_of(path))
}

/// That a part is not as it was written.
pub fn damaged(path: &Path, error: &dyn std::fmt::Display) -> String {
    // On one line, however the cause is put.
    let cause = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{SEGMENTS}/{} is damaged ({cause})", name_of(path))
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
