//! Where a reader reads from: a drive, a file, or bytes in memory.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd as _;

use drivelab_safety::ReadAccess;
use drivelab_uring::Buffer;
use rustix::io::pread;

use crate::StreamError;

/// Something that can be read at any place.
pub trait Image {
    /// Fills `target` from `offset` on, as far as the image goes; how many bytes that were.
    ///
    /// # Errors
    /// Where the system cannot read: what lies there is damaged, and no reason to withhold all the rest.
    fn read_at(&self, offset: u64, target: &mut [u8]) -> io::Result<usize>;

    /// How long it is, in bytes.
    fn length(&self) -> u64;
}

impl Image for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, target: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let count = target.len().min(self.len() - start);
        target[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
}

/// The longest read at a time, in bytes.
const PIECE: usize = 1 << 20;

/// A drive or a file that was opened for reading.
pub struct TargetImage {
    access: ReadAccess,
    /// Memory that a read past the page cache can go to.
    piece: RefCell<Buffer>,
}

impl TargetImage {
    /// An image of what was opened.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn new(access: ReadAccess) -> Result<TargetImage, StreamError> {
        let mut buffers = Buffer::map(&[PIECE])?;
        let piece = buffers.pop().ok_or(StreamError::NoRecording)?;
        Ok(TargetImage { access, piece: RefCell::new(piece) })
    }
}

impl Image for TargetImage {
    fn length(&self) -> u64 {
        self.access.geometry.capacity.get()
    }

    fn read_at(&self, offset: u64, target: &mut [u8]) -> io::Result<usize> {
        let mut piece = self.piece.borrow_mut();
        let mut done = 0;
        while done < target.len() {
            let at = offset + done as u64;
            // Whole blocks, as direct I/O needs them; what is asked for begins at a multiple of 4 KiB anyway.
            let wanted = (target.len() - done).next_multiple_of(4096).min(PIECE);
            let count = match pread(self.access.as_fd(), &mut piece.bytes_mut()[..wanted], at) {
                Err(rustix::io::Errno::INTR) => continue,
                // Past the end of a file whose length is no multiple of a block.
                Err(rustix::io::Errno::INVAL) if at >= self.access.geometry.capacity.get() => 0,
                read => read?,
            };
            if count == 0 {
                break;
            }
            let part = count.min(target.len() - done);
            target[done..done + part].copy_from_slice(&piece.bytes()[..part]);
            done += part;
            if part < wanted.min(target.len() - done + part) {
                break;
            }
        }
        Ok(done)
    }
}
