//! Everything that uses a drive or a file, and that no flag can override.

mod display;
pub(crate) mod holders;
pub(crate) mod mount_table;
pub(crate) mod mounts;

use std::path::PathBuf;

pub use holders::Holder;

/// One use of the target, or of something that a write to the target would reach. `device` is the kernel
/// name of what is used: the target, one of its partitions, or something built on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A file system on it is mounted.
    Mounted {
        /// What is mounted.
        device: String,
        /// Where.
        at: PathBuf,
        /// The kind of file system.
        file_system: String,
        /// Whether the running system stands on it.
        essential: bool,
        /// A process in whose mount namespace it is mounted, where that is not this program's own.
        process: Option<u32>,
    },
    /// It is one of the drives of a mounted file system whose mount point no process shows.
    FileSystemMember {
        /// The member.
        device: String,
        /// The file system's UUID.
        uuid: String,
    },
    /// The results of this run are written to it.
    HoldsOutput {
        /// What carries the folder.
        device: String,
        /// The folder of the results.
        folder: PathBuf,
    },
    /// The kernel swaps to it.
    Swap {
        /// What is swapped to, as /proc/swaps names it.
        path: PathBuf,
    },
    /// The system hibernates to it.
    Hibernation {
        /// The swap partition or drive.
        device: String,
        /// What says so.
        told_by: String,
    },
    /// Something is built on it.
    Held {
        /// What is built upon.
        device: String,
        /// The kernel name of what is built.
        by: String,
        /// What that is.
        holder: Holder,
    },
    /// A loop device, or zram's backing, writes to it.
    StandIn {
        /// The kernel name of the device that stands in.
        by: String,
    },
    /// What lies behind a loop device is in use itself: a second loop device on the same file, a mounted
    /// drive.
    Behind {
        /// The loop device.
        device: String,
        /// The use of what lies behind it.
        used: Box<Use>,
    },
    /// The kernel serves it to other machines.
    Exported {
        /// Who serves it.
        by: String,
    },
    /// A process has it open.
    Open {
        /// What is open; `None` for a file.
        device: Option<String>,
        /// The process.
        process: u32,
        /// Its command name.
        command: String,
        /// Whether it may write.
        writes: bool,
    },
    /// A process has it in its memory: a mapped file needs no open descriptor.
    Mapped {
        /// What is mapped; `None` for a file.
        device: Option<String>,
        /// The process.
        process: u32,
        /// Its command name.
        command: String,
    },
}

impl Use {
    /// Whether the running system itself stands on it, so that it will not end.
    pub(crate) fn is_by_the_system(&self) -> bool {
        match self {
            Use::Mounted { essential, .. } => *essential,
            Use::Behind { used, .. } => used.is_by_the_system(),
            _ => false,
        }
    }
}
