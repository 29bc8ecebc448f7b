//! What is built on a drive: RAID arrays, volumes, caches, multipath devices.

use crate::DeviceNumber;
use crate::system::{System, nonempty_text};

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
