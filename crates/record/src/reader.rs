//! Records, back from disk in bounded memory.

use std::path::{Path, PathBuf};

use drivelab_block::Completion;

use crate::RecordError;
use crate::in_order::BATCH;
use crate::parts::{Parts, TAIL, damaged, unreadable, unusable};
use crate::rows::Row;
use crate::segment::{RowGroup, SegmentReader};
use crate::tail::read_tail;

/// Streams the completions of a run.
pub type RunReader = RecordReader<Completion>;

/// Streams records in the order in which they were written, also those of a program that was killed.
///
/// A part that is not there or cannot be read is left out, as is what comes behind damage in it, and named by
/// [`RecordReader::faults`]: what is left of a run is no measurement any more, and whoever reads it has to know that.
pub struct RecordReader<R: Row> {
    parts: std::vec::IntoIter<PathBuf>,
    open: Option<SegmentInReading<R>>,
    /// The records that were given last.
    batch: Vec<R>,
    faults: Vec<String>,
}

struct SegmentInReading<R: Row> {
    path: PathBuf,
    segment: SegmentReader<R>,
    group: Option<RowGroup<R>>,
}

impl<R: Row> RecordReader<R> {
    /// Reads the records of a folder of segments.
    ///
    /// # Errors
    /// Where its segments are there and cannot be listed.
    pub fn open(segments: &Path) -> Result<RecordReader<R>, RecordError> {
        let Parts { paths, faults } = Parts::list(segments, 0)?;
        Ok(RecordReader { parts: paths.into_iter(), open: None, batch: Vec::new(), faults })
    }

    /// What of the records is not there or cannot be read, as far as was read until now; each a few words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The next records, a few thousand or the rest of a killed run at a time; `None` at the end.
    ///
    /// What cannot be read is one of the faults from then on.
    pub fn next_batch(&mut self) -> Option<&[R]> {
        self.batch.clear();
        while self.batch.is_empty() {
            match self.open.as_mut() {
                None => self.begin_part()?,
                Some(open) => match open.read(&mut self.batch) {
                    Ok(()) if !self.batch.is_empty() => {}
                    Ok(()) => self.open = None,
                    Err(error) => {
                        self.faults.push(unusable(&open.path, &error));
                        self.open = None;
                    }
                },
            }
        }
        Some(&self.batch)
    }

    /// Opens the next segment, or reads the next tail; `None` behind the last.
    fn begin_part(&mut self) -> Option<()> {
        let path = self.parts.next()?;
        if path.extension().is_some_and(|kind| kind == TAIL) {
            match read_tail(&path) {
                Ok(tail) => {
                    self.faults.extend(tail.damage.map(|damage| damaged(&path, &damage)));
                    self.batch = tail.records;
                }
                Err(error) => self.faults.push(unreadable(&path, &error)),
            }
            return Some(());
        }
        match SegmentReader::open(&path) {
            Ok(segment) => self.open = Some(SegmentInReading { path, segment, group: None }),
            Err(error) => self.faults.push(unusable(&path, &error)),
        }
        Some(())
    }
}

impl<R: Row> SegmentInReading<R> {
    /// Adds the next records to an empty batch; none at the end.
    fn read(&mut self, batch: &mut Vec<R>) -> parquet::errors::Result<()> {
        loop {
            if let Some(group) = &mut self.group {
                group.take(BATCH, batch)?;
                if !batch.is_empty() {
                    return Ok(());
                }
            }
            let columns = self.group.take().map(|group| group.columns).unwrap_or_default();
            self.group = self.segment.next_group(columns)?;
            if self.group.is_none() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{SEGMENT, segment_path};
    use crate::rows::Columns as _;
    use crate::rows::completion::{CompletionColumns, fixture};
    use crate::segment::SegmentWriter;

    /// Writes a whole segment of row groups, each of such completions.
    fn write(path: &Path, groups: &[CompletionColumns]) {
        let mut segment = SegmentWriter::create::<Completion>(path).expect("room on disk");
        groups.iter().for_each(|columns| segment.write(columns).expect("room on disk"));
        segment.finish().expect("room on disk");
    }

    #[test]
    fn what_comes_before_a_row_that_no_record_can_have_is_read_and_so_is_the_next_segment() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let completions: Vec<Completion> = (0..10_000).map(fixture::completion).collect();
        let columns = || {
            let mut columns = CompletionColumns::default();
            columns.extend(&completions);
            columns
        };
        let mut spoiled = columns();
        fixture::spoil(&mut spoiled, BATCH + 900);
        write(&segment_path(folder.path(), 0, SEGMENT), &[spoiled, columns()]);
        write(&segment_path(folder.path(), 1, SEGMENT), &[columns()]);
        let mut reader = RunReader::open(folder.path()).expect("the folder is there");
        let mut all = Vec::new();
        while let Some(batch) = reader.next_batch() {
            all.extend_from_slice(batch);
        }
        assert_eq!(reader.faults().len(), 1, "{:?}", reader.faults());
        assert!(all == [&completions[..BATCH], &completions].concat());
    }
}
