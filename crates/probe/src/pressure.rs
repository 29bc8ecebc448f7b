//! For how long tasks had to wait for a resource.

use crate::Roots;

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
