//! What is mounted: the kernel's tables of mounts, one for each mount namespace that a process lives in.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::system::{System, names_in, text, unescape};
use crate::{DeviceNumber, Use};

/// What is mounted in one namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MountTable {
    /// A process that lives in the namespace, where that is not this program's own.
    pub elsewhere: Option<u32>,
    pub entries: Vec<MountEntry>,
}

/// The fields of a line of mountinfo that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MountEntry {
    pub number: DeviceNumber,
    /// The folder of the file system that is seen at `point`.
    pub root: PathBuf,
    pub point: PathBuf,
    pub file_system: String,
    pub source: String,
    /// The options of the file system, as the kernel writes them.
    pub options: String,
}

/// The table of this program's own namespace; `None` where it cannot be read.
fn own(system: &System) -> Option<MountTable> {
    let table = text(&system.proc("self/mountinfo"))?;
    Some(MountTable { elsewhere: None, entries: parse(&table) })
}

/// The table of every namespace, this program's own first.
pub(crate) fn tables(system: &System) -> Vec<MountTable> {
    let mut tables: Vec<MountTable> = own(system).into_iter().collect();
    let mut namespaces: HashSet<PathBuf> = fs::read_link(system.proc("self/ns/mnt")).into_iter().collect();
    for process in system.processes() {
        if let Ok(namespace) = fs::read_link(system.proc(format!("{process}/ns/mnt")))
            && !namespaces.insert(namespace)
        {
            continue;
        }
        let table = text(&system.proc(format!("{process}/mountinfo"))).unwrap_or_default();
        tables.push(MountTable { elsewhere: Some(process), entries: parse(&table) });
    }
    tables
}

impl MountTable {
    /// Which file system a path lies on, and where in it.
    pub(crate) fn place_of(&self, path: &Path) -> Option<(DeviceNumber, PathBuf)> {
        // The last of several mounts at one point lies over the others.
        let carrier = |entry: &&MountEntry| path.starts_with(&entry.point);
        let entry = self.entries.iter().filter(carrier).max_by_key(|entry| entry.point.as_os_str().len())?;
        Some((entry.number, entry.root.join(path.strip_prefix(&entry.point).ok()?)))
    }
}

fn parse(table: &str) -> Vec<MountEntry> {
    table.lines().filter_map(MountEntry::parse).collect()
}

impl MountEntry {
    /// `36 35 98:0 /root /mount/point rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
    fn parse(line: &str) -> Option<MountEntry> {
        let (mount, kind) = line.split_once(" - ")?;
        let mut fields = mount.split(' ');
        let number = DeviceNumber::parse(fields.nth(2)?)?;
        let (root, point) = (unescape(fields.next()?), unescape(fields.next()?));
        let mut kinds = kind.split(' ');
        let file_system = kinds.next()?.to_owned();
        let source = unescape(kinds.next().unwrap_or_default()).to_string_lossy().into_owned();
        let options = kinds.next().unwrap_or_default().to_owned();
        Some(MountEntry { number, root, point, file_system, source, options })
    }
}

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
    let entries = own(system)?.entries;
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

    #[test]
    fn a_path_lies_in_the_last_mount_at_the_longest_point() {
        let entries = parse(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 8:2 /data /mnt rw - ext4 /dev/sda2 rw\n\
             3 1 0:40 / /mnt rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/w\n",
        );
        let table = MountTable { elsewhere: None, entries };
        let number = |text| DeviceNumber::parse(text).expect("a number");
        assert_eq!(table.place_of(Path::new("/mnt/f")), Some((number("0:40"), "/f".into())));
        assert_eq!(table.place_of(Path::new("/mntx/f")), Some((number("8:1"), "/mntx/f".into())));
        let below = MountTable { elsewhere: None, entries: table.entries[..2].to_vec() };
        assert_eq!(below.place_of(Path::new("/mnt/f")), Some((number("8:2"), "/data/f".into())));
        assert!(table.entries[2].options.contains("upperdir=/c"));
    }

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
        fs::create_dir_all(system.proc("self")).expect("a folder");
        let table = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /srv rw - xfs /dev/sda2 rw\n";
        fs::write(system.proc("self/mountinfo"), table).expect("a table");
        let kinds = ["8:1", "8:2", "8:3"].map(|device| file_system_of(&system, number(device)));
        assert_eq!(kinds, [Some("ext4".to_owned()), Some("xfs".to_owned()), None]);
    }
}
