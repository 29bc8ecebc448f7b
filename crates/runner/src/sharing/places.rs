//! Where the kernel shows what can be chosen.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder in which /sys and /run lie: `/`, or a test's own.
#[derive(Clone, Debug)]
pub struct Places {
    root: PathBuf,
}

impl Places {
    /// The machine that this program runs on.
    pub fn live() -> Places {
        Places::at(Path::new("/"))
    }

    /// A machine shown by the folder `root`.
    pub fn at(root: &Path) -> Places {
        Places { root: root.to_owned() }
    }

    /// The scheduler of a drive, by its kernel name.
    pub(crate) fn scheduler(&self, drive: &str) -> PathBuf {
        self.root.join("sys/block").join(drive).join("queue/scheduler")
    }

    /// Where it is noted what has to be undone.
    pub(crate) fn notes(&self) -> PathBuf {
        self.root.join("run/drivelab")
    }

    /// The hierarchy of control groups that has the I/O controller: version 1's `blkio`, or version 2 with `io`.
    pub(crate) fn hierarchy(&self) -> Option<Hierarchy> {
        let groups = self.root.join("sys/fs/cgroup");
        let blkio = groups.join("blkio");
        if blkio.join("cgroup.procs").exists() {
            return Some(Hierarchy { path: blkio, is_unified: false });
        }
        [groups.clone(), groups.join("unified")].into_iter().find_map(|path| {
            let controllers = fs::read_to_string(path.join("cgroup.controllers")).ok()?;
            let has_io = controllers.split_whitespace().any(|name| name == "io");
            has_io.then_some(Hierarchy { path, is_unified: true })
        })
    }
}

/// A hierarchy of control groups.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    pub(crate) path: PathBuf,
    /// Whether it is of version 2.
    pub(crate) is_unified: bool,
}
