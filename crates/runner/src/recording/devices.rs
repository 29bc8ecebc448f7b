//! Which devices are recorded, and by which events.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::target::drive_of;
use drivelab_record::Drive;
use drivelab_safety::{DeviceNumber, DriveIdentity, System};
use drivelab_tests::RequestSpan;
use drivelab_tracer::{Events, Watched};

const SYS_BLOCK: &str = "/sys/block";

/// A whole device of the system.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its name, such as `sda`.
    pub name: String,
    /// Its number and events.
    pub watched: Watched,
}

impl Recorded {
    /// The kernel's own form of its number: 12 bits of major, 20 of minor.
    pub fn number(&self) -> u32 {
        self.watched.major << 20 | self.watched.minor
    }

    /// The drive that it is, as far as the kernel and udev tell.
    pub fn drive(&self) -> Option<Drive> {
        let number = DeviceNumber { major: self.watched.major, minor: self.watched.minor };
        DriveIdentity::read(&System::live(), number).map(|identity| drive_of(&identity))
    }

    /// What is measured of its I/Os.
    pub fn span(&self) -> RequestSpan {
        match self.watched.events {
            Events::Requests => RequestSpan::IssueToCompletion,
            Events::Bios => RequestSpan::RequestToCompletion,
        }
    }

    fn read(name: &str) -> Option<Recorded> {
        let folder = Path::new(SYS_BLOCK).join(name);
        let number = fs::read_to_string(folder.join("dev")).ok()?;
        let (major, minor) = number.trim().split_once(':')?;
        let events = if folder.join("mq").is_dir() { Events::Requests } else { Events::Bios };
        let watched = Watched { major: major.parse().ok()?, minor: minor.parse().ok()?, events };
        Some(Recorded { name: name.to_owned(), watched })
    }
}

/// The drives behind devices, by the kernel's names.
pub fn drives_of(devices: &[Recorded]) -> BTreeMap<String, Drive> {
    devices.iter().filter_map(|device| Some((device.name.clone(), device.drive()?))).collect()
}

/// The devices that were asked for; without any, every drive of the system that takes requests.
pub fn chosen(asked: &[PathBuf]) -> Result<Vec<Recorded>, Failure> {
    if asked.is_empty() {
        return every_drive();
    }
    let mut chosen: Vec<Recorded> = Vec::new();
    for path in asked {
        let device = named(path)?;
        if chosen.iter().all(|other| other.name != device.name) {
            chosen.push(device);
        }
    }
    Ok(chosen)
}

/// Loop devices are left out: what they do is done by the drive that their file lies on.
fn every_drive() -> Result<Vec<Recorded>, Failure> {
    let entries = fs::read_dir(SYS_BLOCK).map_err(|error| Failure::io(SYS_BLOCK, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut drives: Vec<Recorded> = names
        .filter(|name| !name.starts_with("loop") && has_size(name))
        .filter_map(|name| Recorded::read(&name))
        .filter(|drive| drive.watched.events == Events::Requests)
        .collect();
    drives.sort_by(|a, b| a.name.cmp(&b.name));
    if drives.is_empty() {
        let message = "this system has no drive that takes requests: name what to record with --device, such as \
                       --device /dev/loop0";
        return Err(Failure::Environment(message.to_owned()));
    }
    Ok(drives)
}

fn has_size(name: &str) -> bool {
    let size = fs::read_to_string(Path::new(SYS_BLOCK).join(name).join("size"));
    size.is_ok_and(|size| size.trim() != "0")
}

/// A device by its name or by any path that leads to it.
fn named(path: &Path) -> Result<Recorded, Failure> {
    let wrong = |why: &str| Failure::Usage(format!("--device {}: {why}", path.display()));
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
    Recorded::read(name).ok_or_else(|| wrong("it is no block device: `drivelab drives` lists them"))
}
