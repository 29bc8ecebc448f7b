//! Which power states the kernel lets an NVMe drive enter by itself.

use std::fmt;
use std::path::PathBuf;

use crate::Roots;
use crate::pcie::controller_folders;

/// The longest latency that a drive may have when it leaves a power state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyTolerance {
    /// At most this many microseconds.
    Micros(u64),
    /// Any.
    Any,
    /// What the drive's own hardware chooses.
    Auto,
}

impl fmt::Display for LatencyTolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LatencyTolerance::Micros(micros) => write!(f, "{micros} us"),
            LatencyTolerance::Any => f.write_str("any"),
            LatencyTolerance::Auto => f.write_str("auto"),
        }
    }
}

/// The latency that the kernel gives new drives, in microseconds (`nvme_core.default_ps_max_latency_us`): it lets a drive enter
/// only states with an entry and an exit latency below it. 0 means none.
pub fn default_latency_us(roots: &Roots) -> Option<u64> {
    roots.text("sys/module/nvme_core/parameters/default_ps_max_latency_us")?.parse().ok()
}

/// The latency that is allowed to each controller of the drive with this kernel name (`power/pm_qos_latency_tolerance_us`), of
/// those that have such transitions; none of a drive that is no NVMe drive.
pub fn latency_tolerances(roots: &Roots, kernel_name: &str) -> Vec<LatencyTolerance> {
    let folders = controller_folders(roots, kernel_name);
    let read = |folder: &PathBuf| match roots.text(folder.join("power/pm_qos_latency_tolerance_us"))?.as_str()
    {
        "any" => Some(LatencyTolerance::Any),
        "auto" => Some(LatencyTolerance::Auto),
        number => Some(LatencyTolerance::Micros(number.parse().ok()?)),
    };
    folders.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn latencies_are_numbers_or_the_kernels_words() {
        let root = tempfile::tempdir().expect("a folder");
        let power = root.path().join("sys/class/block/nvme0n1/device/power");
        let module = root.path().join("sys/module/nvme_core/parameters");
        [&power, &module].into_iter().for_each(|folder| fs::create_dir_all(folder).expect("a folder"));
        fs::write(module.join("default_ps_max_latency_us"), "100000\n").expect("a file");
        let roots = Roots::at(root.path());
        assert_eq!(default_latency_us(&roots), Some(100_000));
        let expected = [
            ("25000\n", Some(LatencyTolerance::Micros(25_000))),
            ("any\n", Some(LatencyTolerance::Any)),
            ("auto\n", Some(LatencyTolerance::Auto)),
            ("-1\n", None),
        ];
        for (text, tolerance) in expected {
            fs::write(power.join("pm_qos_latency_tolerance_us"), text).expect("a file");
            assert_eq!(latency_tolerances(&roots, "nvme0n1"), Vec::from_iter(tolerance), "{text}");
        }
        assert_eq!(latency_tolerances(&roots, "sda"), []);
    }
}
