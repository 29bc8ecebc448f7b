//! What is mounted, in every mount namespace that a process lives in.

use std::path::{Path, PathBuf};

use super::mount_table::{self, MountEntry, MountTable};
use crate::system::{System, names_in};
use crate::{DeviceNumber, Use};

/// One mount of a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Every block device it is on: several for a file system of many drives.
    pub devices: Vec<DeviceNumber>,
    pub point: PathBuf,
    pub file_system: String,
    /// A process that lives in the namespace, where that is not this program's own.
    pub elsewhere: Option<u32>,
    number: DeviceNumber,
}

/// The drives of one mounted btrfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BtrfsPool {
    pub uuid: String,
    pub members: Vec<DeviceNumber>,
}

/// Every mount of every namespace, each once.
pub(crate) fn all(system: &System, tables: &[MountTable], pools: &[BtrfsPool]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for table in tables {
        for entry in &table.entries {
            let mount = Mount {
                devices: devices_of(system, entry, pools),
                number: entry.number,
                point: entry.point.clone(),
                file_system: entry.file_system.clone(),
                elsewhere: table.elsewhere,
            };
            let same = |known: &Mount| known.point == mount.point && known.devices == mount.devices;
            if table.elsewhere.is_none() || !mounts.iter().any(same) {
                mounts.push(mount);
            }
        }
    }
    mounts
}

/// The btrfs file systems that are mounted, each with its drives: the mount table names only one of them.
pub(crate) fn btrfs_pools(system: &System) -> Vec<BtrfsPool> {
    let root = system.sys("fs/btrfs");
    let members = |uuid: &str| -> Vec<DeviceNumber> {
        names_in(&root.join(uuid).join("devices"))
            .iter()
            .filter_map(|name| system.number_of_name(name))
            .collect()
    };
    names_in(&root)
        .into_iter()
        .map(|uuid| BtrfsPool { members: members(&uuid), uuid })
        .filter(|pool| !pool.members.is_empty())
        .collect()
}

/// The kind of the file system whose files have this device number.
pub(crate) fn file_system_of(system: &System, number: DeviceNumber) -> Option<String> {
    let entries = mount_table::own(system)?.entries;
    entries.into_iter().find(|entry| entry.number == number).map(|entry| entry.file_system)
}

/// The block devices that hold the files below `folder`.
pub(crate) fn devices_under(mounts: &[Mount], folder: &Path, number: DeviceNumber) -> Vec<DeviceNumber> {
    // A btrfs subvolume has a number of its own that no mount shows, so the longest mount point decides
    // where no number fits.
    let by_number = mounts.iter().find(|mount| mount.number == number && mount.elsewhere.is_none());
    let by_path = || {
        mounts
            .iter()
            .filter(|mount| mount.elsewhere.is_none() && folder.starts_with(&mount.point))
            .max_by_key(|mount| mount.point.as_os_str().len())
    };
    by_number.or_else(by_path).map(|mount| mount.devices.clone()).unwrap_or_default()
}

impl Mount {
    /// This mount as a use of `device`.
    pub(crate) fn as_use(&self, device: String) -> Use {
        Use::Mounted {
            device,
            at: self.point.clone(),
            file_system: self.file_system.clone(),
            essential: self.elsewhere.is_none_or(|process| process == 1) && is_essential(&self.point),
            process: self.elsewhere,
        }
    }
}

/// Whether the running system stands on what is mounted here.
fn is_essential(point: &Path) -> bool {
    ["/", "/boot", "/boot/efi", "/efi", "/usr", "/var", "/home", "/nix"]
        .iter()
        .any(|own| Path::new(own) == point)
}

/// The block devices of one mount. File systems of many drives (btrfs, bcachefs) show a made-up number with
/// major 0 and name drives as their source.
fn devices_of(system: &System, entry: &MountEntry, pools: &[BtrfsPool]) -> Vec<DeviceNumber> {
    if entry.number.major != 0 {
        return vec![entry.number];
    }
    let mut devices: Vec<DeviceNumber> =
        entry.source.split(':').filter_map(|path| system.number_of_node(Path::new(path))).collect();
    for pool in pools {
        if pool.members.iter().any(|member| devices.contains(member)) {
            devices.extend(&pool.members);
        }
    }
    devices.sort_unstable();
    devices.dedup();
    devices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> DeviceNumber {
        DeviceNumber::parse(text).expect("a number")
    }

    fn mount(device: &str, point: &str, elsewhere: Option<u32>) -> Mount {
        let number = number(device);
        let (point, file_system) = (point.into(), "ext4".to_owned());
        Mount { devices: vec![number], point, file_system, elsewhere, number }
    }

    #[test]
    fn results_lie_on_what_is_mounted_here_and_not_in_another_namespace() {
        let mounts = [
            mount("8:1", "/", None),
            mount("8:2", "/srv", None),
            mount("8:3", "/srv/deep", Some(9)),
            mount("8:4", "/other", Some(9)),
        ];
        for (folder, shown, carrier) in [
            ("/srv/deep/runs", "8:2", "8:2"),
            // The number of a subvolume, which no mount shows.
            ("/srv/deep/runs", "0:99", "8:2"),
            ("/home/runs", "0:99", "8:1"),
            ("/home/runs", "8:4", "8:1"),
        ] {
            assert_eq!(
                devices_under(&mounts, Path::new(folder), number(shown)),
                [number(carrier)],
                "{folder}"
            );
        }
    }

    #[test]
    fn a_file_has_the_file_system_that_is_mounted_with_its_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        std::fs::create_dir_all(system.proc("self")).expect("a folder");
        let table = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /srv rw - xfs /dev/sda2 rw\n";
        std::fs::write(system.proc("self/mountinfo"), table).expect("a table");
        let kinds = ["8:1", "8:2", "8:3"].map(|device| file_system_of(&system, number(device)));
        assert_eq!(kinds, [Some("ext4".to_owned()), Some("xfs".to_owned()), None]);
    }
}
