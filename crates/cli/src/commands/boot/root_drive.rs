//! The drive that holds the root file system.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_boot::{BootDrive, DriveCounters, drive_counters};
use drivelab_safety::{DriveIdentity, System, list_drives};
use rustix::fs::{major, minor};

/// More layers of device mapper than this lie on no machine.
const MAX_LAYERS: u32 = 8;

/// The drive, where the root file system lies on a single one.
pub fn root_drive() -> Option<BootDrive> {
    let name = whole_drive(&root_device()?, MAX_LAYERS)?;
    let identity = list_drives(&System::live())
        .into_iter()
        .map(|listing| listing.identity)
        .find(|identity| identity.kernel_name == name)?;
    let DriveIdentity { model, serial, wwn, size, .. } = identity;
    Some(BootDrive { name, model, serial, wwn, size_bytes: size.get() })
}

/// What the kernel counts of each drive, by its name. Which of them holds the root file system takes longer to find out.
pub fn counters_of_all() -> HashMap<String, DriveCounters> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let counted = entries.filter_map(|entry| {
        let counters = drive_counters(&fs::read_to_string(entry.path().join("stat")).ok()?)?;
        Some((entry.file_name().to_string_lossy().into_owned(), counters))
    });
    counted.collect()
}

/// The folder in /sys of the device that `/` is mounted from. btrfs has a number of its own: its source is asked instead.
fn root_device() -> Option<PathBuf> {
    let number = fs::metadata("/").ok()?.dev();
    let folder = PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)));
    fs::canonicalize(folder).ok().or_else(|| {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let source = mounts.lines().rev().find_map(|line| {
            let mut words = line.split(' ');
            let source = words.next()?;
            (words.next() == Some("/")).then_some(source)
        })?;
        let name = fs::canonicalize(source).ok()?.file_name()?.to_owned();
        fs::canonicalize(Path::new("/sys/class/block").join(name)).ok()
    })
}

/// The name of the drive below a device: of a partition the whole, of a mapped device the single one below it.
fn whole_drive(device: &Path, layers: u32) -> Option<String> {
    if device.join("partition").is_file() {
        return whole_drive(device.parent()?, layers);
    }
    let below: Vec<PathBuf> = fs::read_dir(device.join("slaves"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    match below.as_slice() {
        [] => Some(device.file_name()?.to_string_lossy().into_owned()),
        [one] if layers > 0 => whole_drive(&fs::canonicalize(one).ok()?, layers - 1),
        _ => None,
    }
}
