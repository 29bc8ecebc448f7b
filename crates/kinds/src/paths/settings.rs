//! What a comparison of paths is asked.

use drivelab_block::{Nanos, worded_enum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RangeOption;

/// What a comparison of paths is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathsSettings {
    /// The lengths of files in bytes, as they were asked for: they are rounded up to whole blocks.
    pub file_bytes: Vec<u64>,
    /// Bytes that each cell (a path with a length) writes; where nothing was asked, 256 MB or what there is room for.
    pub cell_bytes: Option<u64>,
    /// Runs of every cell.
    pub runs: u16,
    /// The part of the target that is written.
    pub range: RangeOption,
    /// Requests in flight on the raw paths.
    pub queue_depth: u32,
    /// The idle time before and after each cell, in nanoseconds; a simulated drive has none.
    pub idle_ns: u64,
    /// Where the file-system paths have their files.
    pub files: FileLocation,
}

/// Where the file-system paths have their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileLocation {
    /// On the target itself, where it is a directory or a file; a drive has no such paths.
    Target,
    /// In a directory of a mounted file system, besides the drive.
    Directory,
    /// On an ext4 that is made on the drive anew for each cell.
    NewExt4,
}

impl PathsSettings {
    /// The idle time before and after each cell.
    pub fn idle(&self) -> Nanos {
        Nanos::new(self.idle_ns)
    }
}

worded_enum! {
    /// A way from a program to a drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum DataPath {
        /// Files of a file system, through the page cache, each followed by `fsync`.
        FileBuffered = "file-buffered",
        /// Files of a file system, past the page cache (`O_DIRECT`).
        FileDirect = "file-direct",
        /// The device file, through the page cache, `fsync` after each file's length.
        DeviceBuffered = "device-buffered",
        /// The device file, past the page cache.
        DeviceDirect = "device-direct",
        /// The ring: registered buffers, batched submission, several requests in flight, past the page cache.
        Raw = "raw",
        /// The same with the drive's own commands (NVMe passthrough), past the block layer, too.
        #[serde(rename = "raw-passthrough")]
        Passthrough = "raw-passthrough",
    }
}

impl DataPath {
    /// Whether it goes through a file system.
    pub fn is_file(self) -> bool {
        matches!(self, DataPath::FileBuffered | DataPath::FileDirect)
    }

    /// Whether it passes the page cache by.
    pub fn is_direct(self) -> bool {
        !matches!(self, DataPath::FileBuffered | DataPath::DeviceBuffered)
    }
}
