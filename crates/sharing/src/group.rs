//! A control group for processes whose I/O is to be held back.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::Places;
use crate::places::Hierarchy;

/// How the I/O of a group is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// To so many bytes a second each way on the drive with this number (major, minor).
    Bytes {
        /// Bytes a second.
        rate: u64,
        /// The drive's number.
        drive: (u32, u32),
    },
    /// To this weight among its siblings, which have 100; needs the scheduler bfq.
    Weight(u32),
}

/// A group, which is removed when this is dropped; the processes that are in it then go back to where it was made.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    parent: PathBuf,
    is_unified: bool,
    /// Whether the parent hands the I/O controller on only since this was made.
    hands_on: bool,
}

impl Group {
    /// Whether the machine has groups that hold I/O back; nothing is made.
    pub fn is_offered(places: &Places) -> bool {
        places.hierarchy().is_some()
    }

    /// Makes a group.
    ///
    /// # Errors
    /// Where the machine has no I/O controller, or the group cannot be made.
    pub fn create(places: &Places) -> io::Result<Group> {
        let Hierarchy { path: parent, is_unified } = places.hierarchy().ok_or_else(|| {
            io::Error::new(ErrorKind::Unsupported, "no hierarchy of control groups has the I/O controller")
        })?;
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        let handed_on = fs::read_to_string(parent.join("cgroup.subtree_control")).unwrap_or_default();
        let hands_on = is_unified && !handed_on.split_whitespace().any(|controller| controller == "io");
        if hands_on {
            // Children have the controller only where their parent hands it on; that it does harms nobody.
            fs::write(parent.join("cgroup.subtree_control"), "+io")?;
        }
        let path = parent.join(owner.instance(0));
        fs::create_dir(&path)?;
        Ok(Group { path, parent, is_unified, hands_on })
    }

    /// Puts a process into the group.
    ///
    /// # Errors
    /// Where it is gone, or may not be moved.
    pub fn add(&self, process: u32) -> io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), process.to_string())
    }

    /// Holds the group back.
    ///
    /// # Errors
    /// Where the kernel does not have that limit.
    pub fn limit(&self, limit: Limit) -> io::Result<()> {
        let write = |name: &str, value: String| fs::write(self.path.join(name), value);
        match (limit, self.is_unified) {
            (Limit::Bytes { rate, drive: (major, minor) }, true) => {
                write("io.max", format!("{major}:{minor} rbps={rate} wbps={rate}"))
            }
            (Limit::Bytes { rate, drive: (major, minor) }, false) => {
                write("blkio.throttle.read_bps_device", format!("{major}:{minor} {rate}"))?;
                write("blkio.throttle.write_bps_device", format!("{major}:{minor} {rate}"))
            }
            (Limit::Weight(weight), true) => write("io.bfq.weight", weight.to_string()),
            (Limit::Weight(weight), false) => write("blkio.bfq.weight", weight.to_string()),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if remove(&self.path, &self.parent) && self.hands_on {
            let _ = fs::write(self.parent.join("cgroup.subtree_control"), "-io");
        }
    }
}

/// Moves who is left to the parent, and removes the group.
fn remove(path: &Path, parent: &Path) -> bool {
    let left = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    for process in left.lines() {
        let _ = fs::write(parent.join("cgroup.procs"), process);
    }
    fs::remove_dir(path).is_ok()
}

/// Removes the groups of programs that are due.
pub(crate) fn undo(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let Some(hierarchy) = places.hierarchy() else { return Vec::new() };
    let Ok(entries) = fs::read_dir(&hierarchy.path) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let abandoned = names.filter(|name| Owner::of_instance(name).is_some_and(is_due));
    let removed = abandoned.filter(|name| remove(&hierarchy.path.join(name), &hierarchy.path));
    removed.map(|name| format!("the control group {name} is removed")).collect()
}
