//! Records on their way to disk.

use std::fs;
use std::path::PathBuf;

use drivelab_block::Completion;

use crate::RecordError;
use crate::guard::{Guard, OpenSegment};
use crate::parts::{PARTIAL, SEGMENT, TAIL, segment_path};
use crate::rotation::{KeptSegment, Rotation, Written};
use crate::rows::{Columns as _, ROW_GROUP_ROWS, Row, StoredColumns as _};
use crate::segment::{SEGMENT_ROWS, SegmentWriter};
use crate::syncer::{sync, sync_folder_of};

/// Writes the completions of a run.
pub type RunWriter = RecordWriter<Completion>;

/// Writes records into segments, and under a guard what no segment holds yet.
///
/// Errors do not stop the run: records that could not be kept are counted and the next segment is tried
/// anew, so a disk that was full for a while costs what came in that while.
pub struct RecordWriter<R: Row> {
    segments: PathBuf,
    number: u32,
    open: Option<SegmentWriter>,
    /// None where a kill may cost the open segment.
    guard: Option<Guard<R>>,
    columns: R::Columns,
    /// Rows of the open segment, those in `columns` included.
    rows: usize,
    /// What became of the records until now, those of the open segment left out.
    pub written: Written,
    rotation: Rotation,
    /// Whether what is in a file is brought to the disk at once.
    durable: bool,
}

impl<R: Row> RecordWriter<R> {
    /// Writes into a folder of segments, which must be there and empty.
    pub fn new(segments: PathBuf) -> RecordWriter<R> {
        RecordWriter {
            segments,
            number: 0,
            open: None,
            guard: Some(Guard::start()),
            columns: R::Columns::default(),
            rows: 0,
            written: Written::default(),
            rotation: Rotation::default(),
            durable: false,
        }
    }

    /// Does without a tail, which costs as much as a tenth of all work: for records that can be made again, since a kill or a
    /// full disk costs all those of the open segment, a million at most.
    #[must_use]
    pub fn unguarded(self) -> RecordWriter<R> {
        RecordWriter { guard: None, ..self }
    }

    /// Has what was kept brought to the disk by a thread of its own, so that a power cut costs the records of the last second, or
    /// of as long as the disk takes. Nothing waits for that but the end of the run.
    pub fn sync_in_background(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.sync_in_background();
        }
    }

    /// Makes all that was kept survive a power cut: records wait at most 20 ms, or as long as it takes to encode a row group, and
    /// every file is brought to the disk at once. The thread that keeps them waits for that.
    pub fn survive_power_cuts(&mut self) {
        self.durable = true;
        if let Some(guard) = &mut self.guard {
            guard.survive_power_cuts();
        }
    }

    /// Keeps at most this many bytes of whole segments: where there are more, the oldest go.
    pub fn keep_at_most(&mut self, bytes: u64) {
        self.rotation = Rotation::within(bytes);
    }

    /// The size of all its files: whole segments, the row groups of the open one, and its tail.
    pub fn bytes_in_files(&self) -> u64 {
        let open = self.open.as_ref().map_or(0, SegmentWriter::bytes);
        self.written.bytes + open + self.guard.as_ref().map_or(0, Guard::tail_bytes)
    }

    /// Takes records in the order in which they are to be kept.
    pub fn append(&mut self, records: &[R]) {
        let mut rest = records;
        while !rest.is_empty() {
            let room = ROW_GROUP_ROWS - self.columns.rows();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.columns.extend(now);
            self.rows += now.len();
            if self.columns.rows() == ROW_GROUP_ROWS {
                // Encoding takes a while, in which nothing else is kept.
                self.keep_safe();
                self.close_row_group();
            }
            rest = later;
        }
        self.keep_safe();
    }

    /// Puts records that have waited long enough into the tail. Called now and then, also while the
    /// drive is silent.
    pub fn keep_safe(&mut self) {
        if let Some(guard) = &mut self.guard {
            let open = OpenSegment { groups: self.open.as_mut(), columns: &self.columns };
            guard.keep_safe(&segment_path(&self.segments, self.number, TAIL), open);
        }
    }

    /// Closes the last segment and says what was kept.
    pub fn finish(mut self) -> Written {
        self.close_row_group();
        self.close_segment();
        self.written
    }

    fn close_row_group(&mut self) {
        if self.columns.rows() > 0 {
            if let Err(error) = self.write_row_group() {
                self.give_up_segment(&error);
            }
            self.columns.clear();
        }
        if self.rows >= SEGMENT_ROWS {
            self.close_segment();
        }
    }

    fn write_row_group(&mut self) -> Result<(), RecordError> {
        let path = self.path(PARTIAL);
        let failed = |error| RecordError::parquet(&path, &error);
        if self.open.is_none() {
            self.open = Some(SegmentWriter::create::<R>(&path).map_err(failed)?);
            if let Some(guard) = &mut self.guard {
                guard.begin_segment(&path);
            }
        }
        self.open.as_mut().map_or(Ok(()), |segment| segment.write(&self.columns)).map_err(failed)
    }

    fn close_segment(&mut self) {
        let Some(segment) = self.open.take() else { return };
        match self.publish(segment) {
            Ok(bytes) => {
                self.written.records += self.rows as u64;
                self.written.bytes += bytes;
                let segment = KeptSegment { number: self.number, rows: self.rows as u64, bytes };
                self.rotation.add(segment, &self.segments, &mut self.written);
                let (whole, tail) = (self.path(SEGMENT), self.path(TAIL));
                if let Some(guard) = &mut self.guard {
                    guard.release(whole, &tail);
                }
                self.begin_next_segment();
            }
            Err(error) => self.give_up_segment(&error),
        }
    }

    /// Renames the whole segment into place; only then is its tail superfluous.
    fn publish(&mut self, segment: SegmentWriter) -> Result<u64, RecordError> {
        let (partial, whole) = (self.path(PARTIAL), self.path(SEGMENT));
        segment.finish().map_err(|error| RecordError::parquet(&partial, &error))?;
        if self.durable {
            sync(&partial).map_err(|error| RecordError::io(&partial, error))?;
        }
        let bytes = fs::metadata(&partial).map_err(|error| RecordError::io(&partial, error))?.len();
        fs::rename(&partial, &whole).map_err(|error| RecordError::io(&whole, error))?;
        if self.durable {
            sync_folder_of(&whole).map_err(|error| RecordError::io(&self.segments, error))?;
        }
        Ok(bytes)
    }

    /// Counts the rows of a segment that could not be written. What can be read by way of its tail stays readable.
    fn give_up_segment(&mut self, error: &RecordError) {
        let readable = self.guard.as_mut().map(Guard::abandon).unwrap_or_default();
        self.written.lost += self.rows as u64 - readable.rows;
        self.written.first_error.get_or_insert_with(|| error.to_string());
        self.written.records += readable.rows;
        self.open = None;
        if !readable.needs_segment {
            let _ = fs::remove_file(self.path(PARTIAL));
        }
        self.begin_next_segment();
    }

    fn begin_next_segment(&mut self) {
        self.number += 1;
        self.rows = 0;
    }

    fn path(&self, kind: &str) -> PathBuf {
        segment_path(&self.segments, self.number, kind)
    }
}
