//! What a process may have open or mapped.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use crate::DeviceNumber;

/// What a descriptor or a mapping refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    Device(DeviceNumber),
    /// Device and inode of a regular file.
    File(DeviceNumber, u64),
}

impl Opened {
    /// What was looked at; `None` for a socket and the like.
    pub(super) fn from_metadata(found: &Metadata) -> Option<Opened> {
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some(Opened::Device(DeviceNumber::from_raw(found.rdev())));
        }
        kind.is_file().then(|| Opened::File(DeviceNumber::from_raw(found.dev()), found.ino()))
    }
}
