//! What a process may have open or mapped.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use crate::DeviceNumber;

/// What a descriptor or a mapping refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenedFile {
    Device(DeviceNumber),
    /// Device and inode of a regular file.
    File(DeviceNumber, u64),
}

impl OpenedFile {
    /// What was looked at; `None` for a socket and the like.
    pub(super) fn from_metadata(found: &Metadata) -> Option<OpenedFile> {
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some(OpenedFile::Device(DeviceNumber::from_raw(found.rdev())));
        }
        kind.is_file().then(|| OpenedFile::File(DeviceNumber::from_raw(found.dev()), found.ino()))
    }
}
