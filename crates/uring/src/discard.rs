//! Discards of a block device, by a command of the ring or by the older system call, and holes in files.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd};

use drivelab_block::{Request, Status};
use drivelab_safety::{Identity, WriteGrant};
use io_uring::{IoUring, Probe, opcode, squeue, types};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::retry_on_intr;

/// `BLOCK_URING_CMD_DISCARD` of `linux/blkdev.h`: `_IO(0x12, 0)`, Linux 6.12 and later.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;
/// `BLKDISCARD` of `linux/fs.h`: `_IO(0x12, 119)`, which every kernel has.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// A discard as a command of the ring: it takes the offset where others take an address, and the length as its
/// first word.
pub fn command(file: types::Fd, offset: u64, length: u64) -> squeue::Entry {
    let mut command = [0; 16];
    command[..8].copy_from_slice(&length.to_ne_bytes());
    opcode::UringCmd16::new(file, BLOCK_URING_CMD_DISCARD).addr(Some(offset)).cmd(command).build()
}

/// Asks whether a ring takes discards for this device, with one of no bytes: a kernel that knows the command
/// calls that invalid, one that does not says so. Asked on a ring of its own, which a late answer does not disturb.
pub fn offered(device: BorrowedFd<'_>) -> io::Result<()> {
    let mut ring = IoUring::new(1)?;
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe)?;
    if !probe.is_supported(opcode::UringCmd16::CODE) {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    let nothing = command(types::Fd(device.as_raw_fd()), 0, 0);
    // SAFETY: the entry refers to no memory.
    unsafe { ring.submission().push(&nothing) }.map_err(io::Error::other)?;
    while ring.completion().is_empty() {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
    match ring.completion().next().map_or(0, |entry| entry.result()) {
        0 | NOTHING_TO_DO => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// What a kernel that takes discards says of one without a length.
const NOTHING_TO_DO: i32 = -libc::EINVAL;

/// Discards and waits for the end of it.
pub fn by_system_call(device: BorrowedFd<'_>, request: &Request) -> Status {
    let range = [request.extent.start.byte_offset(), request.extent.length.bytes().get()];
    match of_range(device, range) {
        Ok(()) => Status::OK,
        Err(error) => Status::errno(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}

/// The same of a range, offset and length in bytes.
fn of_range(device: BorrowedFd<'_>, range: [u64; 2]) -> io::Result<()> {
    loop {
        // SAFETY: the call reads two words, offset and length, and keeps no reference to them.
        if unsafe { libc::ioctl(device.as_raw_fd(), BLKDISCARD, range.as_ptr()) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Punches a hole into a file, offset and length in bytes.
pub fn hole(file: BorrowedFd<'_>, offset: u64, length: u64) -> rustix::io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    retry_on_intr(|| fallocate(file, flags, offset, length))
}

/// Discards a range of a claimed target, offset and length in bytes, and waits for the end of it: a file gets a hole.
///
/// # Errors
/// What the kernel says instead; `EOPNOTSUPP` where it passes none on.
pub fn discard_range(grant: &WriteGrant, offset: u64, length: u64) -> io::Result<()> {
    match grant.identity() {
        Identity::Drive(_) => of_range(grant.as_fd(), [offset, length]),
        Identity::File(_) => Ok(hole(grant.as_fd(), offset, length)?),
    }
}
