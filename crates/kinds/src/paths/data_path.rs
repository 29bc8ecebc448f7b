//! The ways from a program to a drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way from a program to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataPath {
    /// Files of a file system, through the page cache, each followed by `fsync`.
    FileBuffered,
    /// Files of a file system, past the page cache (`O_DIRECT`).
    FileDirect,
    /// The device file, through the page cache, `fsync` after each file's length.
    DeviceBuffered,
    /// The device file, past the page cache.
    DeviceDirect,
    /// The ring: registered buffers, batched submission, several requests in flight, past the page cache.
    Raw,
    /// The same with the drive's own commands (NVMe passthrough), past the block layer, too.
    #[serde(rename = "raw-passthrough")]
    Passthrough,
}

impl DataPath {
    /// Every path, from the longest to the shortest.
    pub const ALL: [DataPath; 6] = [
        DataPath::FileBuffered,
        DataPath::FileDirect,
        DataPath::DeviceBuffered,
        DataPath::DeviceDirect,
        DataPath::Raw,
        DataPath::Passthrough,
    ];

    /// Its name in documents.
    pub fn word(self) -> &'static str {
        match self {
            DataPath::FileBuffered => "file-buffered",
            DataPath::FileDirect => "file-direct",
            DataPath::DeviceBuffered => "device-buffered",
            DataPath::DeviceDirect => "device-direct",
            DataPath::Raw => "raw",
            DataPath::Passthrough => "raw-passthrough",
        }
    }

    /// Whether it goes through a file system.
    pub fn is_file(self) -> bool {
        matches!(self, DataPath::FileBuffered | DataPath::FileDirect)
    }

    /// Whether it passes the page cache by.
    pub fn is_direct(self) -> bool {
        !matches!(self, DataPath::FileBuffered | DataPath::DeviceBuffered)
    }
}
