//! Everything that uses a drive or a file, and that no flag can override.

pub(crate) mod holders;
pub(crate) mod mount_table;
pub(crate) mod mounts;

use std::path::{Path, PathBuf};

pub use holders::Holder;

use crate::wording::{quoted, shown};

/// One use of the target, or of something that a write to the target would reach. `device` is the kernel
/// name of what is used: the target, one of its partitions, or something built on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Use {
    /// A file system on it is mounted.
    #[error(
        "{device} is mounted at {} ({}){}",
        shown(.at),
        shown(.file_system),
        unmounting(.at, *.essential, *.process)
    )]
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
    #[error(
        "{device} is one of the drives of the mounted btrfs {uuid}: unmount it, or remove the drive from it (btrfs device \
         remove)"
    )]
    FileSystemMember {
        /// The member.
        device: String,
        /// The file system's UUID.
        uuid: String,
    },
    /// The results of this run are written to it.
    #[error(
        "{device} carries the run's own output folder {}: choose a folder on another drive (--output)",
        shown(.folder)
    )]
    HoldsOutput {
        /// What carries the folder.
        device: String,
        /// The folder of the results.
        folder: PathBuf,
    },
    /// The kernel swaps to it, which /proc/swaps names so.
    #[error("{} is used as swap: switch it off (swapoff {})", shown(.0), quoted(.0))]
    Swap(PathBuf),
    /// The system hibernates to it.
    #[error(
        "the system hibernates to {device} ({told_by}): choose another drive, or take that setting away and restart"
    )]
    Hibernation {
        /// The swap partition or drive.
        device: String,
        /// What says so.
        told_by: String,
    },
    /// Something is built on it.
    #[error("{device} is part of {}: {}", shown(.holder.noun(.by)), shown(.holder.remedy(.by)))]
    Held {
        /// What is built upon.
        device: String,
        /// The kernel name of what is built.
        by: String,
        /// What that is.
        holder: Holder,
    },
    /// A loop device, or zram's backing, writes to it: the kernel name of the device that stands in.
    #[error("/dev/{} reads and writes it: detach that first ({})", .0, detaching(.0))]
    StandIn(String),
    /// What lies behind a loop device is in use itself: a second loop device on the same file, a mounted
    /// drive.
    #[error("what lies behind {device} is in use: {used}")]
    Behind {
        /// The loop device.
        device: String,
        /// The use of what lies behind it.
        used: Box<Use>,
    },
    /// The kernel serves it to other machines: who serves it.
    #[error("{} serves it to other machines: stop that first", shown(.0))]
    Exported(String),
    /// A process has it open.
    #[error(
        "{} is open for {} in process {process} ({}): close it there, or end the process",
        .device.as_deref().unwrap_or("the file"),
        if *.writes { "writing" } else { "reading" },
        shown(.command)
    )]
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
    #[error(
        "{} is mapped into the memory of process {process} ({}): end the process",
        .device.as_deref().unwrap_or("the file"),
        shown(.command)
    )]
    Mapped {
        /// What is mapped; `None` for a file.
        device: Option<String>,
        /// The process.
        process: u32,
        /// Its command name.
        command: String,
    },
}

/// For whom it is mounted, and what to do about it.
fn unmounting(at: &Path, essential: bool, process: Option<u32>) -> String {
    let (whose, way) = match process {
        None => (String::new(), format!("unmount it (umount {})", quoted(at))),
        Some(process) => (
            format!(" for process {process}"),
            format!("unmount it there (nsenter -t {process} -m umount {})", quoted(at)),
        ),
    };
    if essential {
        whose + " and carries the running system: choose another drive"
    } else {
        whose + ": " + &way
    }
}

/// What takes a device away that stands in.
fn detaching(by: &str) -> String {
    if by.starts_with("loop") {
        format!("drivelab image detach, or umount and losetup -d /dev/{by}")
    } else {
        format!("reset {by}")
    }
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
