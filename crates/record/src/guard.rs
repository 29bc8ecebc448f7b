//! What becomes of records until their segment is whole.

use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::pace::SyncPace;
use crate::rows::{Columns as _, Row};
use crate::segment::SegmentWriter;
use crate::syncer::{SyncJob, Syncer, sync_folder_of};
use crate::tail::TailWriter;

/// Keeps the records of the open segment readable by way of a tail, so that a kill costs those of a moment.
///
/// The tail says where the row groups are that the segment has already, and holds the records that are in none.
pub struct Guard<R> {
    tail: Option<TailWriter>,
    readable: Readable,
    /// Rows of the row groups that the tail names.
    named: u64,
    pace: SyncPace,
    on_disk: OnDisk,
    row: PhantomData<R>,
}

/// What of a segment that is not whole can be read by way of its tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// Rows from its begin.
    pub rows: u64,
    /// Whether the tail names row groups in the segment's own file.
    pub needs_segment: bool,
}

/// The open segment.
pub struct OpenSegment<'a, R: Row> {
    /// Its row groups, where there are any.
    pub groups: Option<&'a mut SegmentWriter>,
    /// The rows behind them.
    pub columns: &'a R::Columns,
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
        let (readable, pace) = (Readable::default(), SyncPace::start());
        Guard { tail: None, readable, named: 0, pace, on_disk: OnDisk::Sometime, row: PhantomData }
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

    /// The length of the tail.
    pub fn tail_bytes(&self) -> u64 {
        self.tail.as_ref().map_or(0, |tail| tail.bytes)
    }

    /// Makes records that have waited long enough readable by way of the tail at `path`.
    pub fn keep_safe(&mut self, path: &Path, mut open: OpenSegment<'_, R>) {
        if !self.pace.is_tail_due() {
            return;
        }
        if self.readable.rows < open.rows() {
            self.append(path, &mut open);
        }
        self.pace.everything_is_safe();
    }

    /// The segment is whole, at `whole`, and its tail at `path` superfluous.
    pub fn release(&mut self, whole: PathBuf, path: &Path) {
        let had_tail = self.tail.take().is_some();
        match &self.on_disk {
            OnDisk::Soon(syncer) => syncer.send(SyncJob::Segment { whole, tail: path.to_owned() }),
            OnDisk::Sometime | OnDisk::Now if had_tail => drop(fs::remove_file(path)),
            OnDisk::Sometime | OnDisk::Now => {}
        }
        self.forget();
        self.pace.everything_is_safe();
    }

    /// The segment came to nothing. Gives what of it stays readable.
    pub fn abandon(&mut self) -> Readable {
        self.tail = None;
        let readable = self.readable;
        self.forget();
        readable
    }

    fn forget(&mut self) {
        self.readable = Readable::default();
        self.named = 0;
    }

    /// Without a tail the records still come into the segment, so that an error is none of the run. A tail that found no room
    /// for a single one is taken away again.
    fn append(&mut self, path: &Path, open: &mut OpenSegment<'_, R>) {
        let is_new = self.tail.is_none();
        let made = self.tail.take().map_or_else(|| TailWriter::create::<R>(path), Ok);
        let appended = made.and_then(|mut tail| {
            let kept = self.append_to(&mut tail, open, is_new.then_some(path));
            if tail.is_empty() { kept.map(|()| tail) } else { Ok(tail) }
        });
        match appended {
            Ok(tail) => self.tail = Some(tail),
            Err(_) => drop(fs::remove_file(path)),
        }
    }

    /// Appends what is new: the row groups, and then the rows behind them.
    fn append_to(
        &mut self,
        tail: &mut TailWriter,
        open: &mut OpenSegment<'_, R>,
        new: Option<&Path>,
    ) -> io::Result<()> {
        let (grouped, rows) = (open.grouped(), open.columns.rows());
        if let Some(segment) = open.groups.as_deref_mut().filter(|_| self.named < grouped) {
            let groups = segment.groups()?;
            // The tail that names them is brought to the disk after them; where the system writes it back earlier and the power
            // is cut meanwhile, they count as never written.
            self.bring_to_disk(
                || segment.file()?.sync_data(),
                || Ok(SyncJob::Groups { file: segment.file()? }),
            )?;
            tail.append_groups(&groups)?;
            self.named = grouped;
            self.readable.needs_segment = true;
        }
        let first = usize::try_from(self.readable.rows.saturating_sub(grouped)).unwrap_or(rows);
        let appended = if first < rows {
            tail.append_rows(open.columns, first..rows, grouped + first as u64)
        } else {
            Ok(())
        };
        // Where there was no room for the rows, the row groups count all the same.
        self.bring_to_disk(
            || tail.file.sync_data().and_then(|()| new.map_or(Ok(()), sync_folder_of)),
            || Ok(SyncJob::Tail { file: tail.file.try_clone()?, new: new.map(Path::to_owned) }),
        )?;
        self.readable.rows = if appended.is_ok() { open.rows() } else { self.readable.rows.max(grouped) };
        appended
    }

    /// A segment begins at `path`: its name has to be on the disk before a tail names what is in it.
    pub fn begin_segment(&self, path: &Path) {
        // Where that fails, the records of its tail are still there.
        let _ = self.bring_to_disk(|| sync_folder_of(path), || Ok(SyncJob::Name { path: path.to_owned() }));
    }

    /// Brings something to the disk: `now` waits for it, and `job` is what the thread of the syncer does.
    fn bring_to_disk(
        &self,
        now: impl FnOnce() -> io::Result<()>,
        job: impl FnOnce() -> io::Result<SyncJob>,
    ) -> io::Result<()> {
        match &self.on_disk {
            OnDisk::Sometime => Ok(()),
            OnDisk::Soon(syncer) => {
                syncer.send(job()?);
                Ok(())
            }
            OnDisk::Now => now(),
        }
    }
}

impl<R: Row> OpenSegment<'_, R> {
    /// Rows in row groups.
    fn grouped(&self) -> u64 {
        self.groups.as_ref().map_or(0, |segment| segment.rows)
    }

    fn rows(&self) -> u64 {
        self.grouped() + self.columns.rows() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::CompletionColumns;
    use crate::rows::completion::fixture::completion;
    use drivelab_block::Completion;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a tail is due by the clock")]
    fn records_whose_tail_cannot_be_brought_to_the_disk_are_not_counted_as_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("000000.tail");
        // A device that takes every byte and has nothing to bring to a disk.
        symlink("/dev/null", &path).expect("a link");
        let mut guard = Guard::<Completion>::start();
        guard.survive_power_cuts();
        let mut columns = CompletionColumns::default();
        columns.extend(&[completion(0)]);
        std::thread::sleep(Duration::from_millis(30));
        guard.keep_safe(&path, OpenSegment { groups: None, columns: &columns });
        assert_eq!((guard.tail.is_some(), guard.abandon()), (true, Readable::default()));
    }
}
