//! Where loop devices are mounted.

use std::path::{Path, PathBuf};

/// The mounts of this program's name space; nothing where they cannot be read.
pub(crate) fn mounts() -> String {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The folders that a device is mounted on, by `/proc/self/mountinfo` (proc(5)).
pub(crate) fn mounted_on(mounts: &str, node: &Path) -> Vec<PathBuf> {
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
