//! A folder of small files a thread.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use drivelab_block::{Instant, Payload as _, SMALL_FILE, Work};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, statat, syncfs, unlinkat};
use rustix::io::retry_on_intr;

use super::{Setting, Share, StartBarrier, Task, payload, unless_over};
use crate::in_place::{create, open_folder, write_all};
use crate::writer::PageBuffer;

/// Makes the folders, and the files that are there before the work begins.
pub(super) fn prepare(task: &Task, root: BorrowedFd<'_>, is_over: &dyn Fn() -> bool) -> io::Result<()> {
    let bytes = contents(task);
    for thread in 0..task.threads {
        mkdirat(root, folder_name(thread), Mode::RWXU)?;
        if task.work != Work::Create {
            let folder = open_folder(root, &folder_name(thread))?;
            for file in 0..task.files_each() {
                unless_over(is_over)?;
                make(&folder, file, &bytes)?;
            }
        }
    }
    Ok(())
}

/// Works in the thread's own folder. Each file is made, looked at or deleted once.
pub(super) fn work<N: Fn() -> Instant, S: Fn() -> bool>(
    setting: &Setting<'_, N, S>,
    start: &StartBarrier,
) -> io::Result<Share> {
    let task = setting.task;
    let opened = open_folder(setting.root, &folder_name(setting.thread));
    let folder = opened.inspect_err(|_| start.excuse())?;
    let bytes = contents(task);
    let order = order(setting);
    let step = |number: u64| {
        let Some(file) = usize::try_from(number).ok().and_then(|index| order.get(index)) else {
            return Ok(None);
        };
        match task.work {
            Work::Stat => statat(&folder, name(*file), AtFlags::SYMLINK_NOFOLLOW).map(|_| 0)?,
            Work::Delete => unlinkat(&folder, name(*file), AtFlags::empty()).map(|()| 0)?,
            _ => make(&folder, *file, &bytes).map(|()| SMALL_FILE.get())?,
        };
        Ok(Some(if task.work == Work::Create { SMALL_FILE.get() } else { 0 }))
    };
    let end = || if task.work.only_reads() { Ok(()) } else { Ok(retry_on_intr(|| syncfs(&folder))?) };
    setting.repeat(start, step, end)
}

/// Files are made in the order of their names, and found again in any.
fn order<N: Fn() -> Instant, S: Fn() -> bool>(setting: &Setting<'_, N, S>) -> Vec<u64> {
    let mut order: Vec<u64> = (0..setting.task.files_each()).collect();
    if setting.task.work != Work::Create {
        setting.seed("order of files").draw().shuffle(&mut order);
    }
    order
}

fn contents(task: &Task) -> Vec<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "a few kilobytes")]
    let mut buffer = PageBuffer::new(SMALL_FILE.get() as usize);
    payload(task.seed.child("files")).fill(buffer.bytes());
    buffer.bytes().to_vec()
}

fn folder_name(thread: u16) -> String {
    format!("small-{thread}")
}

fn name(file: u64) -> String {
    format!("file-{file}")
}

fn make(folder: &OwnedFd, file: u64, bytes: &[u8]) -> io::Result<()> {
    write_all(create(folder, &name(file), OFlags::empty())?.as_fd(), 0, bytes)
}
