//! What an engine may do to its target.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use drivelab_block::{EngineError, Geometry, Op, OpSet};
use drivelab_safety::{ReadAccess, WriteGrant};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
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
            Access::Read(access) => access.geometry(),
            Access::Write(grant) => grant.geometry(),
        }
    }

    /// Whether I/O bypasses the page cache.
    pub fn direct(&self) -> bool {
        match self {
            Access::Read(access) => access.direct(),
            Access::Write(grant) => grant.direct(),
        }
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
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
