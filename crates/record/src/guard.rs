//! What becomes of records until their segment is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::pace::Pace;
use crate::rows::Row;
use crate::syncer::{Syncer, sync_folder_of};
use crate::tail::TailWriter;

/// Keeps the records of the open segment in a tail, so that a kill costs those of a moment.
pub struct Guard<R> {
    tail: Option<TailWriter>,
    /// Records that are neither in a whole segment nor in the tail.
    unsaved: Vec<R>,
    pace: Pace,
    on_disk: OnDisk,
}

/// When what is in a tail is brought to the disk.
enum OnDisk {
    /// Whenever the system does: a power cut takes what is in its memory.
    Sometime,
    /// At once, but nothing waits for it.
    Soon(Syncer),
    /// At once, which is waited for.
    Now,
}

impl<R: Row> Guard<R> {
    /// Begins with the first segment.
    pub fn start() -> Guard<R> {
        Guard { tail: None, unsaved: Vec::new(), pace: Pace::start(), on_disk: OnDisk::Sometime }
    }

    /// Has each tail and each segment brought to the disk without waiting for it.
    pub fn sync_in_background(&mut self) {
        self.on_disk = Syncer::start().map_or(OnDisk::Sometime, OnDisk::Soon);
    }

    /// Makes records wait less, and brings each tail to the disk.
    pub fn survive_power_cuts(&mut self) {
        self.on_disk = OnDisk::Now;
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

    /// The segment is whole, at `whole`, and its tail at `path` superfluous.
    pub fn release(&mut self, whole: PathBuf, path: &Path) {
        let had_tail = self.tail.take().is_some();
        match &self.on_disk {
            OnDisk::Soon(syncer) => syncer.segment(whole, path.to_owned()),
            OnDisk::Sometime | OnDisk::Now if had_tail => drop(fs::remove_file(path)),
            OnDisk::Sometime | OnDisk::Now => {}
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

    /// Brings a tail to the disk, with its name where it is new.
    fn sync(&self, tail: &TailWriter, new: Option<&Path>) -> io::Result<()> {
        match &self.on_disk {
            OnDisk::Sometime => Ok(()),
            OnDisk::Soon(syncer) => {
                syncer.tail(tail.file()?, new.map(Path::to_owned));
                Ok(())
            }
            OnDisk::Now => tail.sync().and_then(|()| new.map_or(Ok(()), sync_folder_of)),
        }
    }

    /// Without a tail the records are still on their way into the segment, which is what counts. A tail that
    /// found no room for a single one is taken away again.
    fn append(&mut self, path: &Path) {
        let is_new = self.tail.is_none();
        let made = self.tail.take().map_or_else(|| TailWriter::create::<R>(path), Ok);
        let appended = made.and_then(|mut tail| {
            let mut kept = tail.append(&self.unsaved);
            if kept.is_ok() {
                kept = self.sync(&tail, is_new.then_some(path));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::fixture::completion;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a tail is due by the clock")]
    fn records_whose_tail_cannot_be_brought_to_the_disk_are_not_counted_as_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("000000.tail");
        // A device that takes every byte and has nothing to bring to a disk.
        symlink("/dev/null", &path).expect("a link");
        let mut guard = Guard::start();
        guard.survive_power_cuts();
        guard.add(&[completion(0)]);
        std::thread::sleep(Duration::from_millis(30));
        guard.keep_safe(&path);
        assert_eq!((guard.tail.is_some(), guard.abandon(1)), (true, 0));
    }
}
