//! What becomes of records until their segment is whole.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::pace::Pace;
use crate::rows::Row;
use crate::tail::TailWriter;

/// Keeps the records of the open segment in a tail, so that a kill costs those of a moment.
pub struct Guard<R> {
    tail: Option<TailWriter>,
    /// Records that are neither in a whole segment nor in the tail.
    unsaved: Vec<R>,
    pace: Pace,
    /// Whether what is in the tail is brought to the disk at once.
    durable: bool,
}

impl<R: Row> Guard<R> {
    /// Begins with the first segment.
    pub fn start() -> Guard<R> {
        Guard { tail: None, unsaved: Vec::new(), pace: Pace::start(), durable: false }
    }

    /// Makes records wait less, and brings each tail to the disk.
    pub fn survive_power_cuts(&mut self) {
        self.durable = true;
        self.pace.hurry();
    }

    /// Takes records of the open segment.
    pub fn add(&mut self, records: &[R]) {
        self.unsaved.extend_from_slice(records);
    }

    /// Puts records that have waited long enough into the tail at `path`.
    pub fn keep_safe(&mut self, path: &Path) {
        if !self.pace.is_tail_due() {
            return;
        }
        if !self.unsaved.is_empty() {
            self.append(path);
        }
        self.pace.everything_is_safe();
    }

    /// The segment is whole, and its tail at `path` superfluous.
    pub fn release(&mut self, path: &Path) {
        if self.tail.take().is_some() {
            let _ = fs::remove_file(path);
        }
        self.unsaved.clear();
        self.pace.everything_is_safe();
    }

    /// The segment, of so many rows, came to nothing. Gives how many of them stay readable in its tail.
    pub fn abandon(&mut self, rows: usize) -> usize {
        let in_tail = if self.tail.take().is_some() { rows - self.unsaved.len() } else { 0 };
        self.unsaved.clear();
        in_tail
    }

    /// Without a tail the records are still on their way into the segment, which is what counts. A tail that
    /// found no room for a single one is taken away again.
    fn append(&mut self, path: &Path) {
        let is_new = self.tail.is_none();
        let made = self.tail.take().map_or_else(|| TailWriter::create::<R>(path), Ok);
        let appended = made.and_then(|mut tail| {
            let mut kept = tail.append(&self.unsaved);
            if self.durable && kept.is_ok() {
                kept = tail.sync().and_then(|()| if is_new { sync_folder_of(path) } else { Ok(()) });
            }
            if kept.is_ok() {
                self.unsaved.clear();
            }
            if tail.is_empty() { kept.map(|()| tail) } else { Ok(tail) }
        });
        match appended {
            Ok(tail) => self.tail = Some(tail),
            Err(_) => drop(fs::remove_file(path)),
        }
    }
}

/// Brings a file to the disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Brings the name of a file to the disk.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync)
}
