//! What `losetup` is asked, what it answers, and where loop devices are mounted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_program::{NoAnswer, answer, find};
use drivelab_safety::unescape;

use crate::image::ImageError;

/// How long a program may be silent: it does no more than a few system calls.
const PATIENCE: Duration = Duration::from_secs(60);

/// A loop device that shows a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopDevice {
    /// Its node.
    pub node: PathBuf,
    /// The byte of the file that it begins with.
    pub offset: u64,
    /// How many bytes of it there are; as many as it has where that is not limited.
    pub length: u64,
    /// Whether it goes with its last descriptor.
    pub goes_by_itself: bool,
    /// Whether the kernel refuses every write.
    pub is_read_only: bool,
}

impl LoopDevice {
    /// Whether it shows just this part of its file.
    pub(crate) fn shows(&self, offset: u64, length: u64) -> bool {
        (self.offset, self.length) == (offset, length)
    }
}

/// What a program that failed may have lacked.
pub(crate) fn root_words() -> &'static str {
    if rustix::process::geteuid().is_root() { "" } else { " (loop devices and mounts need root)" }
}

/// Runs a program to its end; its output.
pub(crate) fn run(name: &str, words: &[&str]) -> Result<String, ImageError> {
    let not_done = |why: String| ImageError::Environment(format!("{name} {}: {why}", words.join(" ")));
    let program = find(name).ok_or_else(|| not_done("it is not installed: install util-linux".to_owned()))?;
    match answer(&program, words, None, PATIENCE) {
        Ok(answer) if answer.status.success() => Ok(String::from_utf8_lossy(&answer.output).into_owned()),
        Ok(answer) => Err(not_done(format!("{}{}", answer.failure(), root_words()))),
        Err(NoAnswer::NotRun(error)) => Err(not_done(error.to_string())),
        Err(NoAnswer::Silent | NoAnswer::Endless) => Err(not_done("it came to no end".to_owned())),
    }
}

pub(crate) fn text(path: &Path) -> Result<&str, ImageError> {
    path.to_str().ok_or_else(|| ImageError::Environment(format!("{} is no plain text", path.display())))
}

pub(crate) fn devices_of(file: &Path) -> Result<Vec<LoopDevice>, ImageError> {
    let columns = "NAME,OFFSET,SIZELIMIT,AUTOCLEAR,RO";
    let said = run("losetup", &["--associated", text(file)?, "--noheadings", "--raw", "--output", columns])?;
    let device = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [node, offset, length, cleared, read_only] = words.as_slice() else { return None };
        let (offset, length) = (offset.parse().ok()?, length.parse().ok()?);
        let length = if length == 0 { u64::MAX } else { length };
        Some(LoopDevice {
            node: PathBuf::from(node),
            offset,
            length,
            goes_by_itself: *cleared == "1",
            is_read_only: *read_only == "1",
        })
    };
    Ok(said.lines().filter_map(device).collect())
}

/// The nodes of the loop devices that show a file which had this name, and was deleted: `losetup` does not know it by the name.
pub(crate) fn nodes_of_deleted(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(folder), Some(name)) = (folder.canonicalize(), file.file_name()) else { return Vec::new() };
    let mut deleted = folder.join(name).into_os_string();
    deleted.push(" (deleted)\n");
    let is_of_it = |device: &PathBuf| {
        let shown = std::fs::read(device.join("loop/backing_file"));
        shown.is_ok_and(|shown| shown == deleted.as_encoded_bytes())
    };
    let devices = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let own = devices.map(|device| device.path()).filter(is_of_it);
    let mut nodes: Vec<PathBuf> =
        own.filter_map(|device| Some(Path::new("/dev").join(device.file_name()?))).collect();
    nodes.sort();
    nodes
}

/// Whether what is shown can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopAccess {
    /// Its reader may write too.
    ReadWrite,
    /// The kernel refuses every write.
    ReadOnly,
}

/// Shows a part of a file as a loop device, past the page cache of the file where its file system allows that.
pub(crate) fn attach(
    file: &Path,
    (offset, length): (u64, u64),
    access: LoopAccess,
) -> Result<PathBuf, ImageError> {
    let (offset, length) = (offset.to_string(), length.to_string());
    let only: &[&str] = if access == LoopAccess::ReadOnly { &["--read-only"] } else { &[] };
    let words = ["--find", "--show", "--offset", &offset, "--sizelimit", &length, text(file)?];
    let node = PathBuf::from(run("losetup", &[only, &words].concat())?.trim());
    // Where it is refused the device is served through the page cache, which whoever measures looks up in sysfs.
    let _ = run("losetup", &["--direct-io=on", text(&node)?]);
    Ok(node)
}

/// Takes a loop device away; one that is open goes with its last descriptor.
pub(crate) fn detach(node: &Path) -> Result<(), ImageError> {
    run("losetup", &["--detach", text(node)?]).map(drop)
}

/// The mounts of this program's name space; nothing where they cannot be read.
pub(crate) fn mounts() -> String {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The folders that a device is mounted on, by `/proc/self/mountinfo` (proc(5)).
pub(crate) fn mounted_on(mounts: &str, node: &Path) -> Vec<PathBuf> {
    let folder = |line: &str| {
        let (before, behind) = line.split_once(" - ")?;
        let source = behind.split(' ').nth(1)?;
        (Path::new(source) == node).then(|| before.split(' ').nth(4).map(unescape)).flatten()
    };
    mounts.lines().filter_map(folder).collect()
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
