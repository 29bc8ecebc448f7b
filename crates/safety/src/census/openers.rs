//! Which processes have a drive or a file open.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::system::{System, names_in, text};
use crate::{DeviceNumber, FileIdentity};

/// A process that has something open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub process: u32,
    pub command: String,
    pub opened: Opened,
    /// Whether it may write through that descriptor.
    pub writes: bool,
    /// Whether this program started the process.
    pub is_child: bool,
}

/// What a descriptor refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    Device(DeviceNumber),
    /// Device and inode of a regular file.
    File(DeviceNumber, u64),
}

impl Opener {
    pub(crate) fn has_file(&self, file: &FileIdentity) -> bool {
        self.opened == Opened::File(file.device, file.inode)
    }

    /// udev looks at every drive that was closed after writing, and lets go of it at once.
    pub(crate) fn is_udev_reading(&self) -> bool {
        !self.writes && ["(udev-worker)", "systemd-udevd", "udevd"].contains(&self.command.as_str())
    }
}

/// Every descriptor of another process that refers to a block device or a regular file, and how many
/// processes did not let themselves be looked at.
pub(crate) fn all(system: &System) -> (Vec<Opener>, usize) {
    let mut openers = Vec::new();
    let mut hidden = 0;
    let own_program = fs::read_link(system.proc("self/exe")).ok();
    for process in system.processes() {
        if process == system.own_process() {
            continue;
        }
        let folder = system.proc(process.to_string());
        if own_program.is_some() && parent_of(&folder) == Some(system.own_process()) {
            // Between fork and exec a program that another thread starts still shows this one's descriptors.
            if fs::read_link(folder.join("exe")).ok() == own_program {
                continue;
            }
        }
        match fs::read_dir(folder.join("fd")) {
            Ok(_) => openers.extend(of_process(system, process, &folder)),
            // A process that has ended meanwhile has nothing open.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => hidden += 1,
        }
    }
    (openers, hidden)
}

fn of_process(system: &System, process: u32, folder: &Path) -> Vec<Opener> {
    let mut openers: Vec<Opener> = Vec::new();
    for descriptor in names_in(&folder.join("fd")) {
        let Some(opened) = opened(system, &folder.join("fd").join(&descriptor)) else { continue };
        let writes = may_write(&folder.join("fdinfo").join(&descriptor));
        if let Some(known) = openers.iter_mut().find(|known| known.opened == opened) {
            known.writes |= writes;
            continue;
        }
        let command = text(&folder.join("comm")).unwrap_or_default();
        let is_child = parent_of(folder) == Some(system.own_process());
        openers.push(Opener { process, command, opened, writes, is_child });
    }
    openers
}

fn opened(system: &System, descriptor: &Path) -> Option<Opened> {
    if let Ok(found) = fs::metadata(descriptor) {
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some(Opened::Device(DeviceNumber::from_raw(found.rdev())));
        }
        if kind.is_file() {
            return Some(Opened::File(DeviceNumber::from_raw(found.dev()), found.ino()));
        }
        return None;
    }
    // What cannot be looked at may still be told by the name it was opened by.
    let path = fs::read_link(descriptor).ok()?;
    system.number_of_node(&path).map(Opened::Device)
}

/// Whether a descriptor allows writing; where that cannot be told it is taken to.
fn may_write(fdinfo: &Path) -> bool {
    let flags = text(fdinfo).and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
        u32::from_str_radix(line.trim(), 8).ok()
    });
    // The two lowest bits are the access mode: 0 reads only.
    flags.is_none_or(|flags| flags & 0b11 != 0)
}

fn parent_of(folder: &Path) -> Option<u32> {
    // The command name comes second, in brackets, and may hold anything, brackets too.
    let stat = text(&folder.join("stat"))?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
