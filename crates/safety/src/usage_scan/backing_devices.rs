//! Devices that stand in for a file or for another device: loop devices, and zram with a backing device.

use std::path::{Path, PathBuf};

use super::loop_status::{Backing, backing_of};
use super::overlays::{FileNames, FileNumber, Overlays};
use crate::system::{System, names_in, nonempty_text};
use crate::{DeviceNumber, FileIdentity};

/// A device whose contents lie somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackingDevice {
    /// The kernel name of the device that stands in.
    pub name: String,
    /// The block device that it writes to, where it is one.
    pub device: Option<DeviceNumber>,
    /// The file that it writes to, where it can be found.
    pub file: Option<FileIdentity>,
    names: FileNames,
    path: PathBuf,
    /// Device and inode of the file behind a loop device, as the loop device itself knows them.
    inode: Option<FileNumber>,
}

impl BackingDevice {
    /// Whether it writes to the file at this path with these names. The path that sysfs shows is of no use
    /// where the file was renamed, or lies in another mount namespace: then what the loop device itself knows
    /// decides.
    pub(crate) fn is_file(&self, path: &Path, names: &FileNames) -> bool {
        self.names.shares_with(names) || self.path == path || self.inode.is_some_and(|inode| names.has(inode))
    }

    /// Whether it is not known to which file or device it writes: the path alone may lead to another file, or name a device whose
    /// node was removed.
    pub(crate) fn is_unknown(&self) -> bool {
        self.device.is_none() && self.inode.is_none()
    }

    /// Whether both write to the same file or device.
    pub(crate) fn shares_with(&self, other: &BackingDevice) -> bool {
        let has = |one: &BackingDevice, inode: Option<FileNumber>| {
            inode.is_some_and(|inode| one.names.has(inode) || one.inode == Some(inode))
        };
        let same_file =
            self.names.shares_with(&other.names) || has(self, other.inode) || has(other, self.inode);
        let same_device = self.device.is_some() && self.device == other.device;
        same_file || same_device
    }
}

/// Every device that stands in for another.
pub(crate) fn all(system: &System, overlays: &Overlays) -> Vec<BackingDevice> {
    let root = system.sys("block");
    let backing = |name: &String| {
        let loop_file = nonempty_text(&root.join(name).join("loop/backing_file"));
        let zram_device =
            || nonempty_text(&root.join(name).join("backing_dev")).filter(|path| path != "none");
        loop_file.or_else(zram_device)
    };
    names_in(&root)
        .into_iter()
        .filter_map(|name| backing(&name).map(|path| stand_in(system, overlays, name, &path)))
        .collect()
}

/// What the device itself knows of what is behind it decides; its path, where it cannot be asked.
fn stand_in(system: &System, overlays: &Overlays, name: String, path: &str) -> BackingDevice {
    let path = PathBuf::from(path);
    let (device, inode) = match backing_of(system, &name) {
        Some(Backing::Device(device)) => (Some(device), None),
        Some(Backing::File(number)) => (None, Some(number)),
        None => (system.number_of_node(&path), None),
    };
    let file = FileIdentity::at(system, &path);
    let names = file.as_ref().map(|file| overlays.names_of(file)).unwrap_or_default();
    BackingDevice { name, device, file, names, path, inode }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn number(text: &str) -> DeviceNumber {
        DeviceNumber::parse(text).expect("a number")
    }

    fn nothing() -> BackingDevice {
        BackingDevice {
            name: "loop0".to_owned(),
            device: None,
            file: None,
            names: FileNames::default(),
            path: "/a".into(),
            inode: None,
        }
    }

    #[test]
    fn two_that_write_to_one_file_or_device_share_it_however_it_is_known() {
        let inode = Some((number("8:1"), 7));
        let named = BackingDevice {
            names: FileNames { numbers: vec![(number("8:1"), 7)], is_incomplete: false },
            ..nothing()
        };
        let by_inode = BackingDevice { inode, ..nothing() };
        let on_device = BackingDevice { device: Some(number("8:2")), ..nothing() };
        for (one, other) in
            [(&named, &named), (&named, &by_inode), (&by_inode, &by_inode), (&on_device, &on_device)]
        {
            assert!(one.shares_with(other) && other.shares_with(one), "{one:?} {other:?}");
        }
        let others = [
            nothing(),
            BackingDevice { inode: Some((number("8:1"), 8)), ..nothing() },
            BackingDevice { device: Some(number("8:3")), ..nothing() },
        ];
        for other in others {
            for one in [&named, &by_inode, &on_device] {
                assert!(!one.shares_with(&other) && !other.shares_with(one), "{one:?} {other:?}");
            }
        }
        assert!(nothing().is_unknown() && !by_inode.is_unknown() && !on_device.is_unknown());
    }

    #[test]
    fn a_zram_device_stands_in_for_its_backing_device_where_it_has_one() {
        let machine = tempfile::tempdir().expect("a folder");
        for (name, backing) in [("zram0", "none"), ("zram1", "/dev/sdb")] {
            let folder = machine.path().join("sys/block").join(name);
            fs::create_dir_all(&folder).expect("room on disk");
            fs::write(folder.join("backing_dev"), format!("{backing}\n")).expect("room on disk");
        }
        let found = all(&System::rooted_at(machine.path()), &Overlays::default());
        let found: Vec<(&str, &Path)> =
            found.iter().map(|one| (one.name.as_str(), one.path.as_path())).collect();
        assert_eq!(found, [("zram1", Path::new("/dev/sdb"))]);
    }
}
