//! Which devices are recorded, and by which events.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::nvme_paths::KnownPaths;
use crate::target::drive_of;
use drivelab_documents::Drive;
use drivelab_kinds::RequestSpan;
use drivelab_probe::{NvmePath, Roots};
use drivelab_safety::{DeviceNumber, DriveIdentity, System};
use drivelab_system_calls::tracer::{Events, Watched};

const SYS_BLOCK: &str = "/sys/block";

/// A whole device of the system.
#[derive(Clone, Debug)]
pub struct RecordedDrive {
    /// Its name, such as `sda`.
    pub name: String,
    number: DeviceNumber,
    /// The devices whose events are those of its I/Os: itself, or the paths to it.
    pub(super) watched: Vec<Watched>,
    /// The paths to an NVMe drive with native multipath, which has no requests itself; none of another one.
    pub(super) paths: KnownPaths,
}

impl RecordedDrive {
    /// The numbers by which its events name it, in the kernel's own form: 12 bits of major, 20 of minor.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.watched.iter().map(number_of)
    }

    /// The drive that it is, as far as the kernel and udev tell.
    pub fn drive(&self) -> Option<Drive> {
        DriveIdentity::read(&System::live(), self.number).map(|identity| drive_of(&identity))
    }

    /// What is measured of its I/Os.
    pub fn span(&self) -> RequestSpan {
        match self.watched.first().map_or(Events::Bios, |watched| watched.events) {
            Events::Requests => RequestSpan::IssueToCompletion,
            Events::Bios => RequestSpan::RequestToCompletion,
        }
    }

    /// Reads what the kernel shows of a device; `None` where it shows none of this name that has a node.
    fn read(roots: &Roots, sys_block: &Path, name: &str) -> Result<Option<RecordedDrive>, Failure> {
        let folder = sys_block.join(name);
        let number = fs::read_to_string(folder.join("dev")).ok();
        let Some(number) = number.and_then(|number| DeviceNumber::parse(number.trim())) else {
            return Ok(None);
        };
        let paths = KnownPaths::read(roots, name);
        let mut watched = Vec::new();
        for path in &paths.paths {
            watched.push(watched_path(path).ok_or_else(|| {
                environment!(
                    "{name}: its requests are those of {}, whose number this kernel does not tell (/proc/diskstats): \
                     record other drives, or with nvme_core.multipath=N",
                    path.name
                )
            })?);
        }
        if watched.is_empty() {
            let events = if folder.join("mq").is_dir() { Events::Requests } else { Events::Bios };
            watched.push(Watched { major: number.major, minor: number.minor, events });
        }
        Ok(Some(RecordedDrive { name: name.to_owned(), number, watched, paths }))
    }
}

/// A path, as a device of which the events are wanted; `None` where the kernel does not tell its number.
pub(super) fn watched_path(path: &NvmePath) -> Option<Watched> {
    let (major, minor) = path.number?;
    Some(Watched { major, minor, events: Events::Requests })
}

/// The number of a device in the kernel's own form: 12 bits of major, 20 of minor.
pub(super) fn number_of(watched: &Watched) -> u32 {
    watched.major << 20 | watched.minor
}

/// The names of devices, by the numbers that their events have.
pub fn names_by_number(devices: &[RecordedDrive]) -> Vec<(u32, String)> {
    let names = |device: &RecordedDrive| {
        device.numbers().map(|number| (number, device.name.clone())).collect::<Vec<_>>()
    };
    devices.iter().flat_map(names).collect()
}

/// The drives behind devices, by the kernel's names.
pub fn identities_of(devices: &[RecordedDrive]) -> BTreeMap<String, Drive> {
    devices.iter().filter_map(|device| Some((device.name.clone(), device.drive()?))).collect()
}

/// The devices that were asked for; without any, every drive of the system that takes requests.
pub fn recorded_drives(asked: &[PathBuf]) -> Result<Vec<RecordedDrive>, Failure> {
    if asked.is_empty() {
        return every_drive();
    }
    let mut chosen: Vec<RecordedDrive> = Vec::new();
    for path in asked {
        let device = named(path)?;
        if chosen.iter().all(|other| other.name != device.name) {
            chosen.push(device);
        }
    }
    Ok(chosen)
}

/// Loop devices are left out: what they do is done by the drive that their file lies on.
fn every_drive() -> Result<Vec<RecordedDrive>, Failure> {
    let entries = fs::read_dir(SYS_BLOCK).map_err(|error| Failure::io(SYS_BLOCK, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut drives = Vec::new();
    for name in names.filter(|name| !name.starts_with("loop") && has_size(name)) {
        let drive = RecordedDrive::read(&Roots::live(), Path::new(SYS_BLOCK), &name)?;
        drives.extend(drive.filter(|drive| drive.span() == RequestSpan::IssueToCompletion));
    }
    drives.sort_by(|a, b| a.name.cmp(&b.name));
    if drives.is_empty() {
        return Err(environment!(
            "this system has no drive that takes requests: name what to record with --device, such as \
                       --device /dev/loop0"
        ));
    }
    Ok(drives)
}

fn has_size(name: &str) -> bool {
    let size = fs::read_to_string(Path::new(SYS_BLOCK).join(name).join("size"));
    size.is_ok_and(|size| size.trim() != "0")
}

/// A device by its name or by any path that leads to it.
fn named(path: &Path) -> Result<RecordedDrive, Failure> {
    let wrong = |why: &str| usage!("--device {}: {why}", path.display());
    let is_bare = path.components().count() == 1;
    let path = if is_bare { Path::new("/dev").join(path) } else { path.to_owned() };
    let real = fs::canonicalize(&path).map_err(|_| wrong("it is not there: `drivelab drives` lists them"))?;
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let class = Path::new("/sys/class/block").join(name);
    if class.join("partition").exists() {
        let whole =
            fs::canonicalize(&class).ok().and_then(|path| Some(path.parent()?.file_name()?.to_owned()));
        let whole = whole.unwrap_or_default();
        let whole = whole.to_string_lossy();
        return Err(wrong(&format!("it is a partition: name its drive, /dev/{whole}")));
    }
    let recorded = RecordedDrive::read(&Roots::live(), Path::new(SYS_BLOCK), name)?;
    recorded.ok_or_else(|| wrong("it is no block device: `drivelab drives` lists them"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme_paths::fixture;

    #[test]
    fn a_drive_with_several_paths_is_recorded_by_their_requests_under_its_own_name() {
        let root = fixture::machine();
        let blocks = root.path().join("sys/class/block");
        fixture::put(root.path(), "sys/devices/virtual/nvme-subsystem/nvme-subsys4/nvme4n1/dev", "259:2\n");
        let read = |name: &str| RecordedDrive::read(&Roots::at(root.path()), &blocks, name);
        let drive = read("nvme4n1").expect("numbers of paths").expect("a drive");
        assert_eq!(drive.span(), RequestSpan::IssueToCompletion);
        let name = || "nvme4n1".to_owned();
        assert_eq!(names_by_number(&[drive]), [(259 << 20 | 1, name()), (259 << 20 | 3, name())]);
        assert!(read("nvme4c7n1").expect("hidden").is_none(), "a path has no node");
        fixture::put(root.path(), "proc/diskstats", "259 1 nvme4c4n1 0\n0 0 nvme4c7n1 0\n");
        let refused = read("nvme4n1").err().map(|failure| failure.to_string()).expect("no number");
        assert!(refused.contains("nvme4c7n1"), "{refused}");
    }
}
