//! Records, back from disk in bounded memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use drivelab_block::Completion;

use crate::RecordError;
use crate::names::{SEGMENT, TAIL};
use crate::rows::Row;
use crate::segment::SegmentReader;
use crate::tail::read_tail;

/// Streams the completions of a run.
pub type RunReader = RecordReader<Completion>;

/// Streams records in the order in which they were written, also those of a program that was killed.
pub struct RecordReader<R> {
    parts: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, SegmentReader<R>)>,
}

impl<R: Row> RecordReader<R> {
    /// Reads the records of a folder of segments.
    ///
    /// # Errors
    /// Where its segments cannot be listed.
    pub fn open(segments: &Path) -> Result<RecordReader<R>, RecordError> {
        let entries = fs::read_dir(segments).map_err(|error| RecordError::io(segments, error))?;
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
        let parts: Vec<PathBuf> = parts.into_values().collect();
        Ok(RecordReader { parts: parts.into_iter(), open: None })
    }

    /// The next records, about a hundred thousand at a time; `None` at the end.
    ///
    /// # Errors
    /// Where a segment is damaged: the error names it, and without it the rest can be read.
    pub fn next_batch(&mut self) -> Result<Option<Vec<R>>, RecordError> {
        loop {
            if let Some((path, segment)) = &mut self.open {
                match segment.next_group().map_err(|error| damaged(path, &error))? {
                    Some(records) => return Ok(Some(records)),
                    None => self.open = None,
                }
            }
            let Some(path) = self.parts.next() else { return Ok(None) };
            if path.extension().is_some_and(|kind| kind == TAIL) {
                return read_tail(&path).map(Some).map_err(|error| RecordError::io(&path, error));
            }
            let segment = SegmentReader::open(&path).map_err(|error| damaged(&path, &error))?;
            self.open = Some((path, segment));
        }
    }
}

fn damaged(path: &Path, error: &parquet::errors::ParquetError) -> RecordError {
    let message = format!("the segment is damaged ({error}): move it away to use the rest of the run");
    RecordError::Segment { path: path.to_owned(), message }
}
