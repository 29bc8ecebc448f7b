//! The name of a drive by its path: which port of which controller it is connected to.

use std::path::Path;

use crate::system::{System, number};
use crate::udev::UdevRecord;

/// The names of a whole drive in /dev/disk/by-path; where udev does not run, the one that it would have, as far as sysfs shows
/// it. None of a drive that has no port, such as one that the kernel joins from several paths.
pub(crate) fn find(system: &System, folder: &Path, kernel_name: &str, udev: &UdevRecord) -> Vec<String> {
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
