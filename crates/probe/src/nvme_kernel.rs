//! Which power states the kernel lets an NVMe drive enter by itself.

use std::fmt;

use crate::Roots;
use crate::pcie::controller_folder;

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
#[must_use]
pub fn default_latency_us(roots: &Roots) -> Option<u64> {
    roots.text("sys/module/nvme_core/parameters/default_ps_max_latency_us")?.parse().ok()
}

/// The latency that is allowed to the drive with this kernel name (`power/pm_qos_latency_tolerance_us` of its controller);
/// `None` where it is no NVMe drive, or has no such transitions.
#[must_use]
pub fn latency_tolerance(roots: &Roots, kernel_name: &str) -> Option<LatencyTolerance> {
    let folder = controller_folder(roots, kernel_name)?;
    match roots.text(folder.join("power/pm_qos_latency_tolerance_us"))?.as_str() {
        "any" => Some(LatencyTolerance::Any),
        "auto" => Some(LatencyTolerance::Auto),
        number => Some(LatencyTolerance::Micros(number.parse().ok()?)),
    }
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
            assert_eq!(latency_tolerance(&roots, "nvme0n1"), tolerance, "{text}");
        }
        assert_eq!(latency_tolerance(&roots, "sda"), None);
    }
}
