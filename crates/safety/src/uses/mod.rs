//! Everything that uses a drive or a file, and that no flag can override: mounts, and what is built on a drive, for two.

pub(crate) mod mounts;

use std::path::{Path, PathBuf};

use crate::DeviceNumber;
use crate::system::{System, nonempty_text};
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

/// What kind of device is built on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A software RAID array.
    RaidArray,
    /// A logical volume by its name in /dev/mapper, which may tell the volume group.
    LogicalVolume(String),
    /// An opened encrypted volume by its name in /dev/mapper.
    Encrypted(String),
    /// A multipath device by its name in /dev/mapper: the drive is one of several paths to the same storage.
    Multipath(String),
    /// Another device of the device mapper by its name in /dev/mapper.
    DeviceMapper(String),
    /// A block cache.
    Bcache,
    /// Something this program does not know.
    Unknown,
}

impl Holder {
    /// What the device with this number is.
    pub(crate) fn read(system: &System, number: DeviceNumber, kernel_name: &str) -> Holder {
        let Some(folder) = system.block_folder(number) else { return Holder::Unknown };
        if let Some(uuid) = nonempty_text(&folder.join("dm/uuid")) {
            let name = nonempty_text(&folder.join("dm/name")).unwrap_or_else(|| kernel_name.to_owned());
            return match uuid.split('-').next() {
                Some("LVM") => Holder::LogicalVolume(name),
                Some("CRYPT") => Holder::Encrypted(name),
                Some("mpath") => Holder::Multipath(name),
                _ => Holder::DeviceMapper(name),
            };
        }
        if let Some(name) = nonempty_text(&folder.join("dm/name")) {
            return Holder::DeviceMapper(name);
        }
        match () {
            () if folder.join("md").is_dir() => Holder::RaidArray,
            () if folder.join("bcache").exists() || kernel_name.starts_with("bcache") => Holder::Bcache,
            () => Holder::Unknown,
        }
    }

    /// What it is, for a message.
    pub(crate) fn noun(&self, kernel_name: &str) -> String {
        match self {
            Holder::RaidArray => format!("the RAID array {kernel_name}"),
            Holder::LogicalVolume(name) => format!("the logical volume {name} ({kernel_name})"),
            Holder::Encrypted(name) => format!("the encrypted volume {name} ({kernel_name})"),
            Holder::Multipath(name) => format!("the multipath device {name} ({kernel_name})"),
            Holder::DeviceMapper(name) => format!("the mapped device {name} ({kernel_name})"),
            Holder::Bcache => format!("the cache device {kernel_name}"),
            Holder::Unknown => format!("the device {kernel_name}"),
        }
    }

    /// What takes it apart, for a message.
    pub(crate) fn remedy(&self, kernel_name: &str) -> String {
        match self {
            Holder::RaidArray => format!("stop it (mdadm --stop /dev/{kernel_name})"),
            Holder::LogicalVolume(name) => {
                format!("deactivate its volume group (vgchange -an; see lvs /dev/mapper/{name})")
            }
            Holder::Encrypted(name) => format!("close it (cryptsetup close {name})"),
            Holder::Multipath(name) => format!("test /dev/mapper/{name} instead of one of its paths"),
            Holder::DeviceMapper(name) => format!("remove it (dmsetup remove {name})"),
            Holder::Bcache => {
                format!("stop it (echo 1 > /sys/block/{kernel_name}/bcache/stop), or choose another drive")
            }
            Holder::Unknown => "release the drive from it, or choose another drive".to_owned(),
        }
    }
}
