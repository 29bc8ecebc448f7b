//! Paths to an NVMe drive with several controllers, which come and go while a run goes on.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drivelab_block::Instant;
use drivelab_documents::Notice;
use drivelab_probe::{NvmePath, Roots, nvme_paths};
use drivelab_uring::Clock;

use crate::look_every;

/// How often the kernel is asked for the paths. It reads a few names in /sys, and asks no drive.
const EVERY: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathChange {
    pub path: NvmePath,
    pub is_there: bool,
    /// The drive, and how many paths to it are left.
    drive: String,
    left: usize,
}

impl fmt::Display for PathChange {
    /// A part of a sentence: `the path nvme0c1n1 to nvme0n1 went away, and 1 is left`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PathChange { path, is_there, drive, left } = self;
        let name = &path.name;
        match (is_there, left) {
            (true, _) => write!(f, "the path {name} to {drive} came up, one of {left} now"),
            (false, 0) => write!(f, "the path {name} to {drive} went away, and none is left"),
            (false, 1) => write!(f, "the path {name} to {drive} went away, and 1 is left"),
            (false, _) => write!(f, "the path {name} to {drive} went away, and {left} are left"),
        }
    }
}

/// The paths to a drive as they were when they were last looked at.
#[derive(Clone, Debug)]
pub(crate) struct KnownPaths {
    roots: Roots,
    drive: String,
    pub paths: Vec<NvmePath>,
}

impl KnownPaths {
    /// The paths to the whole drive with this kernel name as they are now.
    pub fn read(roots: &Roots, drive: &str) -> KnownPaths {
        KnownPaths { roots: roots.clone(), drive: drive.to_owned(), paths: nvme_paths(roots, drive) }
    }

    /// What has changed since the last look.
    pub fn look(&mut self) -> Vec<PathChange> {
        let now = nvme_paths(&self.roots, &self.drive);
        let change = |path: &NvmePath, is_there| PathChange {
            path: path.clone(),
            is_there,
            drive: self.drive.clone(),
            left: now.len(),
        };
        let gone = self.paths.iter().filter(|path| !now.contains(path)).map(|path| change(path, false));
        let new = now.iter().filter(|path| !self.paths.contains(path)).map(|path| change(path, true));
        let changes = gone.chain(new).collect();
        self.paths = now;
        changes
    }
}

/// Says which paths to a drive come and go during a run, on a thread of its own, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct PathWatch {
    seen: Arc<Mutex<Vec<Notice>>>,
    /// The thread ends when this is dropped.
    _end: Option<Sender<()>>,
}

impl PathWatch {
    /// Watches the paths to the whole drive with this kernel name; nothing where it has no paths of its own.
    pub fn start(drive: &str, clock: Clock) -> PathWatch {
        let mut known = KnownPaths::read(&Roots::live(), drive);
        if known.paths.is_empty() {
            return PathWatch::default();
        }
        let seen: Arc<Mutex<Vec<Notice>>> = Arc::default();
        let shared = Arc::clone(&seen);
        let look = move || {
            let changes = known.look();
            let after_s = clock.now().since(Instant::ORIGIN).as_secs_f64();
            let Ok(mut seen) = shared.lock() else { return ControlFlow::Break(()) };
            for change in changes {
                say!("drivelab: {change}");
                seen.push(Notice::warning(format!("After {after_s:.0} s of the run, {change}.")));
            }
            ControlFlow::Continue(())
        };
        // Without the thread the run goes on, as one on a drive with one path does.
        PathWatch { seen, _end: look_every(EVERY, "watch-paths", look).ok() }
    }

    /// What the reader of the run has to know of it.
    pub fn notices(&self) -> Vec<Notice> {
        self.seen.lock().map(|seen| seen.clone()).unwrap_or_default()
    }
}

/// A machine made of files, for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Writes a file with its folders.
    pub fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// A drive `nvme4n1` with two controllers, `nvme4` and `nvme7`.
    pub fn machine() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let subsystem = root.path().join("sys/devices/virtual/nvme-subsystem/nvme-subsys4");
        put(&subsystem, "nvme4n1/size", "2048");
        for number in [4, 7] {
            let controller = root.path().join(format!("sys/devices/pci0000:00/nvme/nvme{number}"));
            put(&controller, &format!("nvme4c{number}n1/size"), "2048");
            symlink(controller, subsystem.join(format!("nvme{number}"))).expect("a link");
        }
        symlink(&subsystem, subsystem.join("nvme4n1/device")).expect("a link");
        fs::create_dir_all(root.path().join("sys/class/block")).expect("a folder");
        symlink(subsystem.join("nvme4n1"), root.path().join("sys/class/block/nvme4n1")).expect("a link");
        put(root.path(), "proc/diskstats", "259 1 nvme4c4n1 0\n259 2 nvme4n1 0\n259 3 nvme4c7n1 0\n");
        root
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use fixture::{machine, put};

    #[test]
    fn a_path_that_goes_away_and_comes_back_under_another_number_is_told() {
        let root = machine();
        let mut known = KnownPaths::read(&Roots::at(root.path()), "nvme4n1");
        assert_eq!((known.paths.len(), known.look()), (2, Vec::new()));
        let controller = root.path().join("sys/devices/pci0000:00/nvme/nvme7");
        fs::rename(&controller, root.path().join("pulled")).expect("pulled");
        let told: Vec<String> = known.look().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["the path nvme4c7n1 to nvme4n1 went away, and 1 is left"]);
        assert_eq!(known.look(), []);
        fs::rename(root.path().join("pulled"), &controller).expect("back");
        put(root.path(), "proc/diskstats", "259 1 nvme4c4n1 0\n259 2 nvme4n1 0\n259 9 nvme4c7n1 0\n");
        let changes = known.look();
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["the path nvme4c7n1 to nvme4n1 came up, one of 2 now"]);
        assert_eq!(changes[0].path.number, Some((259, 9)));
    }
}
