//! The kernel's tables of mounts: one for each mount namespace that a process lives in.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::DeviceNumber;
use crate::system::{System, text, unescape};

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
pub(crate) fn own(system: &System) -> Option<MountTable> {
    let table = text(&system.proc("self/mountinfo"))?;
    Some(MountTable { elsewhere: None, entries: parse(&table) })
}

/// The table of every namespace, this program's own first.
pub(crate) fn all(system: &System) -> Vec<MountTable> {
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
}
