//! The memory that I/O is done from: one buffer a slot, page-aligned, at addresses that never change.

use std::ptr::NonNull;

use drivelab_block::EngineError;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Buffers of equal length in one mapping of their own.
#[derive(Debug)]
pub struct Area {
    start: NonNull<u8>,
    length: usize,
    stride: usize,
}

// SAFETY: the mapping belongs to this value alone, and a mapping may be used from any thread.
unsafe impl Send for Area {}

/// Buffers begin at multiples of this: the page, which satisfies every drive's alignment.
const ALIGNMENT: usize = 4096;

impl Area {
    /// Maps `count` buffers of `bytes` each.
    pub fn map(count: usize, bytes: usize) -> Result<Area, EngineError> {
        let stride = bytes.max(1).next_multiple_of(ALIGNMENT);
        let length = stride
            .checked_mul(count)
            .ok_or_else(|| EngineError::new("queue depth x block size is more memory than there is"))?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private anonymous mapping touches no memory that exists.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE) };
        let start = start.map_err(|error| {
            let message = format!(
                "{length} bytes of buffers were refused: use a smaller --queue-depth or --block-size"
            );
            EngineError::from_io(message, error.into())
        })?;
        // Huge pages spare the kernel translations; a refusal costs a little speed and nothing else.
        // SAFETY: the range is the mapping made above, and the advice changes no contents.
        let _ = unsafe { madvise(start, length, Advice::LinuxHugepage) };
        // Only now, so that the pages that come are huge ones; before Linux 5.14 they come with the first I/O.
        // SAFETY: the same range, and the pages hold zeros whether they are there or not.
        let _ = unsafe { madvise(start, length, Advice::LinuxPopulateWrite) };
        let start =
            NonNull::new(start.cast()).ok_or_else(|| EngineError::new("the kernel mapped address zero"))?;
        Ok(Area { start, length, stride })
    }

    /// The address of a buffer.
    ///
    /// # Panics
    /// Where there is no such buffer.
    pub fn address(&self, slot: usize) -> *mut u8 {
        assert!((slot + 1) * self.stride <= self.length, "slot {slot} is beyond the buffers");
        // SAFETY: the assertion keeps the offset inside the mapping.
        unsafe { self.start.as_ptr().add(slot * self.stride) }
    }

    /// The address of a byte.
    ///
    /// # Panics
    /// Where it lies outside.
    pub fn pointer(&self, at: usize) -> NonNull<u8> {
        assert!(at < self.length, "byte {at} is beyond the buffers");
        // SAFETY: the assertion keeps the offset inside the mapping.
        unsafe { self.start.add(at) }
    }

    /// A buffer that the kernel is not using.
    pub fn buffer(&mut self, slot: usize) -> &mut [u8] {
        // SAFETY: the address is inside the mapping with `stride` bytes behind it, `&mut self` keeps other
        // borrows out, and the engine only asks for the buffer of a slot without an I/O in flight.
        unsafe { std::slice::from_raw_parts_mut(self.address(slot), self.stride) }
    }

    /// Every buffer as the kernel's registration wants it.
    pub fn vectors(&self) -> Vec<libc::iovec> {
        let count = self.length / self.stride;
        (0..count)
            .map(|slot| libc::iovec { iov_base: self.address(slot).cast(), iov_len: self.stride })
            .collect()
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map`, and nothing borrows from it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
