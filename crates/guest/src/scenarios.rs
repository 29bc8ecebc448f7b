//! The virtual machines: a name, which the tests inside know too, and the drives.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::debian;
use crate::devices::{Bad, Devices};

/// A machine and what it is for.
pub struct Scenario {
    /// The name by which the tests inside choose what they do.
    pub name: &'static str,
    /// Its drives with a volatile cache, by name, with their sizes in bytes.
    pub volatile: &'static [(&'static str, u64)],
    /// The buffer of each processor, in words of `--buffer`, where the kernel traces its boot.
    pub traces_boot: Option<&'static str>,
    /// Whether it runs only if it is named, as it takes long.
    pub only_by_name: bool,
    /// QEMU's arguments for its drives, whose files are in the folder.
    pub devices: fn(&Path) -> Result<Vec<String>>,
}

impl Scenario {
    const fn new(name: &'static str, devices: fn(&Path) -> Result<Vec<String>>) -> Scenario {
        Scenario { name, volatile: &[], traces_boot: None, only_by_name: false, devices }
    }
}

/// What a slow drive reads in a second: a system is read from it in about half a minute.
const SLOW_BYTES_PER_S: u64 = 2_000_000;

/// Every scenario, in the order in which they run.
pub const SCENARIOS: &[Scenario] = &[
    Scenario::new("every-command", nvme_and_sata),
    Scenario::new("nvme", nvme),
    Scenario::new("in-use", nvme),
    Scenario::new("purge", small_nvme),
    Scenario::new("own-nvme", none),
    Scenario::new("secure-erase", none),
    Scenario::new("sata", sata),
    Scenario::new("scsi", none),
    Scenario::new("pulled", six_nvme),
    Scenario::new("multipath", two_with_two_controllers),
    Scenario::new("stacked", nvme_and_virtio),
    Scenario { only_by_name: true, ..Scenario::new("hangs", nvme) },
    Scenario { only_by_name: true, ..Scenario::new("twins", twins) },
    Scenario { only_by_name: true, ..Scenario::new("twins-removed", twins) },
    Scenario::new("standstill", nvme),
    Scenario::new("bad-sectors", bad_sectors),
    Scenario {
        name: "power-cuts",
        volatile: &[("lossy", 256 << 20), ("results", 512 << 20)],
        traces_boot: None,
        only_by_name: false,
        devices: power_cuts,
    },
    Scenario { traces_boot: Some("8MiB"), ..Scenario::new("boot", nvme) },
    Scenario { traces_boot: Some("64KiB"), ..Scenario::new("boot-overflow", nvme) },
    Scenario::new("service", one_debian),
    // It takes longest of all, and there is a second machine meanwhile.
    Scenario { traces_boot: Some("8MiB"), ..Scenario::new("debian", two_debians) },
];

fn nvme(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 256)?.nvme_with_two_namespaces("twin", 128)?.arguments())
}

/// Drives that are filled and read whole.
fn small_nvme(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 32)?.nvme_with_two_namespaces("twin", 16)?.arguments())
}

fn nvme_and_sata(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).nvme("alpha", 256)?.sata("disk-a", 256)?.arguments())
}

fn two_with_two_controllers(folder: &Path) -> Result<Vec<String>> {
    let devices = Devices::in_folder(folder).nvme_with_two_controllers("pair", 256)?;
    Ok(devices.nvme_with_two_controllers("other", 64)?.arguments())
}

fn nvme_and_virtio(folder: &Path) -> Result<Vec<String>> {
    let devices = Devices::in_folder(folder).nvme("alpha", 256)?;
    Ok(devices.virtio("virt-a", 256)?.virtio("virt-b", 256)?.arguments())
}

/// Pairs of drives that look alike, each of a size of its own, and two namespaces of one drive.
fn twins(folder: &Path) -> Result<Vec<String>> {
    let names = ["wwn=0x5000c500a1b2c3d4", "wwn=0x5000c500a1b2c3d5"];
    let copied = "wwn=0x5000c500aaaaaaaa";
    let devices = Devices::in_folder(folder).scsi_controller();
    let devices = devices.scsi_pair("same", 64, "serial=SAME", names)?;
    let devices = devices.scsi_pair("bare", 65, "serial=BARE", ["", ""])?;
    let devices = devices.scsi_pair("none", 66, "", ["", ""])?;
    let devices = devices.scsi_pair("clone", 67, "serial=CLONE", [copied, copied])?;
    Ok(devices.nvme_with_two_namespaces("space", 64)?.arguments())
}

fn six_nvme(folder: &Path) -> Result<Vec<String>> {
    let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
    let devices = names.iter().try_fold(Devices::in_folder(folder), |devices, name| devices.nvme(name, 512));
    Ok(devices?.arguments())
}

fn sata(folder: &Path) -> Result<Vec<String>> {
    Ok(Devices::in_folder(folder).sata("disk-a", 256)?.sata("disk-b", 256)?.arguments())
}

fn bad_sectors(folder: &Path) -> Result<Vec<String>> {
    let bad = [Bad::Read(100_000), Bad::Read(200_008), Bad::Write(150_000)];
    let devices = Devices::in_folder(folder).nvme_with_bad_sectors("worn", 256, &bad)?;
    Ok(devices.sata_with_bad_sectors("aged", 256, &bad)?.arguments())
}

fn power_cuts(folder: &Path) -> Result<Vec<String>> {
    let names = ["safe", "traced", "stalls", "consistency", "matrix"];
    let devices =
        names.iter().try_fold(Devices::in_folder(folder), |devices, name| devices.nvme(name, 256))?;
    Ok(devices.nvme_with_volatile_cache("lossy").nvme_with_volatile_cache("results").arguments())
}

/// A system whose service its tests use.
fn one_debian(folder: &Path) -> Result<Vec<String>> {
    let kept = folder.parent().context("a folder of drives lies in that of the guest")?;
    debian::image(folder, kept, "service")?;
    Ok(Devices::in_folder(folder).nvme("service", 1024)?.arguments())
}

/// The same system on a fast and on a slow drive.
fn two_debians(folder: &Path) -> Result<Vec<String>> {
    let kept = folder.parent().context("a folder of drives lies in that of the guest")?;
    let fast = debian::image(folder, kept, "fast")?;
    let slow = folder.join("slow.img");
    if !slow.exists() {
        std::fs::copy(fast, slow)?;
    }
    let devices = Devices::in_folder(folder).nvme("fast", 1024)?;
    Ok(devices.nvme_that_reads_slowly("slow", 1024, SLOW_BYTES_PER_S)?.arguments())
}

/// The tests make their drives themselves, with drivers that need no hardware.
#[allow(clippy::unnecessary_wraps, reason = "one signature for all scenarios")]
fn none(_: &Path) -> Result<Vec<String>> {
    Ok(Vec::new())
}
