//! A drive that is pulled while drivelab works on it.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{Ended, device_of, drivelab, ended};
use crate::protocol::Message;

/// The tests, in order.
pub const TESTS: &[Test] = &[("a_pulled_drive_ends_the_run", a_pulled_drive_ends_the_run)];

/// How long after the drive is gone the run may go on: three seconds of failures, and what an emulated processor
/// needs for the page.
const LONGEST: Duration = Duration::from_secs(20);
/// The most failures that may be recorded: a drive that is gone answers hundreds of thousands of requests a second.
const FAILURES_MAX: u64 = 20_000;

fn a_pulled_drive_ends_the_run() -> Result<()> {
    let drive = device_of("alpha")?;
    let words = format!("load {drive} --rw randwrite --duration 120s --serial alpha -o /tmp/pulled");
    let process = Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    thread::sleep(Duration::from_secs(8));
    println!("{}", Message::Unplug("alpha".to_owned()));
    while fs::metadata(&drive).is_ok() {
        thread::sleep(Duration::from_millis(100));
    }
    let gone = Instant::now();
    let ended = ended(&process.wait_with_output()?);
    let took = gone.elapsed();
    println!(
        "the run ended {:.1} s after the drive was gone\n{}\n{}",
        took.as_secs_f64(),
        ended.output,
        ended.complaint
    );
    ensure!(took < LONGEST, "the run went on for {:.1} s", took.as_secs_f64());
    check_what_is_said(&ended)?;
    let again = drivelab("report /tmp/pulled --json")?;
    ensure!(again.code == Some(1), "the report of it ended with {:?}: {}", again.code, again.complaint);
    let run = again.document()?;
    let failed =
        run.pointer("/run/outcome/failed").and_then(Value::as_u64).context("no count of failures")?;
    ensure!((1..FAILURES_MAX).contains(&failed), "{failed} failures are recorded");
    Ok(())
}

fn check_what_is_said(ended: &Ended) -> Result<()> {
    ensure!(ended.code == Some(3), "ended with {:?}", ended.code);
    for place in [&ended.output, &ended.complaint] {
        let text = place.split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(text.contains("the drive is gone"), "it is not said that the drive is gone: {text}");
    }
    Ok(())
}
