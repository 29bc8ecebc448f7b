//! A drive of which a sector cannot be read.

use anyhow::{Result, ensure};

use crate::Test;
use crate::program::{device_of, drivelab};

/// The tests, in order.
pub const TESTS: &[Test] =
    &[("an_unreadable_sector_is_a_medium_error", an_unreadable_sector_is_a_medium_error)];

fn an_unreadable_sector_is_a_medium_error() -> Result<()> {
    let drive = device_of("worn")?;
    let read = drivelab(&format!("load {drive} --rw read --block-size 64KiB --bytes 128MiB -o /tmp/worn"))?;
    ensure!(read.code == Some(1), "ended with {:?}: {}", read.code, read.complaint);
    ensure!(read.output.contains("medium error"), "the error is not named: {}", read.output);
    Ok(())
}
