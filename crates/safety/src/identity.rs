//! Who a drive is: everything by which a person or a report knows it.

use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_block::{ByteCount, DrivePlace, Geometry, SECTOR_BYTES, WhichDrive};

use crate::DeviceNumber;
use crate::names::{self, UdevRecord};
use crate::system::{System, names_in, nonempty_text, number, text};

/// What kind of block device this is, as far as safety has to tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveKind {
    /// An NVMe namespace.
    Nvme,
    /// A SCSI, SATA, SAS or USB drive.
    Scsi,
    /// A virtual machine's disk.
    Virtio,
    /// A file shown as a drive.
    Loop,
    /// Compressed memory shown as a drive.
    Zram,
    /// A software RAID array.
    RaidArray,
    /// A volume of the device mapper: LVM, LUKS, multipath.
    DeviceMapper,
    /// Anything else.
    Other,
}

impl DriveKind {
    pub(crate) fn from_kernel_name(kernel_name: &str) -> DriveKind {
        let begins = |prefix: &str| kernel_name.starts_with(prefix);
        match () {
            () if begins("nvme") => DriveKind::Nvme,
            () if begins("sd") => DriveKind::Scsi,
            () if begins("vd") => DriveKind::Virtio,
            () if begins("loop") => DriveKind::Loop,
            () if begins("zram") => DriveKind::Zram,
            () if begins("dm-") => DriveKind::DeviceMapper,
            () if begins("md") => DriveKind::RaidArray,
            () => DriveKind::Other,
        }
    }
}

/// The drive that a partition is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The drive's number.
    pub number: DeviceNumber,
    /// The drive's kernel name.
    pub kernel_name: String,
    /// The partition's number on it.
    pub partition: u32,
}

/// A block device: a whole drive or a partition of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveIdentity {
    /// The number the kernel knows it by.
    pub number: DeviceNumber,
    /// The kernel's name: `sda`, `nvme0n1p2`. It may name another drive after the next start.
    pub kernel_name: String,
    /// What kind of device it is.
    pub kind: DriveKind,
    /// The drive it is a part of, for a partition.
    pub parent: Option<Parent>,
    /// The model, where the drive tells it; a partition has its drive's.
    pub model: Option<String>,
    /// The serial number, where the drive tells it; a partition has its drive's.
    pub serial: Option<String>,
    /// The world-wide name (NAA, EUI-64, NGUID), where the drive tells it.
    pub wwn: Option<String>,
    /// The name of the NVMe subsystem (NQN), which all namespaces and paths of a drive have.
    pub subsystem: Option<String>,
    /// The number of the NVMe namespace.
    pub namespace: Option<u32>,
    /// The firmware's revision, where the drive tells it.
    pub firmware: Option<String>,
    /// Its names in /dev/disk/by-id.
    pub by_id: Vec<String>,
    /// Names by its path, those in /dev/disk/by-path, or without udev one of that form; a partition has its drive's.
    pub by_path: Vec<String>,
    /// User-accessible bytes.
    pub size: ByteCount,
    /// Bytes of a logical block.
    pub logical_block: u32,
    /// Bytes of a physical block.
    pub physical_block: u32,
    /// Whether it turns; `None` where the kernel does not say.
    pub rotational: Option<bool>,
    /// Whether the kernel lets nobody write.
    pub read_only: bool,
    /// Whether the kernel passes discards on to it (ATA TRIM, SCSI UNMAP, NVMe Deallocate).
    pub takes_discards: bool,
    /// The kernel's count of disks at the time this one appeared: it differs after a drive was swapped for
    /// another under the same name.
    pub disk_sequence: Option<u64>,
    /// The file behind a loop device.
    pub backing_file: Option<PathBuf>,
    /// The first byte of a partition on its drive.
    pub start: Option<ByteCount>,
    /// The first byte of a loop device in its file.
    pub loop_offset: Option<ByteCount>,
}

impl DriveIdentity {
    /// The kernel's name of the whole drive, of which this may be a partition.
    pub fn whole_name(&self) -> &str {
        self.parent.as_ref().map_or(&self.kernel_name, |parent| &parent.kernel_name)
    }

    /// Reads who the device with this number is; `None` where the kernel shows no such block device.
    pub fn read(system: &System, device: DeviceNumber) -> Option<DriveIdentity> {
        let folder = system.block_folder(device)?;
        let kernel_name = kernel_name_of(&folder)?;
        let parent = parent_of(&folder);
        let drive_folder = if parent.is_some() { folder.parent()?.to_path_buf() } else { folder.clone() };
        let drive_number = parent.as_ref().map_or(device, |parent| parent.number);
        let drive_name = parent.as_ref().map_or(kernel_name.as_str(), |parent| parent.kernel_name.as_str());
        let drive_udev = UdevRecord::read(system, drive_number);
        let queue = drive_folder.join("queue");
        let logical_block = block_size(&queue, "logical_block_size").unwrap_or(512);
        Some(DriveIdentity {
            number: device,
            kind: DriveKind::from_kernel_name(drive_name),
            model: model_of(&drive_folder, &drive_udev),
            serial: names::serial_number(&drive_folder, &drive_udev),
            wwn: wwn_of(&drive_folder, &drive_udev),
            subsystem: first_text(&drive_folder, &["device/subsysnqn"]),
            namespace: number(&drive_folder.join("nsid")).and_then(|number| u32::try_from(number).ok()),
            by_path: names::names_by_path(system, &drive_folder, drive_name, &drive_udev),
            firmware: first_text(&drive_folder, &["device/firmware_rev", "device/rev"])
                .or_else(|| drive_udev.property(&["ID_REVISION"])),
            by_id: by_id_of(system, device, &kernel_name),
            size: ByteCount::new(number(&folder.join("size")).unwrap_or(0).saturating_mul(SECTOR_BYTES)),
            logical_block,
            physical_block: block_size(&queue, "physical_block_size").unwrap_or(0).max(logical_block),
            rotational: number(&queue.join("rotational")).map(|value| value == 1),
            read_only: number(&folder.join("ro")).is_none_or(|value| value != 0),
            takes_discards: number(&queue.join("discard_max_bytes")).is_some_and(|bytes| bytes > 0),
            disk_sequence: number(&drive_folder.join("diskseq")),
            backing_file: nonempty_text(&drive_folder.join("loop/backing_file")).map(PathBuf::from),
            start: number(&folder.join("start"))
                .filter(|_| parent.is_some())
                .map(|sector| ByteCount::new(sector.saturating_mul(SECTOR_BYTES))),
            loop_offset: number(&drive_folder.join("loop/offset")).map(ByteCount::new),
            parent,
            kernel_name,
        })
    }

    /// The whole drives of the machine, in the order of their names.
    pub(crate) fn drives(system: &System) -> impl Iterator<Item = DriveIdentity> {
        DriveIdentity::named(system, names_in(&system.sys("block")))
    }

    /// The drives and partitions of the machine that have a size and are not hidden, in the order of their names.
    pub(crate) fn devices(system: &System) -> impl Iterator<Item = DriveIdentity> {
        let names = system.block_names().into_iter().filter(|name| !system.is_hidden(name));
        DriveIdentity::named(system, names).filter(|drive| drive.size.get() > 0)
    }

    fn named(
        system: &System,
        names: impl IntoIterator<Item = String>,
    ) -> impl Iterator<Item = DriveIdentity> {
        let number = |name: String| system.number_of_name(&name);
        names.into_iter().filter_map(number).filter_map(|number| DriveIdentity::read(system, number))
    }

    /// The number of the whole drive, of which this may be a partition.
    pub(crate) fn whole_number(&self) -> DeviceNumber {
        self.parent.as_ref().map_or(self.number, |parent| parent.number)
    }

    /// What confirms that this is the drive meant, as long as no other one has the same: its serial; the kernel name of a
    /// device that has none.
    pub(crate) fn confirmation(&self) -> &str {
        self.serial.as_deref().unwrap_or(&self.kernel_name)
    }

    /// Which drive it is, for comparing it with another one and with what a result has kept.
    pub fn which(&self) -> WhichDrive {
        WhichDrive {
            model: self.model.clone(),
            serial: self.serial.clone(),
            wwn: self.wwn.clone(),
            subsystem: self.subsystem.clone(),
            namespace: self.namespace,
            partition: Some(self.parent.as_ref().map_or(0, |parent| parent.partition)),
            start: self.start,
            behind: self.behind(),
            size: Some(self.size),
        }
    }

    /// Where it is connected.
    pub fn place(&self) -> DrivePlace {
        DrivePlace { kernel_name: Some(self.kernel_name.clone()), path: self.by_path.first().cloned() }
    }

    /// What is behind a device that has no serial number, and that the kernel made. Loop devices of one file that begin elsewhere
    /// in it are others.
    fn behind(&self) -> Option<String> {
        match (&self.backing_file, self.kind, self.disk_sequence) {
            (Some(file), ..) => {
                let inode = std::fs::metadata(file).map_or(0, |found| found.ino());
                let offset = self.loop_offset.map_or(0, ByteCount::get);
                let from = if offset == 0 { String::new() } else { format!(", from byte {offset} on") };
                Some(format!("{} (inode {inode}{from})", file.display()))
            }
            // Its contents are gone with the machine's memory.
            (None, DriveKind::Zram, Some(number)) => Some(format!("disk {number} of this start")),
            _ => None,
        }
    }

    /// What a workload has to know before it can address the drive.
    pub fn geometry(&self) -> Geometry {
        Geometry {
            capacity: self.size,
            logical_block: self.logical_block,
            physical_block: self.physical_block,
        }
    }

    /// The first thing that differs in `now` from when `self` was read, if this is not the same drive.
    pub(crate) fn difference(&self, now: &DriveIdentity) -> Option<&'static str> {
        let facts = [
            (self.number == now.number, "its device number"),
            (self.disk_sequence == now.disk_sequence, "the kernel's disk sequence number"),
            (self.serial == now.serial, "its serial"),
            (self.wwn == now.wwn, "its world-wide name"),
            (self.model == now.model, "its model"),
            (self.size == now.size, "its size"),
            (self.logical_block == now.logical_block, "the length of its blocks"),
            (self.parent == now.parent, "the drive it is a part of"),
            (self.start == now.start, "where it begins on its drive"),
            (self.backing_file == now.backing_file, "the file behind it"),
            (self.loop_offset == now.loop_offset, "where it begins in the file behind it"),
        ];
        facts.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
    }
}

impl fmt::Display for DriveIdentity {
    /// One line: `sda (Samsung SSD 870, serial S5Y1, 500.1 GB)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.kernel_name)?;
        if let Some(parent) = &self.parent {
            write!(f, "partition {} of {}, ", parent.partition, parent.kernel_name)?;
        }
        if let Some(model) = &self.model {
            write!(f, "{model}, ")?;
        }
        if let Some(serial) = &self.serial {
            write!(f, "serial {serial}, ")?;
        }
        if let Some(file) = &self.backing_file {
            write!(f, "of {}, ", file.display())?;
        }
        write!(f, "{})", self.size)
    }
}

fn kernel_name_of(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_str()?.replace('!', "/"))
}

fn parent_of(folder: &Path) -> Option<Parent> {
    let partition = number(&folder.join("partition"))?;
    let drive = folder.parent()?;
    Some(Parent {
        number: DeviceNumber::parse(&text(&drive.join("dev"))?)?,
        kernel_name: kernel_name_of(drive)?,
        partition: u32::try_from(partition).ok()?,
    })
}

fn first_text(folder: &Path, files: &[&str]) -> Option<String> {
    files.iter().find_map(|file| nonempty_text(&folder.join(file)))
}

fn model_of(folder: &Path, udev: &UdevRecord) -> Option<String> {
    // The kernel cuts an ATA drive's model to 16 characters; udev keeps it whole, with underscores for
    // spaces.
    let whole = udev.property(&["ID_MODEL"]).map(|model| model.replace('_', " "));
    let kernel = first_text(folder, &["device/model"]);
    match (whole, kernel) {
        (Some(whole), Some(kernel)) if !whole.starts_with(&kernel) => Some(kernel),
        (Some(whole), _) => Some(whole),
        (None, kernel) => kernel,
    }
}

fn wwn_of(folder: &Path, udev: &UdevRecord) -> Option<String> {
    first_text(folder, &["wwid", "device/wwid"])
        .or_else(|| udev.property(&["ID_WWN_WITH_EXTENSION", "ID_WWN", "DM_UUID", "MD_UUID"]))
        .or_else(|| first_text(folder, &["dm/uuid", "md/uuid"]))
}

fn by_id_of(system: &System, device: DeviceNumber, kernel_name: &str) -> Vec<String> {
    let recorded = UdevRecord::read(system, device).names_in("disk/by-id/");
    if !recorded.is_empty() {
        return recorded;
    }
    system.links_to(kernel_name, "disk/by-id")
}

fn block_size(queue: &Path, file: &str) -> Option<u32> {
    let bytes = u32::try_from(number(&queue.join(file))?).ok()?;
    (bytes >= 512 && bytes.is_power_of_two()).then_some(bytes)
}

#[cfg(test)]
mod tests;
