//! What can go wrong, and what to do about it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why the kernel's events cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TracerError {
    /// The kernel has no tracefs, or does not let it be mounted.
    #[error(
        "this kernel has no tracefs, or does not let it be mounted: boot one that was built with CONFIG_FTRACE, or type \
         mount -t tracefs nodev /sys/kernel/tracing to see why not"
    )]
    NoTracefs,
    /// The caller may not trace by this file of tracefs.
    #[error("{0} is not allowed: only root may trace")]
    NotAllowed(PathBuf),
    /// The kernel has no events of block devices: the event that is missing.
    #[error("this kernel has no events of block devices (CONFIG_BLK_DEV_IO_TRACE): {0} is not there")]
    NoEvents(PathBuf),
    /// The ring buffers are too large for the memory at hand: so many KiB were asked for.
    #[error("the kernel has no memory for {0} KiB of buffer on each processor: ask for less with --buffer")]
    NoMemory(u64),
    /// The system refused: the file of tracefs, and its error.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
}

impl TracerError {
    pub(crate) fn io(path: &Path, source: io::Error) -> TracerError {
        match source.kind() {
            ErrorKind::PermissionDenied => TracerError::NotAllowed(path.to_owned()),
            _ => TracerError::Io(path.to_owned(), source),
        }
    }
}
