//! Devices that stand in for a file or for another device: loop devices, and zram with a backing device.

use std::fs;
use std::path::{Path, PathBuf};

use crate::system::{System, names_in, nonempty_text};
use crate::{DeviceNumber, FileIdentity};

/// A device whose contents lie somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StandIn {
    /// The kernel name of the device that stands in.
    pub name: String,
    /// The block device that it writes to, where it is one.
    pub device: Option<DeviceNumber>,
    file: Option<FileIdentity>,
    path: PathBuf,
}

impl StandIn {
    /// Whether this is the file that it writes to. A deleted file has no path left to compare but its own.
    pub(crate) fn is_file(&self, file: &FileIdentity) -> bool {
        self.file.as_ref().is_some_and(|own| own.is_same_file(file)) || self.path == file.path
    }
}

/// Every device that stands in for another.
pub(crate) fn all(system: &System) -> Vec<StandIn> {
    let root = system.sys("block");
    let backing = |name: &String| {
        let loop_file = nonempty_text(&root.join(name).join("loop/backing_file"));
        let zram_device =
            || nonempty_text(&root.join(name).join("backing_dev")).filter(|path| path != "none");
        loop_file.or_else(zram_device)
    };
    names_in(&root)
        .into_iter()
        .filter_map(|name| backing(&name).map(|path| stand_in(system, name, &path)))
        .collect()
}

fn stand_in(system: &System, name: String, path: &str) -> StandIn {
    let path = PathBuf::from(path);
    let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
    StandIn {
        name,
        device: system.number_of_node(Path::new(&path)),
        file: found.map(|found| FileIdentity::from_metadata(system, &path, &found)),
        path,
    }
}
