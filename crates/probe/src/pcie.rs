//! The PCI device that a drive hangs on: its link, its power management, its IOMMU group, and the power states that the kernel
//! lets an NVMe drive enter by itself.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Roots;
use crate::controllers::controllers_in;

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

/// The PCI devices above the drive with this kernel name, for each of them the nearest one; several where several controllers
/// serve the drive, and none where there is none.
pub fn pci_devices(roots: &Roots, kernel_name: &str) -> Vec<PciDevice> {
    let mut found: Vec<PciDevice> = Vec::new();
    for folder in controller_folders(roots, kernel_name) {
        let device = folder.ancestors().find_map(|folder| pci_device(roots, folder));
        found.extend(device.filter(|device| found.iter().all(|other| other.address != device.address)));
    }
    found
}

fn pci_device(roots: &Roots, device: &Path) -> Option<PciDevice> {
    let address = address_of(device)?.to_owned();
    let link = |kind: &str| PciLink {
        speed: roots.text(device.join(format!("{kind}_link_speed"))).and_then(|text| parse_speed(&text)),
        width: roots.text(device.join(format!("{kind}_link_width"))).and_then(|text| parse_width(&text)),
    };
    Some(PciDevice {
        address,
        link: link("current"),
        link_max: link("max"),
        l1_aspm: roots.text(device.join("link/l1_aspm")).map(|text| text == "1"),
        iommu_type: roots.text(device.join("iommu_group/type")),
    })
}

/// The folders of the controllers of a drive with all links resolved: of an NVMe drive with native multipath, those of its
/// subsystem; of another drive, its device.
pub(crate) fn controller_folders(roots: &Roots, kernel_name: &str) -> Vec<PathBuf> {
    let Some(device) = roots.device_folder(kernel_name) else { return Vec::new() };
    let controllers = controllers_in(roots, &device);
    let is_subsystem =
        device.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"nvme-subsys"));
    if controllers.is_empty() && !is_subsystem {
        return vec![device];
    }
    controllers.into_iter().map(|controller| controller.folder).collect()
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

/// The longest latency that a drive may have when it leaves a power state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LatencyTolerance {
    /// At most this many microseconds.
    #[error("{0} us")]
    Micros(u64),
    /// Any.
    #[error("any")]
    Any,
    /// What the drive's own hardware chooses.
    #[error("auto")]
    Auto,
}

/// The latency that the kernel gives new drives, in microseconds (`nvme_core.default_ps_max_latency_us`): it lets a drive enter
/// only states with an entry and an exit latency below it. 0 means none.
pub fn default_latency_us(roots: &Roots) -> Option<u64> {
    roots.text("sys/module/nvme_core/parameters/default_ps_max_latency_us")?.parse().ok()
}

/// The latency that is allowed to each controller of the drive with this kernel name (`power/pm_qos_latency_tolerance_us`), of
/// those that have such transitions; none of a drive that is no NVMe drive.
pub fn latency_tolerances(roots: &Roots, kernel_name: &str) -> Vec<LatencyTolerance> {
    let folders = controller_folders(roots, kernel_name);
    let read = |folder: &PathBuf| match roots.text(folder.join("power/pm_qos_latency_tolerance_us"))?.as_str()
    {
        "any" => Some(LatencyTolerance::Any),
        "auto" => Some(LatencyTolerance::Auto),
        number => Some(LatencyTolerance::Micros(number.parse().ok()?)),
    };
    folders.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::controllers::fixture::{self, write};

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
            let found = pci_devices(&Roots::at(root.path()), "nvme0n1");
            let expected = PciDevice {
                address: "0000:01:00.0".to_owned(),
                link: PciLink { speed: Some(LinkSpeed(80)), width: Some(2) },
                link_max: PciLink { speed: Some(LinkSpeed(160)), width: Some(4) },
                l1_aspm: Some(true),
                iommu_type: Some("DMA-FQ".to_owned()),
            };
            assert_eq!(found, [expected], "multipath: {multipath}");
        }
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        let found = pci_devices(&Roots::at(root.path()), "nvme0n1");
        let addresses: Vec<&str> = found.iter().map(|device| device.address.as_str()).collect();
        assert_eq!(addresses, ["0000:00:00.0", "0000:01:00.0"]);
        assert_eq!(pci_devices(&Roots::at(root.path()), "sda"), []);
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

    #[test]
    fn latencies_are_numbers_or_the_kernels_words() {
        let root = tempfile::tempdir().expect("a folder");
        let power = root.path().join("sys/class/block/nvme0n1/device/power");
        let module = root.path().join("sys/module/nvme_core/parameters");
        [&power, &module].into_iter().for_each(|folder| fs::create_dir_all(folder).expect("a folder"));
        fs::write(module.join("default_ps_max_latency_us"), "100000\n").expect("a file");
        let roots = Roots::at(root.path());
        assert_eq!(default_latency_us(&roots), Some(100_000));
        let expected = [
            ("25000\n", Some(LatencyTolerance::Micros(25_000))),
            ("any\n", Some(LatencyTolerance::Any)),
            ("auto\n", Some(LatencyTolerance::Auto)),
            ("-1\n", None),
        ];
        for (text, tolerance) in expected {
            fs::write(power.join("pm_qos_latency_tolerance_us"), text).expect("a file");
            assert_eq!(latency_tolerances(&roots, "nvme0n1"), Vec::from_iter(tolerance), "{text}");
        }
        assert_eq!(latency_tolerances(&roots, "sda"), []);
    }
}
