//! The PCI device that a drive hangs on, among the conditions of a run.

use drivelab_documents::Condition;
use drivelab_kinds::surroundings::{ASPM_POLICY, IOMMU, PCIE};
use drivelab_probe::{PciDevice, PciLink, Roots, aspm_policy, join_distinct, pci_devices};

/// The link, the power management and the IOMMU group of the PCI device above a drive, as far as the kernel shows them; of a
/// drive with several controllers what all of them have, or what each has. Nothing where the drive has no such device.
pub(crate) fn link_conditions(roots: &Roots, whole_name: &str) -> Vec<Condition> {
    let devices = pci_devices(roots, whole_name);
    if devices.is_empty() {
        return Vec::new();
    }
    let each = |value: &dyn Fn(&PciDevice) -> Option<String>| join_distinct(devices.iter().map(value));
    let speed = |link: PciLink| link.speed.map(|speed| speed.to_string());
    let width = |link: PciLink| link.width.map(|width| format!("x{width}"));
    let on_or_off = |on: bool| if on { "on" } else { "off" }.to_owned();
    let found = [
        ("device", each(&|device| Some(device.address.clone()))),
        ("link speed", each(&|device| speed(device.link))),
        ("link speed at most", each(&|device| speed(device.link_max))),
        ("link width", each(&|device| width(device.link))),
        ("link width at most", each(&|device| width(device.link_max))),
        (ASPM_POLICY, aspm_policy(roots)),
        ("L1 by ASPM", each(&|device| device.l1_aspm.map(on_or_off))),
        (IOMMU, each(&|device| device.iommu_type.clone())),
    ];
    let line = |(name, value): (&str, Option<String>)| Some(Condition::new(PCIE, name, value?));
    found.into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_the_kernel_does_not_show_has_no_line() {
        let root = tempfile::tempdir().expect("a folder");
        let device = root.path().join("sys/devices/pci0000:00/0000:00:04.0");
        fs::create_dir_all(device.join("nvme/nvme0")).expect("a controller");
        fs::create_dir_all(root.path().join("sys/class/block/nvme0n1")).expect("a namespace");
        let link = root.path().join("sys/class/block/nvme0n1/device");
        std::os::unix::fs::symlink(device.join("nvme/nvme0"), link).expect("a link");
        fs::write(device.join("current_link_speed"), "32.0 GT/s PCIe\n").expect("a file");
        fs::write(device.join("max_link_speed"), "Unknown\n").expect("a file");
        fs::write(device.join("current_link_width"), "4\n").expect("a file");
        let found = link_conditions(&Roots::at(root.path()), "nvme0n1");
        let expected = [
            Condition::new(PCIE, "device", "0000:00:04.0"),
            Condition::new(PCIE, "link speed", "32.0 GT/s"),
            Condition::new(PCIE, "link width", "x4"),
        ];
        assert_eq!(found, expected);
        assert!(link_conditions(&Roots::at(root.path()), "sda").is_empty());
    }
}
