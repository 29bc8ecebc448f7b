//! What an engine may do to its target.

use std::fs::{read_link, read_to_string};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;

use drivelab_block::{EngineError, Geometry, Op, OpSet};
use drivelab_safety::{Identity, ReadAccess, WriteGrant};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat, fstatfs, major, minor};
use rustix::io::{Errno, IoSliceMut, ReadWriteFlags, preadv2};

/// A target that was opened by the safety rules: for reading, or for writing too.
///
/// The descriptor is the one that was checked, and it lives as long as any engine uses it.
#[derive(Clone, Debug)]
pub enum Access {
    /// Nothing can be written.
    Read(Arc<ReadAccess>),
    /// The target is claimed.
    Write(Arc<WriteGrant>),
}

impl Access {
    /// Size and block sizes of the target.
    pub fn geometry(&self) -> Geometry {
        match self {
            Access::Read(access) => access.geometry,
            Access::Write(grant) => grant.geometry(),
        }
    }

    /// Whether I/O bypasses the page cache.
    pub fn direct(&self) -> bool {
        match self {
            Access::Read(access) => access.direct,
            Access::Write(grant) => grant.direct(),
        }
    }

    /// Who the target is.
    pub fn identity(&self) -> &Identity {
        match self {
            Access::Read(access) => &access.identity,
            Access::Write(grant) => grant.identity(),
        }
    }

    /// The descriptor that was checked.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Access::Read(access) => access.as_fd(),
            Access::Write(grant) => grant.as_fd(),
        }
    }

    /// Whether the target cannot do I/O without making its caller wait (zram, tmpfs and others): the kernel
    /// says so to a read that must not wait.
    pub(crate) fn always_waits(&self) -> bool {
        let mut sector = [0; 1];
        let mut buffers = [IoSliceMut::new(&mut sector)];
        preadv2(self.descriptor(), &mut buffers, 0, ReadWriteFlags::NOWAIT) == Err(Errno::OPNOTSUPP)
    }

    /// Whether the target serves a request in the call that brings it, by the processor that makes the call, and
    /// always: a file in memory, or a zram device without a device behind it.
    pub(crate) fn serves_in_the_call(&self) -> bool {
        let file_system = fstatfs(self.descriptor()).map(|found| found.f_type);
        let Ok(found) = fstat(self.descriptor()) else { return false };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => file_system.is_ok_and(|number| number == TMPFS_MAGIC),
            FileType::BlockDevice => is_zram_in_memory(major(found.st_rdev), minor(found.st_rdev)),
            _ => false,
        }
    }

    /// Asks the kernel to note no access times: it looks at the clock and the inode for every read otherwise.
    /// Only the target's owner may; for others reads stay as they are.
    pub(crate) fn leave_access_times(&self) -> io::Result<()> {
        let flags = fcntl_getfl(self.descriptor())?;
        Ok(fcntl_setfl(self.descriptor(), flags | OFlags::NOATIME)?)
    }

    /// Refuses a phase that would write where only reading was cleared.
    pub(crate) fn check(&self, ops: OpSet) -> Result<(), EngineError> {
        match self {
            Access::Read(_) if ops.is_destructive() => {
                let op = if ops.contains(Op::Write) { Op::Write } else { Op::Discard };
                Err(EngineError::new(format!("the target was opened for reading only: it takes no {op}")))
            }
            _ => Ok(()),
        }
    }
}

/// `TMPFS_MAGIC` of `linux/magic.h`.
const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

/// A zram device may have a backing device, to which it writes pages that are cold or do not compress.
fn is_zram_in_memory(major: u32, minor: u32) -> bool {
    let device = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let named_zram = read_link(&device)
        .is_ok_and(|link| link.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"zram")));
    // A kernel built without backing devices has no such attribute.
    let backing = read_to_string(device.join("backing_dev"));
    named_zram && backing.map_or(true, |backing| backing.trim() == "none")
}
