//! The program itself is stopped while it measures a drive that really stands still once: only that one is a delay of the drive.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::devices::{self, Loop, eventually};
use crate::common::running::{Running, pause};
use crate::common::{drivelab, folder, manifest, text};
use rustix::process::Signal;
use serde_json::Value;

/// How often the program is stopped.
const STOPS: u64 = 100;
/// How long each time, at least.
const STOP: Duration = Duration::from_millis(60);
/// How long it runs in between: a run that stands still for more than half of its time is not judged.
const RUN: Duration = Duration::from_millis(100);
/// How long after the begin of a stop it is noticed, at most.
const BEAT: u64 = 10_000_000;
/// How long the drive stands still, at least.
const FREEZE: Duration = Duration::from_millis(800);

/// A loop device whose image lies on a file system that can be frozen: writes then wait in the kernel, as on a drive that does
/// not answer.
struct Freezable(Loop);

impl Freezable {
    fn new() -> Freezable {
        let zeros = |image: &Path| std::fs::write(image, vec![0; 64 << 20]).expect("an image");
        Freezable(Loop::over(Loop::with_ext4(300), 64, &["--direct-io=on"], zeros))
    }

    /// Lets every write wait for a while.
    fn freeze(&self) {
        self.freeze_while(|| pause(FREEZE));
    }

    /// Lets every write wait while something else is done.
    fn freeze_while(&self, during: impl FnOnce()) {
        let point = self.0.image.parent().expect("a mount point");
        let thaw = Thaw(text(point).to_owned());
        devices::run("fsfreeze", &["--freeze", &thaw.0]);
        during();
    }
}

/// Ends the freeze, also where the test fails.
struct Thaw(String);

impl Drop for Thaw {
    fn drop(&mut self) {
        devices::run("fsfreeze", &["--unfreeze", &self.0]);
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a short time")
}

/// Each test attaches loop devices, and a device is in use while another losetup looks for a free one.
static ALONE: Mutex<()> = Mutex::new(());

/// Stops a command again and again while it measures, freezes its drive once in between, and ends it. Its document.
fn stopped_and_frozen(command: &[&str], run: &Path) -> Value {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let drive = Freezable::new();
    let name = drive.0.name();
    let confirmed = ["--serial", &name, "--destroy-data", "-o", text(run)];
    let running = Running::start(&[&command[..1], &[drive.0.text()], &command[1..], &confirmed].concat());
    let has_begun =
        || run.join("run.json").exists() && manifest(run)["phases"].get(0).is_some_and(Value::is_object);
    assert!(eventually(has_begun), "it does not measure: {:?}", running.ends());
    for number in 0..STOPS {
        stop(&running);
        pause(STOP);
        running.signal(Signal::CONT);
        pause(RUN);
        if number == STOPS / 2 {
            pause(FREEZE);
            drive.freeze();
            pause(FREEZE);
        }
    }
    running.signal(Signal::INT);
    drop(running.ends());
    assert_eq!(drivelab(&["report", text(run), "--report", text(&run.join("again.html"))]).code, Some(1));
    let page = |name: &str| std::fs::read_to_string(run.join(name)).expect("a page");
    assert_eq!(page("report.html"), page("again.html"), "the page follows from the folder");
    let still = "The program itself stood still";
    assert!(page("report.html").contains(still), "it is said");
    drivelab(&["report", text(run), "--json"]).json()
}

/// Freezes the drive of a command for three times `FREEZE`, and stops the command meanwhile for one of them. Its document.
fn stopped_in_a_freeze(command: &[&str], run: &Path) -> Value {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let drive = Freezable::new();
    let name = drive.0.name();
    let confirmed = ["--serial", &name, "--destroy-data", "-o", text(run)];
    let running = Running::start(&[&command[..1], &[drive.0.text()], &command[1..], &confirmed].concat());
    let has_begun =
        || run.join("run.json").exists() && manifest(run)["phases"].get(0).is_some_and(Value::is_object);
    assert!(eventually(has_begun), "it does not measure: {:?}", running.ends());
    pause(FREEZE);
    drive.freeze_while(|| {
        pause(FREEZE);
        stop(&running);
        pause(FREEZE);
        running.signal(Signal::CONT);
        pause(FREEZE);
    });
    pause(FREEZE);
    running.signal(Signal::INT);
    drop(running.ends());
    drivelab(&["report", text(run), "--json"]).json()
}

/// Of a hang in which the program was stopped for a third, the other two thirds are the drive's.
#[test]
fn a_hang_is_not_left_out_for_a_stop_that_lies_in_it() {
    if !can_be_frozen() {
        return;
    }
    let folder = folder();
    let watched = nanos(FREEZE * 2) / 10 * 9;
    let load = ["load", "--rw", "randwrite", "--queue-depth", "4", "--duration", "10min"];
    let document = stopped_in_a_freeze(&load, &folder.path().join("load"));
    let longest = &document["findings"]["ios"]["summary"]["service_ns"]["max"];
    assert!(longest.as_u64().is_some_and(|max| max >= watched), "{longest} of {watched}");
    let outcome = &document["run"]["outcome"];
    assert!(outcome["at_least"].as_u64().is_some_and(|count| (1..=8).contains(&count)), "{outcome}");

    let stalls = ["stalls", "--block-size", "64KiB", "--duration", "10min", "--verify", "no"];
    let document = stopped_in_a_freeze(&stalls, &folder.path().join("stalls"));
    let stream = &document["findings"]["stream"];
    let delays = stream["delays"].as_array().expect("delays");
    let is_hang = |delay: &Value| delay["duration_ns"].as_u64().is_some_and(|time| time >= watched);
    assert!(delays.iter().any(is_hang), "{watched}: {delays:?}");
    assert!(stream["at_least_writes"].as_u64() >= Some(1), "{stream}");
}

/// Whether it can be tried.
fn can_be_frozen() -> bool {
    if !devices::loops_can_be_made() || !devices::mounts_can_be_made() {
        return false;
    }
    let is_there = devices::has("fsfreeze");
    if !is_there {
        devices::skipped("fsfreeze is not installed");
    }
    is_there
}

/// Stops the program once, until it is continued, and waits until it has stopped.
fn stop(running: &Running) {
    let state =
        || std::fs::read_to_string(format!("/proc/{}/stat", running.measuring_process())).expect("a process");
    running.signal(Signal::STOP);
    assert!(eventually(|| state().contains(") T ")), "it is stopped");
}

/// How long a standstill was, in nanoseconds.
fn length(standstill: &Value) -> u64 {
    let [until, from] = ["until_ns", "from_ns"].map(|name| standstill[name].as_u64().expect("a time"));
    until - from
}

/// All stops are in the manifest: two of them may be one where nothing ran in between.
#[track_caller]
fn assert_stops_are_noted(document: &Value) {
    let all = document["run"]["standstills"].as_array().expect("standstills");
    let whole = all.iter().filter(|one| one.get("queue").is_none());
    let total: u64 = whole.map(length).sum();
    // A stop may begin just after a beat, and is known from the next one on.
    let least = STOPS * (nanos(STOP) - BEAT);
    assert!(total >= least, "{total} ns of at least {least}");
}

#[test]
fn a_stopped_program_is_no_delay_of_a_stream_and_a_frozen_drive_is() {
    if !can_be_frozen() {
        return;
    }
    let folder = folder();
    let stalls = ["stalls", "--block-size", "64KiB", "--duration", "10min", "--verify", "no"];
    let document = stopped_and_frozen(&stalls, &folder.path().join("run"));
    assert_stops_are_noted(&document);
    let stream = &document["findings"]["stream"];
    let delays = stream["delays"].as_array().expect("delays");
    let times: Vec<u64> = delays.iter().map(|one| one["duration_ns"].as_u64().expect("a time")).collect();
    assert!(times.iter().any(|time| *time >= nanos(FREEZE) / 10 * 9), "the drive stood still: {times:?}");
    // A drive of a busy machine has a few more of its own.
    let as_long = times.iter().filter(|time| **time >= nanos(STOP) / 10 * 9).count();
    assert!(as_long < 20, "{as_long} of {STOPS} stops: {times:?}");
    assert!(stream["left_out_writes"].as_u64().is_some_and(|count| count >= 10), "{stream}");
}

#[test]
fn a_stopped_program_delays_no_io_of_a_load_and_a_frozen_drive_does() {
    if !can_be_frozen() {
        return;
    }
    let folder = folder();
    let load = ["load", "--rw", "randwrite", "--rate", "500/s", "--queue-depth", "4", "--duration", "10min"];
    let document = stopped_and_frozen(&load, &folder.path().join("run"));
    assert_stops_are_noted(&document);
    let ios = &document["findings"]["ios"];
    let service = &ios["summary"]["service_ns"];
    assert!(service["max"].as_u64().is_some_and(|max| max >= nanos(FREEZE) / 10 * 9), "{service}");
    assert!(service["p99"].as_u64().is_some_and(|p99| p99 < nanos(STOP) / 10 * 9), "{service}");
    let seconds = ios["per_second"]["not_judged"].as_array().expect("seconds");
    assert!(!seconds.is_empty() && document["run"]["outcome"]["left_out"].as_u64() >= Some(STOPS / 2));
}

/// The longest write and wait say how much memory a recorder needs. The ring holds 0.4 s, so that a
/// freeze of 0.8 s leaves no room.
#[test]
fn a_stopped_recorder_names_no_write_of_its_drive_and_a_frozen_drive_is_named() {
    if !can_be_frozen() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let drive = Freezable::new();
    let name = drive.0.name();
    let channel = "cam=synthetic,size=100KB,rate=100/s,ring=4MiB";
    let running = Running::start(&[
        "stream",
        "record",
        drive.0.text(),
        "--serial",
        &name,
        "--destroy-data",
        "--cyclic",
        "--channel",
        channel,
        "--json",
    ]);
    pause(FREEZE * 2);
    for _ in 0..2 {
        stop(&running);
        pause(FREEZE * 4);
        running.signal(Signal::CONT);
        pause(FREEZE);
    }
    drive.freeze();
    pause(FREEZE);
    running.signal(Signal::INT);
    let ended = running.ends();
    assert!(ended.stderr.contains("The program itself stood still"), "{}", ended.stderr);
    let found = &ended.json()["findings"];
    let stops = found["standstills"].as_array().expect("standstills");
    assert_eq!(stops.iter().filter(|one| length(one) >= nanos(FREEZE * 4) - BEAT).count(), 2, "{stops:?}");
    let times = [&found["longest_write_ns"], &found["channels"][0]["longest_wait_ns"]];
    let [write, wait] = times.map(|time| time.as_u64().expect("a time"));
    assert!((nanos(FREEZE) / 10 * 9..nanos(FREEZE * 4)).contains(&write), "{write} ns: {found}");
    assert!((nanos(FREEZE) / 4..nanos(FREEZE * 4)).contains(&wait), "{wait} ns: {found}");
}
