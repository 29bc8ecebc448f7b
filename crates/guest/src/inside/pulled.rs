//! Drives that are pulled while drivelab works on them.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{Ended, device_of, drivelab, ended, sectors_written, succeeds, wait_until_written};
use crate::protocol::Message;

/// The tests, in order; each has a drive of its own.
pub const TESTS: &[Test] = &[
    ("load_ends", || pulled("alpha", "load", "--rw randwrite --duration 120s")),
    ("consistency_ends", || pulled("beta", "consistency", "--duration 120s")),
    ("stalls_ends", || pulled("gamma", "stalls", "--duration 120s")),
    ("replay_ends", || pulled("delta", "replay", "")),
    ("matrix_ends", || {
        pulled("epsilon", "matrix", "--fs ext4 --work seq-write --cell-duration 30s --working-set 64MiB")
    }),
    ("a_recording_ends", a_recording_ends),
];

/// How long after the drive is gone the run may go on: three seconds of failures, and what an emulated processor needs
/// for the page. Each test prints the time.
const LONGEST: Duration = Duration::from_secs(20);
/// The most failures that may be recorded: a drive that is gone answers hundreds of thousands of requests a second.
const FAILURES_MAX: u64 = 20_000;
/// When the drive is pulled, from the first write to it on: a matrix makes a file system before its first cell.
const PULLED_AFTER: Duration = Duration::from_secs(5);

/// Runs a command on the drive with this serial number and pulls it.
fn pulled(serial: &str, command: &str, own: &str) -> Result<()> {
    let drive = device_of(serial)?;
    let kept = format!("/tmp/{serial}");
    let target = if command == "replay" { format!("{} {drive}", trace()?) } else { drive.clone() };
    let words = format!("{command} {target} {own} --serial {serial} --destroy-data -o {kept}");
    let ended = run_and_pull(&words, serial, &drive)?;
    ensure!(ended.code == Some(1), "ended with {:?}: {}", ended.code, ended.complaint);
    for place in [&ended.output, &ended.complaint] {
        let text = place.split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(text.contains("the drive is gone"), "it is not said that the drive is gone: {text}");
    }
    let again = drivelab(&format!("report {kept} --json"))?;
    ensure!(again.code == Some(1), "the report of it ended with {:?}: {}", again.code, again.complaint);
    let run = again.document()?;
    // What measures in cells keeps no records of I/Os.
    if command != "matrix" {
        let outcome = |field: &str| run.pointer(&format!("/run/outcome/{field}")).and_then(Value::as_u64);
        let failed = outcome("failed").context("no count of failures")?;
        ensure!((1..FAILURES_MAX).contains(&failed), "{failed} failures are recorded");
        ensure!(outcome("completions") > Some(failed), "nothing is there of the time before: {run}");
    }
    Ok(())
}

/// A trace that goes on for two minutes: two requests a second.
fn trace() -> Result<String> {
    let row = |row: u64| {
        let filetime = 128_166_372_000_000_000 + row * 5_000_000;
        format!("{filetime},guest,0,Write,{},4096,0", row * 4096)
    };
    let rows: Vec<String> = (0..240).map(row).collect();
    fs::write("/tmp/slow.csv", rows.join("\n"))?;
    succeeds("trace import --format msr /tmp/slow.csv -o /tmp/slow-trace")?;
    Ok("/tmp/slow-trace".to_owned())
}

fn a_recording_ends() -> Result<()> {
    let drive = device_of("zeta")?;
    let channel = "a=synthetic,size=100KB,rate=60/s";
    let words =
        format!("stream record {drive} --serial zeta --destroy-data --duration 120s --channel {channel}");
    let ended = run_and_pull(&words, "zeta", &drive)?;
    ensure!(ended.code == Some(1), "ended with {:?}: {}", ended.code, ended.complaint);
    ensure!(ended.complaint.contains("the drive is gone"), "not said: {}", ended.complaint);
    ensure!(ended.output.contains("kept"), "what was kept is not said: {}", ended.output);
    Ok(())
}

fn run_and_pull(words: &str, serial: &str, drive: &str) -> Result<Ended> {
    let before = sectors_written(drive)?;
    let process = Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    wait_until_written(drive, before)?;
    thread::sleep(PULLED_AFTER);
    println!("{}", Message::Unplug(serial.to_owned()));
    while fs::metadata(drive).is_ok() {
        thread::sleep(Duration::from_millis(100));
    }
    let gone = Instant::now();
    let ended = ended(&process.wait_with_output()?);
    let took = gone.elapsed();
    println!("{words}: ended {:.1} s after the drive was gone", took.as_secs_f64());
    ensure!(took < LONGEST, "the run went on for {:.1} s", took.as_secs_f64());
    Ok(ended)
}
