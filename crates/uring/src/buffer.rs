//! Buffers that are handed on: each belongs to one owner at a time, who alone may touch it.

use std::ptr::NonNull;
use std::sync::Arc;

use drivelab_block::EngineError;

use crate::area::Area;

/// A buffer of page-aligned memory at an address that never changes.
///
/// Whoever has it owns its bytes; given to a [`BlockWriter`](crate::BlockWriter) it comes back when the kernel is
/// done with it. All buffers of one making lie in one mapping, which goes with the last of them.
#[derive(Debug)]
pub struct Buffer {
    /// Keeps the memory: the bytes are reached through `start`.
    _mapping: Arc<BufferMemory>,
    number: u16,
    start: NonNull<u8>,
    length: usize,
}

/// The memory of all buffers, which nobody touches but through a buffer.
#[derive(Debug)]
struct BufferMemory(Area);

// SAFETY: the mapping is only kept alive through shared references; bytes are reached through buffers, each of
// which is the only one for its range.
unsafe impl Sync for BufferMemory {}

// SAFETY: a buffer is the only way to its range of the mapping, and a mapping may be used from any thread.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Makes buffers of these lengths, numbered from 0 in this order.
    ///
    /// # Errors
    /// Where there are more than 16,384 (the kernel registers no more), or not that much memory.
    pub fn map(lengths: &[usize]) -> Result<Vec<Buffer>, EngineError> {
        if lengths.len() > REGISTERED_MAX {
            let message =
                format!("{} buffers are more than {REGISTERED_MAX}, all that a ring takes", lengths.len());
            return Err(EngineError::new(message));
        }
        let strides = lengths.iter().map(|length| length.max(&1).next_multiple_of(PAGE));
        let total = strides.clone().try_fold(0_usize, usize::checked_add);
        let total = total.ok_or_else(|| EngineError::new("the buffers are more memory than there is"))?;
        let mapping = Arc::new(BufferMemory(Area::map(1, total)?));
        let mut at = 0;
        let of = |((number, length), stride): ((usize, &usize), usize)| {
            let start = mapping.0.pointer(at);
            at += stride;
            #[expect(clippy::cast_possible_truncation, reason = "at most REGISTERED_MAX")]
            let number = number as u16;
            Buffer { _mapping: Arc::clone(&mapping), number, start, length: *length }
        };
        Ok(lengths.iter().enumerate().zip(strides).map(of).collect())
    }

    /// Its number among those it was made with.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the range is this buffer's alone and lies in the mapping, which lives at least as long.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// Its bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` keeps every other borrow out.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The range as the kernel's registration wants it.
    pub(crate) fn vector(&self) -> libc::iovec {
        libc::iovec { iov_base: self.start.as_ptr().cast(), iov_len: self.length }
    }
}

const PAGE: usize = 4096;
/// `IORING_MAX_REG_BUFFERS`.
const REGISTERED_MAX: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_one_mapping_do_not_overlap() {
        let mut buffers = Buffer::map(&[4096, 100, 8192]).expect("memory");
        for (buffer, mark) in buffers.iter_mut().zip(1..) {
            buffer.bytes_mut().fill(mark);
        }
        for (buffer, mark) in buffers.iter().zip(1..) {
            assert!(buffer.bytes().iter().all(|byte| *byte == mark));
            assert_eq!(buffer.address() as usize % PAGE, 0);
        }
        assert_eq!(buffers[1].bytes().len(), 100);
    }
}
