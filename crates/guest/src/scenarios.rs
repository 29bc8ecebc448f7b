//! The virtual machines: a name, which the tests inside know too, and the drives.

use std::path::Path;

use anyhow::Result;

use crate::devices::Devices;

/// A machine and what it is for.
pub struct Scenario {
    /// The name by which the tests inside choose what they do.
    pub name: &'static str,
    /// QEMU's arguments for its drives, whose files are in the folder.
    pub devices: fn(&Path) -> Result<Vec<String>>,
}

/// Every scenario, in the order in which they run.
pub const SCENARIOS: &[Scenario] = &[
    Scenario { name: "nvme", devices: nvme },
    Scenario { name: "purge", devices: small_nvme },
    Scenario { name: "sanitize", devices: none },
    Scenario { name: "sata", devices: sata },
    Scenario { name: "scsi", devices: none },
    Scenario { name: "pulled", devices: one_nvme },
    Scenario { name: "bad-sectors", devices: bad_sectors },
];

fn nvme(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 256)?.nvme_with_two_namespaces("twin", 128)?.arguments())
}

/// Drives that are filled and read whole.
fn small_nvme(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 32)?.nvme_with_two_namespaces("twin", 16)?.arguments())
}

fn one_nvme(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 512)?.arguments())
}

fn sata(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).sata("disk-a", 256)?.sata("disk-b", 256)?.arguments())
}

fn bad_sectors(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme_with_bad_sector("worn", 256, 100_000)?.arguments())
}

/// The tests make their drives themselves, with drivers that need no hardware.
#[allow(clippy::unnecessary_wraps, reason = "one signature for all scenarios")]
fn none(_: &Path) -> Result<Vec<String>> {
    Ok(Vec::new())
}
