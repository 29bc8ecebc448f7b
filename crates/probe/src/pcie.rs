//! The PCI device that a drive hangs on: its link, its power management, its IOMMU group.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Roots;
use crate::conditions::drive_folder;

/// What the kernel reports of the PCI device above a drive. `None` wherever it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PciDevice {
    /// Its address: `0000:01:00.0`.
    pub address: String,
    /// The link as it is.
    pub link: PciLink,
    /// The most that the device can have.
    pub link_max: PciLink,
    /// Whether the link may enter L1 by itself (`link/l1_aspm`).
    pub l1_aspm: Option<bool>,
    /// How the IOMMU treats the device: `identity`, `DMA`, `DMA-FQ`.
    pub iommu_type: Option<String>,
}

/// A PCI Express link. `None` wherever the device reports nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PciLink {
    /// Its speed.
    pub speed: Option<LinkSpeed>,
    /// Its lanes.
    pub width: Option<u8>,
}

/// The speed of a lane, in tenths of a GT/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkSpeed(pub u32);

impl fmt::Display for LinkSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} GT/s", self.0 / 10, self.0 % 10)
    }
}

/// The PCI device above the drive with this kernel name, nearest first; `None` where there is none. A drive that several
/// controllers serve has none of its own.
#[must_use]
pub fn pci_device(roots: &Roots, kernel_name: &str) -> Option<PciDevice> {
    let folder = controller_folder(roots, kernel_name)?;
    let device = folder.ancestors().find(|folder| address_of(folder).is_some())?;
    let link = |kind: &str| PciLink {
        speed: roots.text(device.join(format!("{kind}_link_speed"))).and_then(|text| parse_speed(&text)),
        width: roots.text(device.join(format!("{kind}_link_width"))).and_then(|text| parse_width(&text)),
    };
    Some(PciDevice {
        address: address_of(device)?.to_owned(),
        link: link("current"),
        link_max: link("max"),
        l1_aspm: roots.text(device.join("link/l1_aspm")).map(|text| text == "1"),
        iommu_type: roots.text(device.join("iommu_group/type")),
    })
}

/// The folder of the controller of a drive with all links resolved: of an NVMe namespace with native multipath, the only
/// controller of its subsystem.
pub(crate) fn controller_folder(roots: &Roots, kernel_name: &str) -> Option<PathBuf> {
    let device = roots.path(drive_folder(roots, kernel_name).join("device")).canonicalize().ok()?;
    if !device.file_name()?.to_str()?.starts_with("nvme-subsys") {
        return Some(device);
    }
    let is_controller =
        |name: &&String| name.strip_prefix("nvme").is_some_and(|number| number.parse::<u32>().is_ok());
    let names = roots.names(&device);
    match names.iter().filter(is_controller).collect::<Vec<_>>().as_slice() {
        [only] => device.join(only).canonicalize().ok(),
        _ => None,
    }
}

/// The name of a folder that is a PCI address: domain, bus, device and function.
fn address_of(folder: &Path) -> Option<&str> {
    let name = folder.file_name()?.to_str()?;
    let (place, function) = name.rsplit_once('.')?;
    let mut parts = place.split(':');
    let is_hex = |text: Option<&str>, least: usize| {
        text.is_some_and(|text| text.len() >= least && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let is_address = is_hex(parts.next(), 4)
        && is_hex(parts.next(), 2)
        && is_hex(parts.next(), 2)
        && parts.next().is_none()
        && is_hex(Some(function), 1);
    is_address.then_some(name)
}

/// `16.0 GT/s PCIe`; older kernels write `8 GT/s`. A link that is down is `Unknown`.
fn parse_speed(text: &str) -> Option<LinkSpeed> {
    let (number, unit) = text.split_once(' ')?;
    if !unit.starts_with("GT/s") {
        return None;
    }
    let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
    let tenth: u32 = tenth.parse().ok().filter(|tenth| *tenth < 10)?;
    Some(LinkSpeed(whole.parse::<u32>().ok()?.checked_mul(10)?.checked_add(tenth)?))
}

/// A link that is down has the width 0, and one that is not known 255.
fn parse_width(text: &str) -> Option<u8> {
    text.parse().ok().filter(|width| (1..=32).contains(width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// A machine with a drive behind a bridge. With native multipath its namespace belongs to the subsystem.
    fn machine(multipath: bool) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let device = "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";
        write(root, &format!("{device}/current_link_speed"), "8.0 GT/s PCIe\n");
        write(root, &format!("{device}/max_link_speed"), "16.0 GT/s PCIe\n");
        write(root, &format!("{device}/current_link_width"), "2\n");
        write(root, &format!("{device}/max_link_width"), "4\n");
        write(root, &format!("{device}/link/l1_aspm"), "1\n");
        write(root, &format!("{device}/iommu_group/type"), "DMA-FQ\n");
        let controller = root.join(device).join("nvme/nvme0");
        fs::create_dir_all(&controller).expect("a controller");
        let namespace = root.join("sys/class/block/nvme0n1");
        fs::create_dir_all(&namespace).expect("a namespace");
        let mut parent = controller.clone();
        if multipath {
            parent = root.join("sys/devices/virtual/nvme-subsystem/nvme-subsys0");
            fs::create_dir_all(&parent).expect("a subsystem");
            symlink(controller, parent.join("nvme0")).expect("a link");
        }
        symlink(parent, namespace.join("device")).expect("a link");
        folder
    }

    #[test]
    fn the_link_of_a_drive_is_that_of_its_own_controller() {
        for multipath in [false, true] {
            let root = machine(multipath);
            let found = pci_device(&Roots::at(root.path()), "nvme0n1").expect("a PCI device");
            let expected = PciDevice {
                address: "0000:01:00.0".to_owned(),
                link: PciLink { speed: Some(LinkSpeed(80)), width: Some(2) },
                link_max: PciLink { speed: Some(LinkSpeed(160)), width: Some(4) },
                l1_aspm: Some(true),
                iommu_type: Some("DMA-FQ".to_owned()),
            };
            assert_eq!(found, expected, "multipath: {multipath}");
        }
        let root = machine(true);
        let second = root.path().join("sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme1");
        fs::create_dir_all(second).expect("another controller");
        assert_eq!(pci_device(&Roots::at(root.path()), "nvme0n1"), None, "two controllers");
        assert_eq!(pci_device(&Roots::at(root.path()), "sda"), None);
    }

    #[test]
    fn what_a_link_does_not_know_is_left_out() {
        let speeds = ["2.5 GT/s PCIe", "8 GT/s", "Unknown", "", "fast GT/s", "1.25 GT/s", "5.0 MB/s"];
        let found = speeds.map(|text| parse_speed(text).map(|speed| speed.0));
        assert_eq!(found, [Some(25), Some(80), None, None, None, None, None]);
        assert_eq!(["4", "0", "255", "x"].map(parse_width), [Some(4), None, None, None]);
        let names = ["0000:01:00.0", "10000:e1:00.0", "pci0000:00", "nvme0", "0000:01:00", "1:0:0:0"];
        let found = names.map(|name| address_of(Path::new(name)).is_some());
        assert_eq!(found, [true, true, false, false, false, false]);
        assert_eq!(LinkSpeed(25).to_string(), "2.5 GT/s");
    }
}
