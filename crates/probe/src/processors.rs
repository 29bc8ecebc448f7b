//! What the processors do, and for how long tasks had to wait for a resource.

use drivelab_block::growing_counters;

use crate::Roots;

growing_counters! {
    /// What all processors together did since the machine began, in the kernel's ticks (proc(5), `/proc/stat`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ProcessorTime {
        /// In programs, those of lower priority included.
        pub user: u64,
        /// In the kernel, interrupts included.
        pub system: u64,
        /// Idle while a task waited for I/O; the kernel's count may run backwards.
        pub iowait: u64,
        /// Idle.
        pub idle: u64,
        /// Given to others by a hypervisor.
        pub steal: u64,
    }
}

/// How many processors of the machine are online, whichever of them this program may use; 1 where that is not known. The sums of
/// [`processor_time`] are over so many.
pub fn online_processors(roots: &Roots) -> u64 {
    let text = roots.text("proc/stat").unwrap_or_default();
    let is_one = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    (text.lines().filter(is_one).count() as u64).max(1)
}

/// Reads `/proc/stat`; `None` where it is not there.
pub fn processor_time(roots: &Roots) -> Option<ProcessorTime> {
    let text = roots.text("proc/stat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    // Guests are counted among user and nice already.
    match *ticks.as_slice() {
        [user, nice, system, idle, iowait, irq, softirq, steal, ..] => {
            Some(ProcessorTime { user: user + nice, system: system + irq + softirq, iowait, idle, steal })
        }
        _ => None,
    }
}

/// Microseconds since the machine began in which tasks waited (pressure stall information, Documentation/accounting/psi.rst).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// At least one task waited for a processor.
    pub processors_some: u64,
    /// At least one task waited for I/O.
    pub io_some: u64,
    /// All tasks that were not idle waited for I/O.
    pub io_full: u64,
    /// At least one task waited for memory.
    pub memory_some: u64,
}

/// Reads `/proc/pressure`; `None` where the kernel keeps no such account.
pub fn pressure(roots: &Roots) -> Option<Pressure> {
    Some(Pressure {
        processors_some: total(roots, "cpu", "some")?,
        io_some: total(roots, "io", "some")?,
        io_full: total(roots, "io", "full")?,
        memory_some: total(roots, "memory", "some")?,
    })
}

fn total(roots: &Roots, resource: &str, which: &str) -> Option<u64> {
    let text = roots.text(format!("proc/pressure/{resource}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(' '))?;
    line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read_by_their_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        };
        write("proc/stat", "cpu  10 2 30 400 50 6 7 8 3 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nbtime 5\n");
        let roots = Roots::at(folder.path());
        assert_eq!(online_processors(&roots), 1);
        let expected = ProcessorTime { user: 12, system: 43, iowait: 50, idle: 400, steal: 8 };
        assert_eq!(processor_time(&roots), Some(expected));
        assert_eq!(ProcessorTime::default().since(&expected), ProcessorTime::default());
    }

    #[test]
    fn totals_are_read_and_averages_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let pressures = folder.path().join("proc/pressure");
        std::fs::create_dir_all(&pressures).expect("folders");
        let roots = Roots::at(folder.path());
        assert_eq!(pressure(&roots), None);
        for (resource, total) in [("cpu", 10), ("io", 20), ("memory", 30)] {
            let line = |which: &str, total: u32| {
                format!("{which} avg10=1.00 avg60=2.00 avg300=3.00 total={total}\n")
            };
            let text = line("some", total) + &line("full", total + 1);
            std::fs::write(pressures.join(resource), text).expect("a file");
        }
        let expected = Pressure { processors_some: 10, io_some: 20, io_full: 21, memory_some: 30 };
        assert_eq!(pressure(&roots), Some(expected));
    }
}
