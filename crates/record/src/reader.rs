//! Records, back from disk in bounded memory.

use std::path::{Path, PathBuf};

use drivelab_block::Completion;

use crate::RecordError;
use crate::names::TAIL;
use crate::parts::{Parts, damaged, unreadable, unusable};
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
        let Parts { paths, faults } = Parts::list(segments, 0)?;
        Ok(RecordReader { parts: paths.into_iter(), open: None, faults })
    }

    /// What of the records is not there or cannot be read, as far as was read until now; each a few words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The next records, a row group or the rest of a killed run at a time; `None` at the end.
    ///
    /// What cannot be read is one of the faults from then on.
    pub fn next_batch(&mut self) -> Option<Vec<R>> {
        loop {
            if let Some((path, segment)) = &mut self.open {
                let group = segment.next_group();
                match group.and_then(|group| group.map(|mut group| group.take_all()).transpose()) {
                    Ok(Some(records)) => return Some(records),
                    Ok(None) => {}
                    Err(error) => self.faults.push(unusable(path, &error)),
                }
                self.open = None;
            }
            let path = self.parts.next()?;
            if path.extension().is_some_and(|kind| kind == TAIL) {
                match read_tail(&path) {
                    Ok(tail) => {
                        self.faults.extend(tail.damage.map(|damage| damaged(&path, &damage)));
                        return Some(tail.records);
                    }
                    Err(error) => self.faults.push(unreadable(&path, &error)),
                }
                continue;
            }
            match SegmentReader::open(&path) {
                Ok(segment) => self.open = Some((path, segment)),
                Err(error) => self.faults.push(unusable(&path, &error)),
            }
        }
    }
}
