//! A drive, or a file that is there already, written where it is claimed.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use drivelab_block::{ByteCount, ByteRange, Caching};
use drivelab_safety::WriteGrant;
use rustix::fs::{Advice, Mode, OFlags, fadvise, fcntl_getfl, fcntl_setfl, fsync, openat};
use rustix::io::{pwrite, retry_on_intr};

use crate::FilePlace;

/// Consecutive ranges of a claimed target. "Files" are ranges of their length, one behind the other.
///
/// The claim's own descriptor is switched between direct and buffered I/O, so that what was checked is what is written.
/// Nothing else may be done through it meanwhile.
#[derive(Debug)]
pub struct InPlace<'a> {
    grant: &'a WriteGrant,
    caching: Caching,
    range: ByteRange,
    file: ByteCount,
    at: u64,
}

impl<'a> InPlace<'a> {
    /// Ranges of `file` bytes from the first byte of `range` on, and none beyond its end.
    ///
    /// # Errors
    /// Where the target does no direct I/O and direct I/O was asked for.
    pub fn new(
        grant: &'a WriteGrant,
        caching: Caching,
        range: ByteRange,
        file: ByteCount,
    ) -> io::Result<InPlace<'a>> {
        switch(grant, caching == Caching::Direct)?;
        Ok(InPlace { grant, caching, range, file, at: range.start.get() })
    }
}

impl FilePlace for InPlace<'_> {
    fn begin(&mut self, file: u64) -> io::Result<()> {
        let start = file.saturating_mul(self.file.get()).saturating_add(self.range.start.get());
        let end = start.saturating_add(self.file.get());
        // The kernel would make a file longer.
        if end > self.range.end.get().min(self.grant.geometry().capacity.get()) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.at = start;
        Ok(())
    }

    fn write(&mut self, at: u64, piece: &[u8]) -> io::Result<()> {
        write_all(self.grant.as_fd(), self.at + at, piece)
    }

    fn end(&mut self) -> io::Result<()> {
        if self.caching == Caching::Buffered {
            retry_on_intr(|| fsync(self.grant.as_fd()))?;
        }
        Ok(())
    }
}

impl Drop for InPlace<'_> {
    /// Leaves no page in the cache, which the next path would have to throw out first, and the descriptor as it was.
    fn drop(&mut self) {
        if self.caching == Caching::Buffered {
            let length = NonZeroU64::new(self.range.length().get());
            let _ = fadvise(self.grant.as_fd(), self.range.start.get(), length, Advice::DontNeed);
        }
        let _ = switch(self.grant, self.grant.direct());
    }
}

/// Switches direct I/O on or off.
fn switch(grant: &WriteGrant, direct: bool) -> io::Result<()> {
    let flags = fcntl_getfl(grant)?;
    let wanted = if direct { flags | OFlags::DIRECT } else { flags.difference(OFlags::DIRECT) };
    if wanted != flags {
        fcntl_setfl(grant, wanted)?;
    }
    Ok(())
}

pub(crate) fn open_folder(at: impl AsFd, path: &(impl AsRef<Path> + ?Sized)) -> rustix::io::Result<OwnedFd> {
    openat(at, path.as_ref(), OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// What a file is opened with to be written past the page cache, if it is.
pub(crate) fn direct_flag(caching: Caching) -> OFlags {
    if caching == Caching::Direct { OFlags::DIRECT } else { OFlags::empty() }
}

/// Makes a file in a folder, to be written with these flags.
pub(crate) fn create(folder: impl AsFd, name: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | flags;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?)
}

/// Writes all of it, however little the kernel takes at once.
pub(crate) fn write_all(descriptor: BorrowedFd<'_>, mut at: u64, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        let written = retry_on_intr(|| pwrite(descriptor, piece, at))?;
        if written == 0 {
            return Err(io::Error::from(io::ErrorKind::WriteZero));
        }
        piece = &piece[written..];
        at += written as u64;
    }
    Ok(())
}
