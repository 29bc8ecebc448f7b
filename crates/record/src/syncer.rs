//! Brings the files of records to the disk on a thread of its own, so that the thread that keeps records does not wait.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Brings files to the disk, in the order in which they come. Its end is waited for where it is dropped.
///
/// Errors are no error of the run: the records are in their files, and only a power cut may take them.
#[derive(Debug)]
pub struct Syncer {
    jobs: Option<Sender<SyncJob>>,
    thread: Option<JoinHandle<()>>,
}

/// What is to be brought to the disk.
#[derive(Debug)]
pub enum SyncJob {
    /// The name of a segment that begins.
    Name { path: PathBuf },
    /// The row groups that a segment has until now, before the tail that names them.
    Groups { file: File },
    /// What a tail holds, and its name where the tail is new.
    Tail { file: File, new: Option<PathBuf> },
    /// A whole segment; its tail is superfluous only then.
    Segment { whole: PathBuf, tail: PathBuf },
}

impl Syncer {
    /// Starts the thread; `None` where there can be none.
    pub fn start() -> Option<Syncer> {
        let (jobs, waiting) = channel();
        let thread =
            std::thread::Builder::new().name("sync-records".to_owned()).spawn(move || work(&waiting));
        Some(Syncer { jobs: Some(jobs), thread: Some(thread.ok()?) })
    }

    /// Takes a job, which is carried out behind those before it.
    pub fn send(&self, job: SyncJob) {
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.jobs.take();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn work(waiting: &Receiver<SyncJob>) {
    while let Ok(first) = waiting.recv() {
        let mut jobs: VecDeque<SyncJob> = std::iter::once(first).chain(waiting.try_iter()).collect();
        while let Some(job) = jobs.pop_front() {
            // On a slow disk syncs queue up, of which the last one of a file does the work of all.
            if !is_superseded(&job, &jobs) {
                let _ = job.carry_out();
                jobs.extend(waiting.try_iter());
            }
        }
    }
}

/// Whether a later job brings the same file to the disk. A file is that of the jobs before until a segment is whole.
fn is_superseded(job: &SyncJob, later: &VecDeque<SyncJob>) -> bool {
    let mut of_segment = later.iter().take_while(|later| !matches!(later, SyncJob::Segment { .. }));
    match job {
        SyncJob::Tail { new: None, .. } => of_segment.any(|later| matches!(later, SyncJob::Tail { .. })),
        SyncJob::Groups { .. } => of_segment.any(|later| matches!(later, SyncJob::Groups { .. })),
        SyncJob::Tail { .. } | SyncJob::Name { .. } | SyncJob::Segment { .. } => false,
    }
}

impl SyncJob {
    /// Brings it to the disk, and waits for that.
    fn carry_out(&self) -> io::Result<()> {
        match self {
            SyncJob::Name { path } => sync_folder_of(path),
            SyncJob::Groups { file } => file.sync_data(),
            SyncJob::Tail { file, new } => {
                // Of a tail the name is brought there once: also where its rows could not be.
                let rows = file.sync_data();
                let name = new.as_deref().map_or(Ok(()), sync_folder_of);
                rows.and(name)
            }
            SyncJob::Segment { whole, tail } => {
                // Where the segment may not be there after a power cut, its tail stays.
                sync(whole).and_then(|()| sync_folder_of(whole))?;
                fs::remove_file(tail)
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder, and in it the paths of a segment and of a tail; the tail is there.
    fn with_tail() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [whole, tail] = ["000000.parquet", "000000.tail"].map(|name| folder.path().join(name));
        fs::write(&tail, "records").expect("room on disk");
        (folder, whole, tail)
    }

    #[test]
    fn what_is_not_there_is_not_on_the_disk() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let absent = folder.path().join("folder/000000.parquet");
        sync(&absent).expect_err("there is no such file");
        sync_folder_of(&absent).expect_err("there is no such folder");
    }

    #[test]
    fn a_tail_goes_only_where_its_segment_is_on_the_disk() {
        for is_there in [false, true] {
            let (_folder, whole, tail) = with_tail();
            if is_there {
                fs::write(&whole, "records").expect("room on disk");
            }
            let syncer = Syncer::start().expect("a thread");
            syncer.send(SyncJob::Segment { whole, tail: tail.clone() });
            drop(syncer);
            assert_eq!(tail.exists(), !is_there);
        }
    }

    #[test]
    fn a_segment_is_not_forgotten_where_the_next_tail_waits_already() {
        let (_folder, whole, tail) = with_tail();
        fs::write(&whole, "records").expect("room on disk");
        let file = File::open(&whole).expect("the segment");
        let (jobs, waiting) = channel();
        for job in [SyncJob::Segment { whole, tail: tail.clone() }, SyncJob::Tail { file, new: None }] {
            jobs.send(job).expect("the other end is there");
        }
        drop(jobs);
        work(&waiting);
        assert!(!tail.exists(), "the segment is whole");
    }
}
