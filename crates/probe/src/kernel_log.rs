//! The kernel's log, followed from a moment on.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;

use drivelab_block::Nanos;

use crate::Roots;
use crate::controllers::{nvme_controllers, nvme_paths};

/// `O_NONBLOCK` on every architecture that Linux calls generic; a read at the end of the log comes back at once.
const NONBLOCK: i32 = 0o4000;
/// The longest record that the kernel hands out.
const RECORD_MAX: usize = 8192;

/// A record of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelRecord {
    /// When, on the kernel's own clock, from about the start of the machine.
    pub at: Nanos,
    /// What it says.
    pub text: String,
}

/// Follows the kernel's log.
#[derive(Debug)]
pub struct KernelLog {
    file: File,
    names: Vec<String>,
}

impl KernelLog {
    /// Follows what is said from now on about the drive with this kernel name; `None` where the log cannot be read.
    pub fn follow(roots: &Roots, drive: &str) -> Option<KernelLog> {
        let path = roots.path("dev/kmsg");
        let mut file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).ok()?;
        file.seek(SeekFrom::End(0)).ok()?;
        Some(KernelLog { file, names: names(roots, drive) })
    }

    /// What was said since the last call.
    pub fn news(&mut self) -> Vec<KernelRecord> {
        let mut found = Vec::new();
        let mut buffer = [0; RECORD_MAX];
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return found,
                Ok(length) => {
                    let text = String::from_utf8_lossy(&buffer[..length]);
                    found.extend(parse(&text).filter(|record| self.is_about_it(&record.text)));
                }
                // Records that were overwritten before they were read are gone; the next ones are not.
                Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
                Err(_) => return found,
            }
        }
    }

    fn is_about_it(&self, text: &str) -> bool {
        self.names.iter().any(|name| names_it(text, name))
    }
}

/// Whether a text has this name as a word of its own: `ata3` is in `ata3.00:`, not in `ata31:`.
fn names_it(text: &str, name: &str) -> bool {
    let is_word = |sign: char| sign.is_ascii_alphanumeric();
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// The drive's own name, and those of the port and the controller it hangs on, which the kernel's errors name: of an NVMe drive
/// with several controllers, all of these, and the paths through them.
fn names(roots: &Roots, drive: &str) -> Vec<String> {
    let mut names = vec![drive.to_owned()];
    let Ok(place) = roots.path(roots.drive_folder(drive)).canonicalize() else { return names };
    let parts = place.components().filter_map(|part| part.as_os_str().to_str());
    let is_numbered = |part: &&str| {
        ["ata", "nvme", "mmc", "md"].iter().any(|kind| {
            part.strip_prefix(kind)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    names.extend(parts.filter(is_numbered).filter(|part| *part != drive).map(str::to_owned));
    for controller in nvme_controllers(roots, drive) {
        if !names.contains(&controller.name) {
            names.push(controller.name);
        }
    }
    names.extend(nvme_paths(roots, drive).into_iter().map(|path| path.name));
    names
}

/// `PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT`, with lines of its dictionary behind it.
fn parse(record: &str) -> Option<KernelRecord> {
    let (head, text) = record.split_once(';')?;
    let micros: u64 = head.split(',').nth(2)?.parse().ok()?;
    let text = text.lines().next()?.to_owned();
    Some(KernelRecord { at: Nanos::new(micros.checked_mul(1_000)?), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_taken_apart() {
        let record = "3,1234,5678901,-;ata3.00: exception Emask 0x10\n SUBSYSTEM=scsi\n";
        let parsed = parse(record).expect("a record");
        assert_eq!((parsed.at.get(), parsed.text.as_str()), (5_678_901_000, "ata3.00: exception Emask 0x10"));
        assert_eq!(parse("garbage"), None);
        assert_eq!(parse("3,1,99999999999999999999,-;x"), None);
    }

    #[test]
    fn a_name_is_a_word() {
        assert!(names_it("ata3.00: exception", "ata3"));
        assert!(names_it("sd 2:0:0:0: [sdb] tag#1 FAILED", "sdb"));
        assert!(!names_it("ata31: link is slow", "ata3"));
        assert!(!names_it("usb 1-1: new device", "sb"));
    }

    #[test]
    fn the_port_of_a_drive_is_found_in_its_path() {
        let root = tempfile::tempdir().expect("a folder");
        let device = root.path().join("sys/devices/pci0000:00/ata3/host2/target2:0:0/2:0:0:0/block/sdb");
        std::fs::create_dir_all(&device).expect("a device");
        std::fs::create_dir_all(root.path().join("sys/class/block")).expect("a folder");
        std::os::unix::fs::symlink(&device, root.path().join("sys/class/block/sdb")).expect("a link");
        assert_eq!(names(&Roots::at(root.path()), "sdb"), ["sdb", "ata3"]);
    }

    #[test]
    fn the_controllers_and_paths_of_a_drive_are_named() {
        let root = tempfile::tempdir().expect("a folder");
        crate::controllers::fixture::head(root.path(), 2);
        let expected = ["nvme0n1", "nvme0", "nvme1", "nvme0c0n1", "nvme0c1n1"];
        assert_eq!(names(&Roots::at(root.path()), "nvme0n1"), expected);
    }
}
