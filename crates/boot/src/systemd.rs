//! The manager's own times of a boot, as `systemctl show` prints them.
//!
//! Source: org.freedesktop.systemd1(5), "Properties" of the manager object. Times are those of `CLOCK_MONOTONIC`, which
//! begins with the kernel; those of firmware and boot loader are how long before that each began.

use serde::{Deserialize, Serialize};

/// What has to be asked for with `systemctl show --property=`.
pub const MANAGER_PROPERTIES: &str = "FirmwareTimestampMonotonic,LoaderTimestampMonotonic,InitRDTimestampMonotonic,\
                                      UserspaceTimestampMonotonic,FinishTimestampMonotonic";

/// When each part of a boot began, in microseconds from the kernel's beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManagerTimes {
    /// How long before the kernel the firmware began; none where the firmware does not say.
    pub firmware_us: Option<u64>,
    /// How long before the kernel the boot loader began.
    pub loader_us: Option<u64>,
    /// When the initramfs began; none without one that runs systemd.
    pub initrd_us: Option<u64>,
    /// When systemd began in the root file system.
    pub userspace_us: u64,
    /// When the last job of the boot had ended; none while it goes on.
    pub finish_us: Option<u64>,
}

impl ManagerTimes {
    /// Reads what `systemctl show` printed; `None` where it has no time of systemd's beginning.
    pub fn parse(text: &str) -> Option<ManagerTimes> {
        let time = |name: &str| {
            let mut values = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            values.next()?.trim().parse::<u64>().ok().filter(|time| *time > 0)
        };
        Some(ManagerTimes {
            firmware_us: time("FirmwareTimestampMonotonic"),
            loader_us: time("LoaderTimestampMonotonic"),
            initrd_us: time("InitRDTimestampMonotonic"),
            userspace_us: time("UserspaceTimestampMonotonic")?,
            finish_us: time("FinishTimestampMonotonic"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_zero_was_not_there() {
        let text = "FirmwareTimestampMonotonic=0\nLoaderTimestampMonotonic=0\nInitRDTimestampMonotonic=0\n\
            UserspaceTimestampMonotonic=2345678\nFinishTimestampMonotonic=9876543\n";
        let times =
            ManagerTimes { userspace_us: 2_345_678, finish_us: Some(9_876_543), ..ManagerTimes::default() };
        assert_eq!(ManagerTimes::parse(text), Some(times));
        assert_eq!(ManagerTimes::parse("Version=252\n"), None);
    }
}
