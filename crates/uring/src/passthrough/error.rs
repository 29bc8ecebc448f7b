//! Why commands do not get to a drive.

use std::io;
use std::path::PathBuf;

/// Why a target cannot be reached by passthrough.
#[derive(Debug, thiserror::Error)]
pub enum NoPassthrough {
    /// It is a file, or a drive of another kind.
    #[error("the target is no NVMe drive")]
    NotNvme,
    /// Commands know no partitions.
    #[error("the target is a partition, which NVMe commands do not know of")]
    Partition,
    /// A block carries more than its data, or nobody says that it does not.
    #[error("the namespace's blocks carry metadata, or the kernel does not tell")]
    Metadata,
    /// There is no character device.
    #[error("the kernel has no character device for the namespace (Linux 5.13 and later)")]
    NoDevice,
    /// The character device is not the namespace's.
    #[error("{} is not the device that the kernel has for the namespace", .0.display())]
    OtherDevice(PathBuf),
    /// The drive was formatted since it was looked at, or nobody could tell how long its blocks are.
    #[error("the drive's blocks have {now} bytes, and it was cleared with blocks of {cleared}")]
    OtherBlocks {
        /// What the kernel says now.
        now: u32,
        /// What it said when the drive was cleared.
        cleared: u32,
    },
    /// It could not be opened or asked.
    #[error("{}: {error}", .path.display())]
    Device {
        /// The character device.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is no such command here.
    #[error("the kernel takes no NVMe commands on a ring (Linux 5.19 and later): {0}")]
    NoCommands(io::Error),
    /// A first read came back with an error.
    #[error("a first read failed: {0}")]
    FirstRead(io::Error),
}
