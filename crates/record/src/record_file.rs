//! One file of records that is no part of a run's folder: for those who hand records on.

use std::fs::File;
use std::io;

use parquet::errors::ParquetError;

use crate::rows::{Columns as _, ROW_GROUP_ROWS, Row, StoredColumns as _};
use crate::segment::SegmentWriter;

/// Writes records into one file, with the columns and the checksum of a segment, and as many rows as there are. Equal records
/// give equal bytes, however they are divided into batches.
pub struct RecordFile<R: Row> {
    segment: SegmentWriter,
    /// Rows that are in no row group yet: fewer than one holds.
    columns: R::Columns,
}

impl<R: Row> RecordFile<R> {
    /// Begins in a file that is empty, and open for reading and writing.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(file: File) -> io::Result<RecordFile<R>> {
        let segment = SegmentWriter::of_file::<R>(file).map_err(system_error)?;
        Ok(RecordFile { segment, columns: R::Columns::default() })
    }

    /// Adds records, none of which is earlier than those before: engines skip row groups by the times of their rows.
    ///
    /// # Errors
    /// Where the file cannot be written: it is of no use then.
    pub fn append(&mut self, mut records: &[R]) -> io::Result<()> {
        while !records.is_empty() {
            let room = ROW_GROUP_ROWS - self.columns.rows();
            let (fitting, rest) = records.split_at(room.min(records.len()));
            self.columns.extend(fitting);
            records = rest;
            if self.columns.rows() == ROW_GROUP_ROWS {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Ends the file with further words of its footer, by their names, and hands it back.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn finish(mut self, words: &[(&str, String)]) -> io::Result<File> {
        if self.columns.rows() > 0 {
            self.write_group()?;
        }
        self.segment.finish_with(words).map_err(system_error)
    }

    fn write_group(&mut self) -> io::Result<()> {
        self.segment.write(&self.columns).map_err(system_error)?;
        self.columns.clear();
        Ok(())
    }
}

/// The error of the system where it was the system, so that a full disk is known as one.
pub fn system_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::Completion;

    use super::*;
    use crate::rows::completion::fixture::completion;
    use crate::segment::SegmentReader;
    use crate::{SortedReader, is_run_folder};

    #[test]
    fn a_file_is_a_segment_of_any_length_whose_bytes_do_not_depend_on_batches() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let completions: Vec<Completion> = (0..ROW_GROUP_ROWS as u64 * 2 + 77).map(completion).collect();
        let write = |name: &str, batch: usize| {
            let path = folder.path().join(name);
            let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
            let mut out = RecordFile::begin(file).expect("room on disk");
            completions.chunks(batch).for_each(|batch| out.append(batch).expect("room on disk"));
            out.finish(&[("drivelab.run", "r1".to_owned())]).expect("room on disk");
            std::fs::read(path).expect("a file")
        };
        assert!(write("000000.parquet", 4_096) == write("other", ROW_GROUP_ROWS * 2 + 1));
        SegmentReader::<Completion>::open(&folder.path().join("other")).expect("its sum is right");
        let mut reader = SortedReader::<Completion>::open(folder.path(), 0).expect("a folder of segments");
        let read: Vec<Completion> = std::iter::from_fn(|| reader.next_batch()).flatten().collect();
        assert!(read == completions && reader.faults().is_empty(), "{:?}", reader.faults());
        assert!(!is_run_folder(folder.path()));
    }
}
