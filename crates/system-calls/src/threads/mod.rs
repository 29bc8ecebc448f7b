//! The same work by several threads at once, each on a file, or in a folder of small files, of its own.

mod large;
mod small;

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use drivelab_block::{ByteCount, Caching, Instant, Nanos, Work};
use drivelab_safety::Released;
use drivelab_stats::Distribution;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::scratch::{Scratch, ScratchError};

/// The length of a step of random work.
pub const STEP: ByteCount = ByteCount::new(4096);

/// What the threads of a cell do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The kind of work.
    pub work: Work,
    /// Through the page cache or past it.
    pub caching: Caching,
    /// How many threads.
    pub threads: u16,
    /// What the large files of all threads hold together.
    pub bytes: ByteCount,
    /// The length of a sequential read or write.
    pub request: ByteCount,
    /// How many small files all threads have together.
    pub files: u64,
    /// When threads begin no further step, from the common start on.
    pub duration: Nanos,
    /// The seed of addresses, orders and data.
    pub seed: Seed,
}

/// What the threads did.
#[derive(Clone, Debug)]
pub struct Done {
    /// Steps: reads, writes, rewrites, files.
    pub operations: u64,
    /// Bytes that these moved; a rewrite counts once.
    pub bytes: u64,
    /// From the common start to the end of the last thread, with its `fsync`.
    pub elapsed: Nanos,
    /// How long each step took.
    pub latencies: Distribution,
}

/// The threads of one cell, and the file system that they work on.
#[derive(Debug)]
pub struct Crew {
    task: Task,
    /// Before the scratch, which goes last.
    root: OwnedFd,
    _scratch: Scratch,
}

pub(crate) struct Share {
    started_at: Instant,
    ended_at: Instant,
    operations: u64,
    bytes: u64,
    latencies: Distribution,
}

/// What a thread is given besides its task.
pub(crate) struct Setting<'a, N, S> {
    task: &'a Task,
    root: BorrowedFd<'a>,
    thread: u16,
    now: &'a N,
    is_over: &'a S,
}

impl Task {
    /// What each thread's file holds: whole steps and requests, and at least one.
    pub(crate) fn file_bytes(&self) -> u64 {
        let unit = self.request.get().max(STEP.get());
        (self.bytes.get() / u64::from(self.threads.max(1)) / unit).max(1) * unit
    }

    pub(crate) fn files_each(&self) -> u64 {
        (self.files / u64::from(self.threads.max(1))).max(1)
    }
}

impl Crew {
    /// Makes what the work needs to be there already, and sees that nothing of it is cached.
    ///
    /// # Errors
    /// [`ScratchError`], where there is no room for it, for one, or `is_over` says so.
    pub fn ready(
        drive: &Released,
        scratch: Scratch,
        task: Task,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Crew, ScratchError> {
        let failed = |what| move |error| ScratchError::Environment(format!("{what}: {error}"));
        let not_opened = failed("the new file system could not be opened");
        let not_made = failed("the files of the threads could not be made");
        let root = scratch.root().map_err(not_opened)?;
        let prepare = if task.work.is_metadata() { small::prepare } else { large::prepare };
        prepare(&task, root.as_fd(), is_over).map_err(not_made)?;
        drop(root);
        let scratch = scratch.mounted_anew(drive)?;
        Ok(Crew { task, root: scratch.root().map_err(not_opened)?, _scratch: scratch })
    }

    /// Has the threads work until their duration is over, or `is_over` says so, or all is done.
    ///
    /// # Errors
    /// What a thread found wrong.
    pub fn work(
        &self,
        now: impl Fn() -> Instant + Sync,
        is_over: impl Fn() -> bool + Sync,
    ) -> Result<Done, ScratchError> {
        let start = StartBarrier::new(self.task.threads);
        let shares: Vec<io::Result<Share>> = thread::scope(|scope| {
            let begin = |thread| {
                let (start, now, is_over) = (&start, &now, &is_over);
                let setting = Setting { task: &self.task, root: self.root.as_fd(), thread, now, is_over };
                let work = if setting.task.work.is_metadata() { small::work } else { large::work };
                let begun = thread::Builder::new().spawn_scoped(scope, move || work(&setting, start));
                begun.inspect_err(|_| start.excuse())
            };
            let threads: Vec<_> = (0..self.task.threads).map(begin).collect();
            threads
                .into_iter()
                .map(|thread| thread?.join().map_err(|_| io::Error::other("a thread ended"))?)
                .collect()
        });
        let failed = |error| ScratchError::Environment(format!("a thread could not do its work: {error}"));
        let shares: Vec<Share> = shares.into_iter().collect::<io::Result<_>>().map_err(failed)?;
        Ok(together(&shares))
    }
}

fn together(shares: &[Share]) -> Done {
    let started_at = shares.iter().map(|share| share.started_at).min().unwrap_or(Instant::ORIGIN);
    let ended_at = shares.iter().map(|share| share.ended_at).max().unwrap_or(started_at);
    let mut latencies = Distribution::default();
    shares.iter().for_each(|share| latencies.merge(&share.latencies));
    Done {
        operations: shares.iter().map(|share| share.operations).sum(),
        bytes: shares.iter().map(|share| share.bytes).sum(),
        elapsed: ended_at.since(started_at),
        latencies,
    }
}

impl<N: Fn() -> Instant, S: Fn() -> bool> Setting<'_, N, S> {
    /// Repeats a step until the time is over, or a step says that there is no further one; then ends what was begun.
    /// `step` tells the bytes that it moved.
    fn repeat(
        &self,
        start: &StartBarrier,
        mut step: impl FnMut(u64) -> io::Result<Option<u64>>,
        end: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<Share> {
        let mut latencies = Distribution::default();
        start.pass();
        let started_at = (self.now)();
        let (mut before, mut operations, mut bytes) = (started_at, 0, 0);
        while before.since(started_at) < self.task.duration && !(self.is_over)() {
            let Some(moved) = step(operations)? else { break };
            let after = (self.now)();
            latencies.add(after.since(before).get());
            (before, operations, bytes) = (after, operations + 1, bytes + moved);
        }
        end()?;
        Ok(Share { started_at, ended_at: (self.now)(), operations, bytes, latencies })
    }

    fn seed(&self, purpose: &str) -> Seed {
        self.task.seed.child(purpose).numbered(u64::from(self.thread))
    }
}

/// Ends what takes long where `is_over` says so.
fn unless_over(is_over: &dyn Fn() -> bool) -> io::Result<()> {
    if is_over() { Err(io::Error::other("it was given up")) } else { Ok(()) }
}

/// Data that neither a file system nor a drive can make smaller.
fn payload(seed: Seed) -> Incompressible {
    Incompressible::new(seed, Compressibility::default())
}

/// Opens when everybody who is expected has come, or was excused.
struct StartBarrier {
    expected: Mutex<u16>,
    opened: Condvar,
}

impl StartBarrier {
    fn new(expected: u16) -> StartBarrier {
        StartBarrier { expected: Mutex::new(expected), opened: Condvar::new() }
    }

    /// Waits for the others.
    fn pass(&self) {
        self.excuse();
        let expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        let _opened = self.opened.wait_while(expected, |expected| *expected > 0);
    }

    /// Says that one of those who are expected does not come, so that nobody waits for it.
    fn excuse(&self) {
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        *expected = expected.saturating_sub(1);
        if *expected == 0 {
            self.opened.notify_all();
        }
    }
}
