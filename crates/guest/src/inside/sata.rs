//! SATA drives behind the kernel's own AHCI driver.

use anyhow::{Result, ensure};

use crate::Test;
use crate::program::{device_of, drivelab, succeeds};

/// The tests, in order.
pub const TESTS: &[Test] =
    &[("drives_are_listed", drives_are_listed), ("the_right_drive_is_written", the_right_drive_is_written)];

fn drives_are_listed() -> Result<()> {
    let list = drivelab("drives")?;
    for serial in ["disk-a", "disk-b"] {
        ensure!(list.output.contains(&format!("serial {serial}")), "{serial} is not listed: {}", list.output);
    }
    Ok(())
}

fn the_right_drive_is_written() -> Result<()> {
    let drive = device_of("disk-b")?;
    let refused = drivelab(&format!("load {drive} --rw randwrite --duration 1s --serial disk-a"))?;
    ensure!(refused.code == Some(4), "another serial number was taken: {:?}", refused.code);
    let done = succeeds(&format!("load {drive} --rw randwrite --duration 3s --serial disk-b"))?;
    ensure!(done["findings"].is_object(), "no findings: {done}");
    Ok(())
}
