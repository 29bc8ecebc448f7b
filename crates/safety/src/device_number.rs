//! The number by which the kernel knows a device, whatever names it has.

use std::fmt;

/// Major and minor number of a block device: the one name that two paths to the same drive share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// The number as `stat` gives it.
    pub fn from_raw(raw: u64) -> DeviceNumber {
        DeviceNumber { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }

    /// Reads `8:1`; `None` for anything else.
    pub fn parse(text: &str) -> Option<DeviceNumber> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}
