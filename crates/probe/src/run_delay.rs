//! How long threads of this process waited for a processor though they could have run.

use std::fs::File;
use std::os::unix::fs::FileExt;

use drivelab_block::growing_counters;

use crate::Roots;

/// Room for the three numbers of the kernel's line.
const LINE: usize = 96;

/// The counter of one thread (`schedstat`): the kernel adds to it when the thread gets a processor.
#[derive(Debug)]
pub struct RunDelay {
    file: File,
}

growing_counters! {
    /// What the kernel counted of a thread.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Scheduled {
        /// How long it ran on a processor, in nanoseconds; one that runs just now may lack some milliseconds.
        pub ran_ns: u64,
        /// How long it was ready to run and had none.
        pub waited_ns: u64,
    }
}

impl RunDelay {
    /// That of the calling thread; none where this kernel does not count it.
    pub fn of_this_thread(roots: &Roots) -> Option<RunDelay> {
        RunDelay::open(roots, "proc/thread-self/schedstat")
    }

    /// That of a thread of this process.
    pub fn of_thread(roots: &Roots, thread: u32) -> Option<RunDelay> {
        RunDelay::open(roots, &format!("proc/self/task/{thread}/schedstat"))
    }

    fn open(roots: &Roots, path: &str) -> Option<RunDelay> {
        let delay = RunDelay { file: File::open(roots.path(path)).ok()? };
        delay.nanos().is_some().then_some(delay)
    }

    /// All waiting of the thread so far, in nanoseconds; none where it has ended.
    pub fn nanos(&self) -> Option<u64> {
        self.scheduled().map(|scheduled| scheduled.waited_ns)
    }

    /// What the thread did so far; none where it has ended.
    pub fn scheduled(&self) -> Option<Scheduled> {
        let mut line = [0; LINE];
        let length = self.file.read_at(&mut line, 0).ok()?;
        let mut numbers = std::str::from_utf8(&line[..length]).ok()?.split_ascii_whitespace();
        let (ran, waited) = (numbers.next()?, numbers.next()?);
        Some(Scheduled { ran_ns: ran.parse().ok()?, waited_ns: waited.parse().ok()? })
    }
}

/// The threads of this process, with their names.
pub fn threads(roots: &Roots) -> Vec<(u32, String)> {
    let Ok(listed) = std::fs::read_dir(roots.path("proc/self/task")) else { return Vec::new() };
    let numbers = listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let named = |thread: u32| {
        let name = roots.text(format!("proc/self/task/{thread}/comm"))?;
        Some((thread, name.trim_end().to_owned()))
    };
    numbers.filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_delay() {
        let folder = tempfile::tempdir().expect("a folder");
        let task = folder.path().join("proc/self/task/7");
        std::fs::create_dir_all(&task).expect("folders");
        std::fs::write(task.join("comm"), "worker-3\n").expect("a file");
        let roots = Roots::at(folder.path());
        assert_eq!(threads(&roots), [(7, "worker-3".to_owned())]);
        assert!(RunDelay::of_thread(&roots, 7).is_none(), "a kernel that does not count");
        std::fs::write(task.join("schedstat"), "678603 1100332 3\n").expect("a file");
        let delay = RunDelay::of_thread(&roots, 7).expect("a counter");
        assert_eq!(delay.scheduled(), Some(Scheduled { ran_ns: 678_603, waited_ns: 1_100_332 }));
        std::fs::write(task.join("schedstat"), "").expect("a file");
        assert_eq!(delay.nanos(), None, "a thread that has ended");
    }
}
