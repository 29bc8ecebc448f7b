//! SCSI drives of the kernel's `scsi_debug`, which can be told to fail.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::Test;
use crate::program::{drivelab, run, wait_until_begun};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("a_drive_is_listed", a_drive_is_listed),
    ("a_medium_error_is_named", a_medium_error_is_named),
    ("a_drive_that_goes_offline_ends_the_run", a_drive_that_goes_offline_ends_the_run),
];

/// Its sectors from 0x1234 on cannot be read where that is switched on.
const MEDIUM_ERRORS: &str = "2";

fn a_drive_is_listed() -> Result<()> {
    run("modprobe scsi_debug dev_size_mb=64 lbpu=1")?;
    thread::sleep(Duration::from_secs(2));
    let list = drivelab("drives")?;
    ensure!(list.output.contains(&drive()?), "not listed: {}", list.output);
    Ok(())
}

/// The only SCSI drive of this machine.
fn drive() -> Result<String> {
    let mut names =
        fs::read_dir("/sys/block")?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let name = names.find(|name| name.starts_with("sd")).context("no SCSI drive is there")?;
    Ok(format!("/dev/{name}"))
}

fn a_medium_error_is_named() -> Result<()> {
    fs::write("/sys/bus/pseudo/drivers/scsi_debug/opts", MEDIUM_ERRORS)?;
    let read = drivelab(&format!("load {} --rw read --block-size 64KiB --bytes 32MiB", drive()?))?;
    fs::write("/sys/bus/pseudo/drivers/scsi_debug/opts", "0")?;
    ensure!(read.code == Some(1), "ended with {:?}: {}", read.code, read.complaint);
    ensure!(read.output.contains("medium error"), "the error is not named: {}", read.output);
    Ok(())
}

fn a_drive_that_goes_offline_ends_the_run() -> Result<()> {
    let drive = drive()?;
    let name = drive.trim_start_matches("/dev/").to_owned();
    let switch = thread::spawn(move || {
        wait_until_begun("/tmp/offline")?;
        thread::sleep(Duration::from_secs(1));
        Ok(fs::write(format!("/sys/block/{name}/device/state"), "offline\n")?)
    });
    let read = drivelab(&format!("load {drive} --rw randread --duration 120s -o /tmp/offline"))?;
    let switched: Result<()> = switch.join().ok().context("the switch")?;
    switched?;
    ensure!(read.code == Some(1), "ended with {:?}: {}", read.code, read.complaint);
    ensure!(read.complaint.contains("the drive is offline"), "not said: {}", read.complaint);
    Ok(())
}
