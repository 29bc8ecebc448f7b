//! What an image holds, and what is shown of it at the moment.

use std::path::{Path, PathBuf};

use drivelab_block::ByteCount;

use crate::losetup::{LoopDevice, devices_of};
use crate::{ImageError, ImageName};

/// An image, its partitions, and the devices that show them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its length.
    pub length: ByteCount,
    /// Its partitions in the order of their numbers; none where it has no partition table.
    pub partitions: Option<Vec<ListedPartition>>,
    /// The devices that show something else of it: all of it, for one.
    pub others: Vec<Shown>,
}

/// A partition of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPartition {
    /// Its number, from 1.
    pub number: u32,
    /// Its first byte.
    pub start: u64,
    /// Its length.
    pub length: ByteCount,
    /// The devices that show it.
    pub shown: Vec<Shown>,
}

/// A loop device, and where it is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its node.
    pub node: PathBuf,
    /// The folders, in the order of their mounts.
    pub mounted_on: Vec<PathBuf>,
}

/// Lists an image.
///
/// # Errors
/// [`ImageError`], where its partition table is damaged, for one.
pub fn list(file: &Path) -> Result<Listed, ImageError> {
    let name = ImageName { file: file.to_owned(), partition: None };
    let (_, length) = name.part()?;
    let partitions = name.partitions()?;
    let mut devices = devices_of(file)?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let shown =
        |device: LoopDevice| Shown { mounted_on: mounted_on(&mounts, &device.node), node: device.node };
    let partitions = partitions.map(|mut partitions| {
        partitions.sort_by_key(|one| one.number);
        let listed = partitions.into_iter().map(|one| {
            let is_own =
                |device: &mut LoopDevice| device.offset == one.start && device.length == one.length.get();
            let own = devices.extract_if(.., is_own).map(shown).collect();
            ListedPartition { number: one.number, start: one.start, length: one.length, shown: own }
        });
        listed.collect()
    });
    Ok(Listed {
        length: ByteCount::new(length),
        partitions,
        others: devices.into_iter().map(shown).collect(),
    })
}

/// The folders that a device is mounted on, by `/proc/self/mountinfo` (proc(5)).
fn mounted_on(mounts: &str, node: &Path) -> Vec<PathBuf> {
    let folder = |line: &str| {
        let (before, behind) = line.split_once(" - ")?;
        let source = behind.split(' ').nth(1)?;
        (Path::new(source) == node).then(|| before.split(' ').nth(4).map(plain)).flatten()
    };
    mounts.lines().filter_map(folder).collect()
}

/// A path in which the kernel has written white space and backslashes in octal.
fn plain(path: &str) -> PathBuf {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    PathBuf::from(escapes.iter().fold(path.to_owned(), |path, (code, sign)| path.replace(code, sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_a_device_are_found_among_all_mounts() {
        let mounts = "\
            36 35 7:0 / /mnt/a\\040b rw shared:1 - ext4 /dev/loop0 rw\n\
            37 35 7:1 / /mnt/c rw - ext4 /dev/loop1 rw\n\
            38 35 7:0 / /mnt/d ro - ext4 /dev/loop0 rw\n";
        let found = mounted_on(mounts, Path::new("/dev/loop0"));
        assert_eq!(found, [PathBuf::from("/mnt/a b"), PathBuf::from("/mnt/d")]);
        assert!(mounted_on(mounts, Path::new("/dev/loop")).is_empty());
    }
}
