//! Reads and writes that are made together: one system call for several of them (`io_submit`).
//!
//! Where a target serves a request in the call that brings it, that call costs as much as a page of memory to copy.
//! The kernel's older asynchronous interface serves such requests one after the other in the call that brings them all,
//! where a ring would hand each to a worker.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use drivelab_block::{Op, Request};

/// The most requests of one call: each is stamped when the last one has ended, and with so many the call itself costs
/// no more than a hundredth of them.
pub const MAX_BATCH: usize = 32;
/// So many bytes are copied in the time of very many calls: no more are put together than reach it.
const BYTES: u64 = 256 << 10;

/// `struct io_event` of `linux/aio_abi.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct AioEvent {
    data: u64,
    block: u64,
    result: i64,
    second_result: i64,
}

/// `struct iocb` of `linux/aio_abi.h`, which not every C library has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct ControlBlock {
    data: u64,
    #[cfg(target_endian = "little")]
    key: u32,
    flags_of_operation: i32,
    #[cfg(target_endian = "big")]
    key: u32,
    operation: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// The requests of the next call, and the answers of the last.
pub struct AioBatch {
    context: libc::c_ulong,
    blocks: Vec<ControlBlock>,
    events: Vec<AioEvent>,
    bytes: u64,
}

impl AioBatch {
    /// Room for the requests of one call. The kernel may have no such interface, or none to spare (`fs.aio-max-nr`).
    pub fn new() -> io::Result<AioBatch> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the call writes one word, which is there.
        let made = unsafe { libc::syscall(libc::SYS_io_setup, MAX_BATCH, &raw mut context) };
        checked(made)?;
        Ok(AioBatch {
            context,
            blocks: Vec::with_capacity(MAX_BATCH),
            events: Vec::with_capacity(MAX_BATCH),
            bytes: 0,
        })
    }

    /// Whether another request is better left for the next call.
    pub fn is_full(&self) -> bool {
        self.blocks.len() == MAX_BATCH || self.bytes >= BYTES
    }

    /// How many requests the next call would hold.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Puts a read or a write of the buffer at `address` into the next call.
    pub fn push(&mut self, slot: u32, request: &Request, address: *mut u8) {
        debug_assert!(matches!(request.op, Op::Read | Op::Write) && !self.is_full());
        let length = request.extent.length.bytes().get();
        self.blocks.push(ControlBlock {
            data: u64::from(slot),
            operation: if request.op == Op::Read { PREAD } else { PWRITE },
            buffer: address as u64,
            bytes: length,
            offset: request.extent.start.byte_offset().cast_signed(),
            ..ControlBlock::default()
        });
        self.bytes += length;
    }

    /// Makes the requests and waits for all that the kernel took: the first of them, or none. An error says
    /// that the answers of what was taken cannot be had.
    ///
    /// # Safety
    /// The buffers are there, and no one else's, until this comes back; after an error until this value is gone.
    pub unsafe fn make(&mut self, target: BorrowedFd<'_>) -> io::Result<()> {
        self.events.clear();
        let mut pointers = [std::ptr::null_mut::<ControlBlock>(); MAX_BATCH];
        for (pointer, block) in pointers.iter_mut().zip(&mut self.blocks) {
            block.file = target.as_raw_fd().cast_unsigned();
            *pointer = block;
        }
        // SAFETY: there are as many pointers as are named, each to a block that stays, and the caller sees to the buffers.
        let taken = unsafe {
            libc::syscall(libc::SYS_io_submit, self.context, self.blocks.len(), pointers.as_mut_ptr())
        };
        // What the kernel says of the first one it does not take, it says of it alone as well, in a call of its own.
        self.wait_for(usize::try_from(taken).unwrap_or(0))
    }

    fn wait_for(&mut self, taken: usize) -> io::Result<()> {
        while self.events.len() < taken {
            let missing = taken - self.events.len();
            let forever = std::ptr::null_mut::<libc::timespec>();
            // SAFETY: no more requests were taken than the list has room for, so the missing answers fit behind
            // those that are there.
            let got = unsafe {
                let free = self.events.spare_capacity_mut().as_mut_ptr();
                libc::syscall(libc::SYS_io_getevents, self.context, missing, missing, free, forever)
            };
            match checked(got) {
                // SAFETY: the kernel wrote so many of them.
                Ok(got) => unsafe { self.events.set_len(self.events.len() + got.min(missing)) },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The slots of those that were made, and for each the bytes that came or the negated error.
    pub fn ended(&self) -> impl Iterator<Item = (u64, i32)> {
        self.events.iter().map(|event| (event.data, i32::try_from(event.result).unwrap_or(i32::MAX)))
    }

    /// Forgets all requests, after an error, and names their slots. They may be in flight until this value is gone.
    pub fn abandon(&mut self) -> impl Iterator<Item = u32> {
        self.events.clear();
        self.left()
    }

    /// Forgets the requests of this call, and names the slots of those that were not made, the last one first.
    pub fn left(&mut self) -> impl Iterator<Item = u32> {
        self.bytes = 0;
        let made = self.events.len();
        #[expect(clippy::cast_possible_truncation, reason = "it was a slot's number when it was pushed")]
        let slot = |block: ControlBlock| block.data as u32;
        self.blocks.drain(..).skip(made).rev().map(slot)
    }
}

/// `IOCB_CMD_PREAD` and `IOCB_CMD_PWRITE` of `linux/aio_abi.h`.
const PREAD: u16 = 0;
const PWRITE: u16 = 1;

fn checked(returned: libc::c_long) -> io::Result<usize> {
    usize::try_from(returned).map_err(|_| io::Error::last_os_error())
}

impl Drop for AioBatch {
    /// Waits for what is in flight, of which there is nothing but after an error.
    fn drop(&mut self) {
        // SAFETY: the context is this value's own, and not used again.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd as _;

    use drivelab_block::{Extent, Instant, PhaseId, QueueId, Sector, SectorCount};

    use super::*;

    fn read(start: u64) -> Request {
        let extent = Extent { start: Sector::new(start), length: SectorCount::new(8) };
        Request { intended_at: Instant::ORIGIN, extent, op: Op::Read, phase: PhaseId(0), queue: QueueId(0) }
    }

    /// A read of one page after the other, each into its own part of the buffers.
    fn push_reads(together: &mut AioBatch, buffers: &mut [u8]) {
        for (slot, buffer) in (0..).zip(buffers.chunks_exact_mut(4096)) {
            together.push(slot, &read(u64::from(slot) * 8), buffer.as_mut_ptr());
        }
    }

    #[test]
    fn those_behind_one_that_is_not_taken_are_left_in_order() {
        let Ok(mut together) = AioBatch::new() else {
            return drivelab_testbed::skipped("the kernel has no asynchronous I/O");
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("drive");
        std::fs::write(&path, vec![7; 4 * 4096]).expect("room on disk");
        let target = File::open(&path).expect("it is there");
        let mut buffers = vec![0_u8; 4 * 4096];
        push_reads(&mut together, &mut buffers);
        together.blocks[2].operation = u16::MAX;
        // SAFETY: the buffers stay, and are looked at when the call is over.
        unsafe { together.make(target.as_fd()) }.expect("answers");
        assert_eq!(together.left().collect::<Vec<u32>>(), [3, 2], "the last one first");
        let mut ended: Vec<(u64, i32)> = together.ended().collect();
        ended.sort_unstable();
        assert_eq!(ended, [(0, 4096), (1, 4096)]);
        assert_eq!((together.len(), together.bytes), (0, 0), "nothing is made again");
    }

    #[test]
    fn what_is_not_taken_is_left_and_what_is_taken_ends() {
        let Ok(mut together) = AioBatch::new() else {
            return drivelab_testbed::skipped("the kernel has no asynchronous I/O");
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("drive");
        std::fs::write(&path, vec![7; 3 * 4096]).expect("room on disk");
        let mut buffers = vec![0_u8; 4 * 4096];
        for target in [File::open(folder.path()), File::open(&path)].map(|file| file.expect("it is there")) {
            push_reads(&mut together, &mut buffers);
            // SAFETY: the buffers stay, and are looked at when the call is over.
            unsafe { together.make(target.as_fd()) }.expect("answers");
            let left: Vec<u32> = together.left().collect();
            let mut ended: Vec<(u64, i32)> = together.ended().collect();
            ended.sort_unstable();
            if target.metadata().expect("metadata").is_dir() {
                assert_eq!((left, ended), (vec![3, 2, 1, 0], vec![]), "a folder takes no reads");
            } else {
                assert_eq!((left, ended), (vec![], vec![(0, 4096), (1, 4096), (2, 4096), (3, 0)]));
            }
        }
        assert!(buffers[..3 * 4096].iter().all(|byte| *byte == 7));
    }
}
