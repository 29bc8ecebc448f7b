//! By what a drive is known: what udev has recorded of it in /run/udev/data, its serial number and its name by its path.

use std::collections::BTreeMap;
use std::path::Path;

use crate::DeviceNumber;
use crate::system::{System, nonempty_text, number, raw_text, text};

/// One record: the names udev gave the device, and its properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UdevRecord {
    /// Names below /dev, such as `disk/by-id/wwn-0x5002538d40a1b2c3`.
    pub names: Vec<String>,
    properties: BTreeMap<String, String>,
}

impl UdevRecord {
    /// The record of a device; an empty one where udev does not run.
    pub(crate) fn read(system: &System, number: DeviceNumber) -> UdevRecord {
        text(&system.run(format!("udev/data/b{number}")))
            .map_or_else(UdevRecord::default, |text| parse(&text))
    }

    /// The first of `keys` that has a value.
    pub(crate) fn property(&self, keys: &[&str]) -> Option<String> {
        keys.iter()
            .filter_map(|key| self.properties.get(*key))
            .map(|value| value.trim().to_owned())
            .find(|value| !value.is_empty())
    }

    /// The names in a folder of /dev such as `disk/by-id/`, without the folder.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.names.iter().filter_map(|name| name.strip_prefix(folder)).map(String::from).collect();
        names.sort();
        names
    }
}

fn parse(text: &str) -> UdevRecord {
    let mut record = UdevRecord::default();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("S:") {
            record.names.push(name.to_owned());
        } else if let Some((key, value)) = line.strip_prefix("E:").and_then(|entry| entry.split_once('=')) {
            record.properties.insert(key.to_owned(), value.to_owned());
        }
    }
    record
}

/// The serial of the drive whose sysfs folder this is. The kernel's own word comes before udev's, because
/// udev's record stays behind when it is not running or was restarted.
pub(crate) fn serial_number(folder: &Path, udev: &UdevRecord) -> Option<String> {
    // NVMe shows it at the controller, virtio at the disk, SCSI in a page of the drive's own answers.
    ["device/serial", "serial"]
        .iter()
        .find_map(|file| nonempty_text(&folder.join(file)))
        .or_else(|| raw_text(&folder.join("device/vpd_pg80")).and_then(|page| unit_serial(&page)))
        .or_else(|| udev.property(&["ID_SCSI_SERIAL", "ID_SERIAL_SHORT"]))
        .filter(|serial| !serial.chars().any(char::is_control))
}

/// The text of SCSI's unit serial number page (0x80): a header of four bytes, the last two the length.
fn unit_serial(page: &[u8]) -> Option<String> {
    let header = page.get(..4)?;
    if header[1] != 0x80 {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let field = page.get(4..4 + length)?;
    let serial: String = field
        .iter()
        .filter(|byte| byte.is_ascii_graphic() || **byte == b' ')
        .map(|byte| char::from(*byte))
        .collect();
    Some(serial.trim().to_owned()).filter(|serial| !serial.is_empty())
}

/// The names of a whole drive in /dev/disk/by-path; where udev does not run, the one that it would have, as far as sysfs shows
/// it. None of a drive that has no port, such as one that the kernel joins from several paths.
pub(crate) fn names_by_path(
    system: &System,
    folder: &Path,
    kernel_name: &str,
    udev: &UdevRecord,
) -> Vec<String> {
    let recorded = udev.names_in("disk/by-path/");
    if !recorded.is_empty() {
        return recorded;
    }
    let linked = system.links_to(kernel_name, "disk/by-path");
    if linked.is_empty() { shown(folder).into_iter().collect() } else { linked }
}

/// The name from the folder of sysfs, each part of which is a bus or a device on the way.
fn shown(folder: &Path) -> Option<String> {
    let parts: Vec<&str> = folder.iter().filter_map(|part| part.to_str()).collect();
    let mut names: Vec<String> = Vec::new();
    // Bridges come before the device itself.
    names.extend(parts.iter().rev().find(|part| is_pci(part)).map(|address| format!("pci-{address}")));
    for part in &parts {
        if let Some(port) = part.strip_prefix("ata").filter(|port| port.parse::<u32>().is_ok()) {
            names.push(format!("ata-{port}"));
        } else if let Some((_, interface)) = part.split_once('-').filter(|_| is_usb_interface(part)) {
            names.push(format!("usb-0:{interface}"));
        } else if is_scsi(part) {
            names.push(format!("scsi-{part}"));
        }
    }
    let namespace = number(&folder.join("nsid")).filter(|_| !names.is_empty());
    names.extend(namespace.map(|namespace| format!("nvme-{namespace}")));
    (!names.is_empty()).then(|| names.join("-"))
}

/// Such as `0000:00:1f.2`.
fn is_pci(part: &str) -> bool {
    let numbers: Vec<&str> = part.split([':', '.']).collect();
    matches!(numbers[..], [domain, bus, device, function]
        if [domain.len(), bus.len(), device.len(), function.len()] == [4, 2, 2, 1]
            && numbers.iter().all(|one| one.bytes().all(|digit| digit.is_ascii_hexdigit()))
            && part.contains('.'))
}

/// Such as `2:0:0:1`: host, channel, target and logical unit.
fn is_scsi(part: &str) -> bool {
    let numbers: Vec<&str> = part.split(':').collect();
    numbers.len() == 4 && numbers.iter().all(|one| one.parse::<u64>().is_ok())
}

/// Such as `1-2:1.0`.
fn is_usb_interface(part: &str) -> bool {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    part.split_once('-').is_some_and(|(bus, rest)| {
        let interface = rest.split_once(':').and_then(|(_, interface)| interface.split_once('.'));
        is_number(bus) && interface.is_some_and(|(one, other)| is_number(one) && is_number(other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_properties_are_told_apart() {
        let record = parse("S:disk/by-id/ata-X_1\nS:disk/by-path/p\nI:12\nE:ID_MODEL=X=1\nE:EMPTY=\nnoise\n");
        assert_eq!(record.names_in("disk/by-id/"), ["ata-X_1"]);
        assert_eq!(record.property(&["ABSENT", "EMPTY", "ID_MODEL"]).as_deref(), Some("X=1"));
    }

    #[test]
    fn the_page_gives_its_text_without_padding() {
        assert_eq!(unit_serial(b"\x00\x80\x00\x08  S3Z9NB").as_deref(), Some("S3Z9NB"));
        assert_eq!(unit_serial(b"\x00\x80\x00\x06WD\x00 12 ").as_deref(), Some("WD 12"));
    }

    #[test]
    fn a_page_that_lies_about_its_length_gives_nothing() {
        assert_eq!(unit_serial(b"\x00\x80\xff\xffS3"), None);
        assert_eq!(unit_serial(b"\x00\x83\x00\x02S3"), None);
        assert_eq!(unit_serial(b"\x00"), None);
        assert_eq!(unit_serial(b"\x00\x80\x00\x02  "), None);
    }

    #[test]
    fn a_serial_that_no_terminal_shows_and_nobody_can_type_confirms_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |serial: &str| {
            std::fs::write(folder.path().join("serial"), serial).expect("a serial");
            serial_number(folder.path(), &UdevRecord::default())
        };
        assert_eq!(read("S3Z9NB\n").as_deref(), Some("S3Z9NB"));
        assert_eq!(read("S3\u{1b}[2J"), None);
    }

    #[test]
    fn without_udev_the_way_to_the_drive_is_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for (way, expected) in [
            (
                "pci0000:00/0000:00:1c.0/0000:02:00.0/virtio3/host2/target2:0:0/2:0:0:1/block/sdb",
                Some("pci-0000:02:00.0-scsi-2:0:0:1"),
            ),
            (
                "pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sda",
                Some("pci-0000:00:17.0-ata-2-scsi-1:0:0:0"),
            ),
            (
                "pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host3/target3:0:0/3:0:0:0/block/sdc",
                Some("pci-0000:00:14.0-usb-0:2:1.0-scsi-3:0:0:0"),
            ),
            ("pseudo_0/adapter0/host4/target4:0:0/4:0:0:0/block/sdd", Some("scsi-4:0:0:0")),
            ("pci0000:00/0000:00:05.0/virtio1/block/vda", Some("pci-0000:00:05.0")),
            ("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", None),
            ("virtual/block/dm-0", None),
        ] {
            assert_eq!(shown(&folder.path().join(way)).as_deref(), expected, "{way}");
        }
        let namespace = folder.path().join("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n2");
        std::fs::create_dir_all(&namespace).expect("a folder");
        std::fs::write(namespace.join("nsid"), "2\n").expect("a number");
        assert_eq!(shown(&namespace).as_deref(), Some("pci-0000:01:00.0-nvme-2"));
    }
}
