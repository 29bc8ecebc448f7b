//! A sanitize that is cut off, on a controller of our own behind the kernel's driver.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::contents::{fill, read};
use crate::own_controller::{SERIAL, Settings, own_controller};
use crate::program::{device_of, succeeds, wait_until};

/// How long a sanitize takes: long enough for a kill, a reset and another start on an emulated processor.
const TAKES: Duration = Duration::from_secs(40);
/// How long the program has until it has begun one.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first test of the controller: none was sanitized before.
pub fn a_sanitize_cut_off_by_a_reset_is_found_and_awaited() -> Result<()> {
    let controller = own_controller(Settings { sanitize_takes: TAKES, ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    fill(&drive)?;
    let words = format!("purge {drive} --serial {SERIAL} --destroy-data");
    let mut killed = Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .context("drivelab cannot be run")?;
    wait_until(PATIENCE, "no sanitize was begun", || controller.sanitizes() != (0, false))?;
    killed.kill()?;
    killed.wait()?;
    reset(&drive)?;
    ensure!(controller.sanitizes() == (1, true), "the sanitize did not go on: {:?}", controller.sanitizes());
    let purged = succeeds(&words)?;
    println!("{purged}");
    ensure!(
        controller.sanitizes() == (1, false),
        "not awaited, or begun again: {:?}",
        controller.sanitizes()
    );
    let log = purged["log"].as_str().unwrap_or_default();
    ensure!(log.contains("in progress already") && log.contains("succeeded"), "{purged}");
    ensure!(purged["zeros"] == 64, "not all places were erased: {purged}");
    let data = read(&drive)?;
    ensure!(data.len() == 16 << 20 && data.iter().all(|byte| *byte == 0), "data is still there");
    Ok(())
}

/// Resets the controller of a drive, and waits until the kernel has it back.
fn reset(drive: &str) -> Result<()> {
    let name = drive.trim_start_matches("/dev/");
    let (controller, _) = name.rsplit_once('n').context("a drive is named after its controller")?;
    let folder = format!("/sys/class/nvme/{controller}");
    fs::write(format!("{folder}/reset_controller"), "1").context("the controller cannot be reset")?;
    let is_live = || fs::read_to_string(format!("{folder}/state")).is_ok_and(|state| state.trim() == "live");
    wait_until(PATIENCE, "the controller did not come back", is_live)
}
