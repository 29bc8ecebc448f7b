//! One large file a thread, as tiobench and bonnie++ have them.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use drivelab_block::{Caching, Instant, Payload as _, Work};
use drivelab_workload::{Draw, Incompressible};
use rustix::fs::{Advice, Mode, OFlags, fadvise, fsync, ftruncate, openat};
use rustix::io::{pread, retry_on_intr};

use super::{STEP, Setting, Share, StartBarrier, Task, payload, unless_over};
use crate::in_place::{create, direct_flag, write_all};
use crate::writer::{PageBuffer, as_request};

/// The length of a write while files are made that are to be read.
const PIECE: usize = 1 << 20;

/// Makes the files that are there before the work begins: one after the other, so that each lies together.
pub(super) fn prepare(task: &Task, root: BorrowedFd<'_>, is_over: &dyn Fn() -> bool) -> io::Result<()> {
    if task.work == Work::SeqWrite {
        return Ok(());
    }
    let mut data = payload(task.seed.child("files"));
    let mut buffer = PageBuffer::new(PIECE);
    data.fill(buffer.bytes());
    for thread in 0..task.threads {
        let file = create(root, &name(thread), OFlags::empty())?;
        let (length, mut at) = (task.file_bytes(), 0);
        while at < length {
            unless_over(is_over)?;
            let bytes = (PIECE as u64).min(length - at);
            data.stamp(&as_request(u64::from(thread) * length + at, bytes), buffer.bytes());
            #[expect(clippy::cast_possible_truncation, reason = "at most the buffer's length")]
            write_all(file.as_fd(), at, &buffer.bytes()[..bytes as usize])?;
            at += bytes;
        }
        retry_on_intr(|| fsync(&file))?;
    }
    Ok(())
}

pub(super) fn work<N: Fn() -> Instant, S: Fn() -> bool>(
    setting: &Setting<'_, N, S>,
    start: &StartBarrier,
) -> io::Result<Share> {
    let opened = Large::open(setting);
    let mut large = opened.inspect_err(|_| start.excuse())?;
    let ends_with_fsync = setting.task.caching == Caching::Buffered && !setting.task.work.only_reads();
    let file = large.file.try_clone().inspect_err(|_| start.excuse())?;
    setting.repeat(
        start,
        |_| large.step().map(Some),
        || if ends_with_fsync { Ok(retry_on_intr(|| fsync(&file))?) } else { Ok(()) },
    )
}

struct Large<'a> {
    task: &'a Task,
    file: OwnedFd,
    length: u64,
    /// Bytes of a step.
    step: u64,
    at: u64,
    buffer: PageBuffer,
    payload: Incompressible,
    draw: Draw,
}

impl<'a> Large<'a> {
    fn open<N: Fn() -> Instant, S: Fn() -> bool>(setting: &Setting<'a, N, S>) -> io::Result<Large<'a>> {
        let task = setting.task;
        let direct = direct_flag(task.caching);
        let file = if task.work == Work::SeqWrite {
            create(setting.root, &name(setting.thread), direct)?
        } else {
            let flags = if task.work.only_reads() { OFlags::RDONLY } else { OFlags::RDWR };
            openat(setting.root, name(setting.thread), flags | direct | OFlags::CLOEXEC, Mode::empty())?
        };
        let step = if task.work.is_random() { STEP.get() } else { task.request.get() };
        let mut payload = payload(setting.seed("data"));
        let mut buffer = PageBuffer::new(usize::try_from(step).map_err(io::Error::other)?);
        payload.fill(buffer.bytes());
        let (length, draw) = (task.file_bytes(), setting.seed("addresses").draw());
        Ok(Large { task, file, length, step, at: 0, buffer, payload, draw })
    }

    /// One step, and how many bytes it moved.
    fn step(&mut self) -> io::Result<u64> {
        let at = self.place()?;
        if matches!(self.task.work, Work::SeqRead | Work::RandomRead | Work::Rewrite) {
            read_all(self.file.as_fd(), at, self.buffer.bytes())?;
        }
        if !self.task.work.only_reads() {
            self.payload.stamp(&as_request(at, self.step), self.buffer.bytes());
            write_all(self.file.as_fd(), at, self.buffer.bytes())?;
        }
        Ok(self.step)
    }

    /// Where the next step goes. A file that was gone through is begun again as if it never had been: what was written is
    /// on the drive, and what was read is not cached.
    fn place(&mut self) -> io::Result<u64> {
        if self.task.work.is_random() {
            return Ok(self.draw.below(self.length / self.step) * self.step);
        }
        if self.at + self.step > self.length {
            self.begin_again()?;
        }
        self.at += self.step;
        Ok(self.at - self.step)
    }

    fn begin_again(&mut self) -> io::Result<()> {
        self.at = 0;
        if self.task.caching == Caching::Buffered && !self.task.work.only_reads() {
            retry_on_intr(|| fsync(&self.file))?;
        }
        if self.task.work == Work::SeqWrite {
            retry_on_intr(|| ftruncate(&self.file, 0))?;
        } else if self.task.caching == Caching::Buffered {
            fadvise(&self.file, 0, NonZeroU64::new(self.length), Advice::DontNeed)?;
        }
        Ok(())
    }
}

fn name(thread: u16) -> String {
    format!("large-{thread}")
}

/// Reads all of it, however little the kernel gives at once.
fn read_all(file: BorrowedFd<'_>, mut at: u64, mut piece: &mut [u8]) -> io::Result<()> {
    while !piece.is_empty() {
        let read = retry_on_intr(|| pread(file, &mut *piece, at))?;
        if read == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        piece = &mut piece[read..];
        at += read as u64;
    }
    Ok(())
}
