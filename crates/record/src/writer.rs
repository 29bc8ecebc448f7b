//! Records on their way to disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use drivelab_block::Completion;

use crate::RecordError;
use crate::names::{PARTIAL, SEGMENT, TAIL, segment_path};
use crate::pace::Pace;
use crate::rotation::{Kept, Rotation};
use crate::rows::{Columns as _, Row};
use crate::segment::{ROW_GROUP_ROWS, SegmentWriter};
use crate::tail::TailWriter;
use crate::written::Written;

/// Rows of a segment. Segments are cut by rows and never by time, so that equal runs give equal files.
const SEGMENT_ROWS: usize = 16 * ROW_GROUP_ROWS;

/// Writes the completions of a run.
pub type RunWriter = RecordWriter<Completion>;

/// Writes records into segments, and into a tail what no segment holds yet.
///
/// Errors do not stop the run: records that could not be kept are counted and the next segment is tried
/// anew, so a disk that was full for a while costs what came in that while.
pub struct RecordWriter<R: Row> {
    segments: PathBuf,
    number: u32,
    open: Option<SegmentWriter>,
    tail: Option<TailWriter>,
    columns: R::Columns,
    /// Rows of the open segment, those in `columns` included.
    rows: usize,
    /// Records that are neither in a whole segment nor in the tail.
    unsaved: Vec<R>,
    pace: Pace,
    written: Written,
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
            tail: None,
            columns: R::Columns::default(),
            rows: 0,
            unsaved: Vec::new(),
            pace: Pace::start(),
            written: Written::default(),
            rotation: Rotation::default(),
            durable: false,
        }
    }

    /// Makes what was kept survive a power cut: records wait at most 20 ms, and every file is brought to the disk at
    /// once. The thread that keeps them waits for that.
    pub fn survive_power_cuts(&mut self) {
        self.durable = true;
        self.pace.hurry();
    }

    /// Keeps at most this many bytes of whole segments: where there are more, the oldest go.
    pub fn keep_at_most(&mut self, bytes: u64) {
        self.rotation = Rotation::within(bytes);
    }

    /// What became of the records until now, those of the open segment left out.
    pub fn so_far(&self) -> &Written {
        &self.written
    }

    /// Records that are in no whole segment yet.
    pub fn open_rows(&self) -> usize {
        self.rows
    }

    /// Takes records in the order in which they are to be kept.
    pub fn append(&mut self, records: &[R]) {
        let mut rest = records;
        while !rest.is_empty() {
            let room = ROW_GROUP_ROWS - self.columns.rows();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.columns.extend(now);
            self.unsaved.extend_from_slice(now);
            self.rows += now.len();
            if self.columns.rows() == ROW_GROUP_ROWS {
                self.close_row_group();
            }
            rest = later;
        }
        self.keep_safe();
    }

    /// Puts records that have waited long enough into the tail. Called now and then, also while the
    /// drive is silent.
    pub fn keep_safe(&mut self) {
        if !self.pace.is_tail_due() {
            return;
        }
        if !self.unsaved.is_empty() {
            self.append_to_tail();
        }
        self.pace.everything_is_safe();
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
        }
        self.open.as_mut().map_or(Ok(()), |segment| segment.write(&self.columns)).map_err(failed)
    }

    fn close_segment(&mut self) {
        let Some(segment) = self.open.take() else { return };
        match self.publish(segment) {
            Ok(bytes) => {
                self.written.records += self.rows as u64;
                self.written.bytes += bytes;
                let segment = Kept { number: self.number, rows: self.rows as u64, bytes };
                self.rotation.add(segment, &self.segments, &mut self.written);
                self.next_segment();
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
            sync(&self.segments).map_err(|error| RecordError::io(&self.segments, error))?;
        }
        Ok(bytes)
    }

    fn next_segment(&mut self) {
        if self.tail.take().is_some() {
            let _ = fs::remove_file(self.path(TAIL));
        }
        self.number += 1;
        self.rows = 0;
        self.unsaved.clear();
        self.pace.everything_is_safe();
    }

    /// Counts the rows of a segment that could not be written. What its tail holds stays readable.
    fn give_up_segment(&mut self, error: &RecordError) {
        let in_tail = if self.tail.take().is_some() { self.rows - self.unsaved.len() } else { 0 };
        self.lose((self.rows - in_tail) as u64, error);
        self.written.records += in_tail as u64;
        self.open = None;
        let _ = fs::remove_file(self.path(PARTIAL));
        self.number += 1;
        self.rows = 0;
        self.unsaved.clear();
    }

    /// Without a tail the records are still on their way into the segment, which is what counts. A tail that
    /// found no room for a single one is taken away again.
    fn append_to_tail(&mut self) {
        let path = self.path(TAIL);
        let is_new = self.tail.is_none();
        let made = self.tail.take().map_or_else(|| TailWriter::create::<R>(&path), Ok);
        let appended = made.and_then(|mut tail| {
            let mut kept = tail.append(&self.unsaved);
            if self.durable && kept.is_ok() {
                kept = tail.sync().and_then(|()| if is_new { sync(&self.segments) } else { Ok(()) });
            }
            if kept.is_ok() {
                self.unsaved.clear();
            }
            if tail.is_empty() { kept.map(|()| tail) } else { Ok(tail) }
        });
        match appended {
            Ok(tail) => self.tail = Some(tail),
            Err(_) => drop(fs::remove_file(&path)),
        }
    }

    fn lose(&mut self, rows: u64, error: &RecordError) {
        self.written.lost += rows;
        self.written.first_error.get_or_insert_with(|| error.to_string());
    }

    fn path(&self, kind: &str) -> PathBuf {
        segment_path(&self.segments, self.number, kind)
    }
}

/// Brings a file, or what is in a folder, to the disk.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
