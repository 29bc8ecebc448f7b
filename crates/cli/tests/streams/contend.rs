//! Sharing a drive: every mechanism is tried, and undone.

use std::fs;
use std::path::PathBuf;

use crate::common::devices::{self, Loop, Mount, eventually};
use crate::common::running::Running;
use crate::common::{assert_fits, drivelab, text};
use serde_json::Value;

const CONTEND: &str = include_str!("../../../inspect/schemas/drivelab.contend-2.json");

/// A mounted loop device, what a contention on it is asked, and the place of its scheduler.
struct Shared {
    scheduler: PathBuf,
    mount: Mount,
    _device: Loop,
}

fn shared() -> Option<Shared> {
    if !devices::loops_can_be_made() || !devices::mounts_can_be_made() {
        return None;
    }
    let device = Loop::with_ext4(512);
    let scheduler = PathBuf::from(format!("/sys/block/{}/queue/scheduler", device.name()));
    let mount = Mount::new(&device.node);
    Some(Shared { scheduler, mount, _device: device })
}

fn asked(shared: &Shared) -> Vec<String> {
    let target = shared.mount.point.join("recording");
    let sizes =
        ["--file-size", "128MiB", "--competitor-size", "16MiB", "--ring", "16MiB", "--rate", "20MB/s"];
    let mut all = vec!["stream".to_owned(), "contend".to_owned(), text(&target).to_owned()];
    all.extend(["--competitor-directory".to_owned(), text(&shared.mount.point).to_owned()]);
    all.extend(sizes.map(str::to_owned));
    all.extend(["--runs", "1", "--cell-duration", "1s", "--json"].map(str::to_owned));
    all
}

/// The names of what lies in the mounted folder.
fn files(shared: &Shared) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(&shared.mount.point).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

fn chosen(shared: &Shared) -> String {
    let text = fs::read_to_string(&shared.scheduler).expect("a scheduler");
    text.split_whitespace().find(|name| name.starts_with('[')).unwrap_or("").to_owned()
}

#[test]
fn every_mechanism_is_tried_and_put_back() {
    let Some(shared) = shared() else { return };
    let (before, asked) = (chosen(&shared), asked(&shared));
    let arguments: Vec<&str> = asked.iter().map(String::as_str).collect();
    let empty = files(&shared);
    drivelab(&[&arguments[..], &["--dry-run"]].concat()).with_code(0);
    assert_eq!((chosen(&shared), files(&shared)), (before.clone(), empty), "a dry run makes no file");
    let document = drivelab(&arguments).with_code(0).json();
    assert_fits(CONTEND, &document);
    let document = &document["findings"];
    let mechanisms = document["mechanisms"].as_array().expect("mechanisms");
    assert!(mechanisms.len() >= 3, "{document}");
    for mechanism in mechanisms {
        let run = &mechanism["runs"][0];
        assert!(run["longest_write_ns"].as_u64().is_some_and(|nanos| nanos > 0), "{mechanism}");
        assert_eq!(run["competitor_mb_s"].is_null(), mechanism["contended"] == false, "{mechanism}");
        let why = if mechanism["contended"] == false { "no_competitor".into() } else { Value::Null };
        assert_eq!(run["competitor_mb_s_null_because"], why);
    }
    assert_eq!(document["recommended"], Value::Null, "one run says nothing");
    assert_eq!(chosen(&shared), before);
    let left: Vec<_> = fs::read_dir(&shared.mount.point).expect("a folder").flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("contend")), "{left:?}");
}

#[test]
fn what_a_kill_leaves_is_put_back_by_the_next_start() {
    let Some(shared) = shared() else { return };
    let (before, asked) = (chosen(&shared), asked(&shared));
    let arguments: Vec<&str> = asked.iter().map(String::as_str).collect();
    let offered = fs::read_to_string(&shared.scheduler).expect("a scheduler");
    if offered.split_whitespace().count() == 1 {
        return devices::skipped("loop devices have one scheduler here");
    }
    let running = Running::start(&arguments);
    assert!(
        (0..6).any(|_| eventually(|| chosen(&shared) != before)),
        "another scheduler is tried in a minute"
    );
    running.kill();
    let plain: Vec<&str> = arguments.iter().copied().filter(|argument| *argument != "--json").collect();
    // The killed run has left a recording. A dry run changes nothing, not even what the kill left. (A
    // scheduler may be put back by any program of this kind, and others are at work.)
    let names = files(&shared);
    let planned = drivelab(&[&plain[..], &["--dry-run", "--destroy-data"]].concat()).with_code(0);
    assert!(planned.stderr.contains("the next run undoes that"), "{}", planned.stderr);
    assert_eq!(files(&shared), names);
    // A run undoes it, also where it is refused then.
    let refused = drivelab(&plain).with_code(4);
    assert!(refused.stderr.contains("is removed"), "{}", refused.stderr);
    assert_eq!(chosen(&shared), before);
    // The recorder and the competitor that were under way end by themselves, within a second or two.
    assert!(eventually(|| nobody_works_on(&shared)));
}

/// Whether no recorder or competitor of a contention is at work any more: each has its command line.
fn nobody_works_on(shared: &Shared) -> bool {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    !lines
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .any(|line| line.contains(text(&shared.mount.point)))
}

#[test]
fn two_drives_share_nothing() {
    let Some(shared) = shared() else { return };
    let target = shared.mount.point.join("recording");
    drivelab(&["stream", "contend", text(&target), "--competitor-directory", "/proc"])
        .fails_in_one_line(2, &["/proc"]);
    drivelab(&["stream", "contend", text(&target), "--competitor-directory", "/nowhere"])
        .fails_in_one_line(2, &["--competitor-directory"]);
}

#[test]
fn nothing_that_is_there_is_lost_to_a_contention_that_nobody_granted() {
    let Some(shared) = shared() else { return };
    let target = shared.mount.point.join("recording");
    fs::write(&target, vec![7; 8 << 20]).expect("room");
    let asked = [
        "stream",
        "contend",
        text(&target),
        "--competitor-directory",
        text(&shared.mount.point),
        "--rate",
        "5MB/s",
    ];
    let short = ["--runs", "1", "--cell-duration", "1s", "--competitor-size", "4MiB"];
    let refused = drivelab(&[&asked[..], &short].concat()).with_code(4);
    assert!(refused.stderr.contains("--destroy-data"), "{}", refused.stderr);
    drivelab(&[&asked[..], &short, &["--dry-run"]].concat()).with_code(4);
    assert_eq!(fs::read(&target).expect("the file"), vec![7; 8 << 20]);
    let left = fs::read_dir(&shared.mount.point).expect("a folder").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| name == "recording" || name == "lost+found"));
}
