//! A control group for processes whose I/O is to be held back.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::sharing::places::Hierarchy;
use crate::sharing::{Places, controller};

/// How the I/O of a group is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// To so many bytes a second each way on the drive with this number (major, minor).
    Bytes {
        /// Bytes a second.
        rate: u64,
        /// The drive's major number.
        major: u32,
        /// Its minor number.
        minor: u32,
    },
    /// To this weight among its siblings, which have 100; needs the scheduler bfq.
    Weight(u32),
}

/// A group, which is removed when this is dropped; the processes that are in it then go back to where it was made.
#[derive(Debug)]
pub struct Group {
    places: Places,
    path: PathBuf,
    hierarchy: Hierarchy,
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
        let hierarchy = places.hierarchy().ok_or_else(|| {
            io::Error::new(ErrorKind::Unsupported, "no hierarchy of control groups has the I/O controller")
        })?;
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        let path = hierarchy.path.join(owner.instance(0));
        if hierarchy.is_unified {
            let _held = controller::hold(places)?;
            controller::hand_on(places, &hierarchy.path)?;
            fs::create_dir(&path).inspect_err(|_| {
                controller::take_back(places, &hierarchy.path);
            })?;
        } else {
            fs::create_dir(&path)?;
        }
        Ok(Group { places: places.clone(), path, hierarchy })
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
        match (limit, self.hierarchy.is_unified) {
            (Limit::Bytes { rate, major, minor }, true) => {
                write("io.max", format!("{major}:{minor} rbps={rate} wbps={rate}"))
            }
            (Limit::Bytes { rate, major, minor }, false) => {
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
        remove(&self.places, &self.hierarchy, std::slice::from_ref(&self.path));
    }
}

/// Removes groups, and what was handed on for them; what was done, a few words each.
fn remove(places: &Places, hierarchy: &Hierarchy, groups: &[PathBuf]) -> Vec<String> {
    let removed = groups.iter().filter(|group| remove_one(group, &hierarchy.path));
    let mut done: Vec<String> =
        removed.map(|group| format!("the control group {} is removed", name(group))).collect();
    // Where another program is at it, the note stays for it, or for the next start.
    if hierarchy.is_unified
        && controller::is_noted(places)
        && let Ok(_held) = controller::hold(places)
    {
        done.extend(controller::take_back(places, &hierarchy.path));
    }
    done
}

/// Moves who is left to the parent, and removes the group.
fn remove_one(path: &Path, parent: &Path) -> bool {
    let left = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
    for process in left.lines() {
        let _ = fs::write(parent.join("cgroup.procs"), process);
    }
    fs::remove_dir(path).is_ok()
}

/// Removes the groups of programs that are due.
pub(crate) fn undo(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let Some(hierarchy) = places.hierarchy() else { return Vec::new() };
    remove(places, &hierarchy, &due(&hierarchy, is_due))
}

/// The groups of programs that are due, in words.
pub(crate) fn left(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let groups = places.hierarchy().map(|hierarchy| due(&hierarchy, is_due));
    groups.into_iter().flatten().map(|group| format!("the control group {}", name(&group))).collect()
}

/// The groups of programs that are due.
fn due(hierarchy: &Hierarchy, is_due: &impl Fn(Owner) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(&hierarchy.path).into_iter().flatten().flatten();
    let is_abandoned = |path: &PathBuf| Owner::of_instance(&name(path)).is_some_and(is_due);
    entries.map(|entry| entry.path()).filter(is_abandoned).collect()
}

fn name(group: &Path) -> String {
    group.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::{abandoned, clear_abandoned};

    /// A machine with version 2's hierarchy. Its files are plain ones: what is written to them is what they then hold.
    fn machine() -> (tempfile::TempDir, Places) {
        let root = tempfile::tempdir().expect("a folder");
        let groups = root.path().join("sys/fs/cgroup");
        fs::create_dir_all(&groups).expect("a hierarchy");
        fs::write(groups.join("cgroup.controllers"), "cpu io memory\n").expect("controllers");
        fs::write(groups.join("cgroup.subtree_control"), "memory\n").expect("none of them handed on");
        let places = Places::at(root.path());
        (root, places)
    }

    fn control(root: &tempfile::TempDir) -> String {
        fs::read_to_string(root.path().join("sys/fs/cgroup/cgroup.subtree_control")).expect("a file")
    }

    fn notes(places: &Places) -> usize {
        fs::read_dir(places.notes()).map_or(0, Iterator::count)
    }

    #[test]
    fn the_controller_goes_with_the_last_group() {
        let (root, places) = machine();
        let group = Group::create(&places).expect("a group");
        assert_eq!((control(&root).as_str(), notes(&places)), ("+io", 1));
        let of_another = root.path().join("sys/fs/cgroup/drivelab-1-99999999999-0");
        fs::create_dir(&of_another).expect("a group of another program");
        drop(group);
        assert_eq!((control(&root).as_str(), notes(&places)), ("+io", 1), "the other group needs it");
        let left = abandoned(&places);
        assert_eq!(left, ["the control group drivelab-1-99999999999-0"]);
        assert!(of_another.exists(), "it is only named");
        let undone = clear_abandoned(&places);
        assert_eq!(undone.len(), 2, "{undone:?}");
        assert!(!of_another.exists());
        assert_eq!((control(&root).as_str(), notes(&places)), ("-io", 0));
    }

    #[test]
    fn what_others_use_meanwhile_stays() {
        let (root, places) = machine();
        let of_another = root.path().join("sys/fs/cgroup/backup");
        fs::create_dir(&of_another).expect("a group");
        fs::write(of_another.join("io.weight"), "default 100\n").expect("a setting");
        drop(Group::create(&places).expect("a group"));
        assert_eq!((control(&root).as_str(), notes(&places)), ("-io", 0), "nobody used it");
        fs::write(root.path().join("sys/fs/cgroup/cgroup.subtree_control"), "memory\n").expect("taken back");
        let group = Group::create(&places).expect("a group");
        fs::write(of_another.join("io.max"), "8:0 wbps=1048576\n").expect("a limit");
        drop(group);
        assert_eq!((control(&root).as_str(), notes(&places)), ("+io", 0), "its limit would be gone");
    }

    #[test]
    fn a_lock_on_the_folder_of_notes_holds_nobody_up() {
        let (root, places) = machine();
        let group = Group::create(&places).expect("a group");
        let held = controller::hold(&places).expect("free");
        assert!(Group::create(&places).is_err());
        drop(group);
        assert_eq!((control(&root).as_str(), notes(&places)), ("+io", 1), "left for the next start");
        drop(held);
        assert_eq!(clear_abandoned(&places).len(), 1);
        assert_eq!((control(&root).as_str(), notes(&places)), ("-io", 0));
    }

    #[test]
    fn what_was_handed_on_before_stays() {
        let (root, places) = machine();
        fs::write(root.path().join("sys/fs/cgroup/cgroup.subtree_control"), "io memory\n")
            .expect("handed on");
        drop(Group::create(&places).expect("a group"));
        assert_eq!((control(&root).as_str(), notes(&places)), ("io memory\n", 0));
    }

    #[test]
    fn a_kill_before_the_group_was_made_leaves_nothing() {
        let (root, places) = machine();
        let group = Group::create(&places).expect("a group");
        fs::remove_dir(&group.path).expect("as if it had not been made");
        std::mem::forget(group);
        assert_eq!(clear_abandoned(&places).len(), 1);
        assert_eq!((control(&root).as_str(), notes(&places)), ("-io", 0));
    }
}
