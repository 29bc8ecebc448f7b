//! A machine that is suspended, and one that its hypervisor pauses: neither is a delay of the drive.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, ended};
use crate::protocol::Message;

/// The tests, in order.
pub const TESTS: &[Test] = &[("a_suspend_and_a_pause_are_no_delays_and_a_slow_drive_is", neither_is_a_delay)];

/// How long the machine is paused, in seconds. The clocks of an emulated machine stand still meanwhile, so that only a wrong
/// reaction to the end of the pause would show.
const PAUSED_S: u32 = 4;
/// The least that the machine is suspended.
const SUSPENDED_NS: u64 = 4_000_000_000;
/// How long the drive does one I/O a second.
const SLOW: Duration = Duration::from_secs(4);
/// A write of a drive that does one I/O a second waits for most of it.
const LONG_NS: u64 = 900_000_000;

fn neither_is_a_delay() -> Result<()> {
    let drive = device_of("alpha")?;
    let words = format!(
        "stalls {drive} --block-size 64KiB --rate 2MB/s --verify no --duration 40s --serial alpha --destroy-data \
         -o /tmp/still --json"
    );
    let stream = Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("drivelab cannot be run")?;
    let pause = |seconds: u64| thread::sleep(Duration::from_secs(seconds));
    pause(8);
    suspend()?;
    pause(4);
    println!("{}", Message::Pause(PAUSED_S));
    pause(4);
    println!("{}", Message::Throttle("alpha".to_owned(), 1));
    thread::sleep(SLOW);
    println!("{}", Message::Throttle("alpha".to_owned(), 0));
    let ended = ended(&stream.wait_with_output()?);
    check(&ended.document()?)
}

/// The suspend is noted, and the only long delays are those of the time in which the drive was slow.
fn check(found: &Value) -> Result<()> {
    let list = |pointer: &str| found.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |of: &Value, name: &str| of[name].as_u64().unwrap_or_default();
    let standstills = list("/run/standstills");
    println!("standstills {standstills:?}");
    let is_suspend = |one: &Value| {
        one["cause"] == "suspended" && number(one, "until_ns") - number(one, "from_ns") >= SUSPENDED_NS
    };
    ensure!(standstills.iter().any(is_suspend), "the suspend is not noted");
    let delays: Vec<u64> =
        list("/findings/stream/delays").iter().map(|delay| number(delay, "duration_ns")).collect();
    println!("delays {delays:?}");
    ensure!(delays.iter().any(|delay| *delay >= LONG_NS), "the slow drive has no long delay");
    let too_long = delays.iter().find(|delay| **delay >= 2 * LONG_NS);
    ensure!(too_long.is_none(), "a delay of {too_long:?} ns was not the drive's");
    Ok(())
}

/// Suspends the machine with all of its devices, processors and clocks. The firmware is left out, which would have to wake it:
/// the kernel resumes by itself after five seconds.
fn suspend() -> Result<()> {
    fs::write("/sys/power/mem_sleep", "deep").context("the machine has no S3")?;
    fs::write("/sys/power/pm_test", "core").context("the kernel does not try suspends")?;
    fs::write("/sys/power/state", "mem").context("the machine is not suspended")
}
