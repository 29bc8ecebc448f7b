//! Records, back from disk in bounded memory.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_block::Completion;

use crate::RecordError;
use crate::names::{SEGMENT, SEGMENTS, TAIL};
use crate::rows::Row;
use crate::segment::SegmentReader;
use crate::tail::read_tail;

/// Streams the completions of a run.
pub type RunReader = RecordReader<Completion>;

/// Streams records in the order in which they were written, also those of a program that was killed.
///
/// A part that is not there or cannot be read is left out and named by [`RecordReader::faults`]: what is left
/// of a run is no measurement any more, and whoever reads it has to know that.
pub struct RecordReader<R> {
    parts: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, SegmentReader<R>)>,
    faults: Vec<String>,
}

impl<R: Row> RecordReader<R> {
    /// Reads the records of a folder of segments.
    ///
    /// # Errors
    /// Where its segments are there and cannot be listed.
    pub fn open(segments: &Path) -> Result<RecordReader<R>, RecordError> {
        let entries = match fs::read_dir(segments) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RecordReader::of_nothing()),
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
        let faults = gaps(parts.keys());
        let parts: Vec<PathBuf> = parts.into_values().collect();
        Ok(RecordReader { parts: parts.into_iter(), open: None, faults })
    }

    fn of_nothing() -> RecordReader<R> {
        let faults = vec![format!("the folder {SEGMENTS} is not there")];
        RecordReader { parts: Vec::new().into_iter(), open: None, faults }
    }

    /// What of the records is not there or cannot be read, as far as was read until now; each a few words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The next records, about a hundred thousand at a time; `None` at the end.
    ///
    /// What cannot be read is one of the faults from then on.
    pub fn next_batch(&mut self) -> Option<Vec<R>> {
        loop {
            if let Some((path, segment)) = &mut self.open {
                match segment.next_group() {
                    Ok(Some(records)) => return Some(records),
                    Ok(None) => {}
                    Err(error) => self.faults.push(damaged(path, &error)),
                }
                self.open = None;
            }
            let path = self.parts.next()?;
            if path.extension().is_some_and(|kind| kind == TAIL) {
                match read_tail(&path) {
                    Ok(records) => return Some(records),
                    Err(error) => self.faults.push(damaged(&path, &error)),
                }
                continue;
            }
            match SegmentReader::open(&path) {
                Ok(segment) => self.open = Some((path, segment)),
                Err(error) => self.faults.push(damaged(&path, &error)),
            }
        }
    }
}

/// Segments are numbered without a gap, so a number that is left out was one.
fn gaps<'a>(numbers: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut expected: u32 = 0;
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

/// On one line, however the cause is put.
fn damaged(path: &Path, error: &dyn std::fmt::Display) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let cause = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{SEGMENTS}/{name} is damaged ({cause})")
}
