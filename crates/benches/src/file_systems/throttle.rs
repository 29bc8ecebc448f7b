//! A device that is no faster than it is told to be.

use std::fs;
use std::os::linux::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Where the block controller (cgroups, version 1) takes limits for everybody: write-back has no other group.
const CONTROLLER: &str = "/sys/fs/cgroup/blkio/blkio.throttle";

/// A limit that is taken back when it is dropped.
pub struct Throttle {
    device: String,
}

impl Throttle {
    /// The device moves at most so many bytes a second in each direction.
    pub fn at(device: &Path, bytes_a_second: u64) -> Result<Throttle> {
        let number = fs::metadata(device)?.st_rdev();
        let throttle =
            Throttle { device: format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number)) };
        throttle.set(bytes_a_second).context("the block controller (cgroups, version 1; needs root)")?;
        Ok(throttle)
    }

    fn set(&self, bytes_a_second: u64) -> std::io::Result<()> {
        let limit = format!("{} {bytes_a_second}", self.device);
        fs::write(format!("{CONTROLLER}.read_bps_device"), &limit)?;
        fs::write(format!("{CONTROLLER}.write_bps_device"), &limit)
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = self.set(0);
    }
}
