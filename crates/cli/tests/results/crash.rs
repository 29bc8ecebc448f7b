//! A run that is killed or interrupted keeps what it had.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::devices::{self, Loop, Mount, Zram, eventually};
use crate::common::running::{Running, pause};
use crate::common::{self, drivelab, folder, manifest, notices, records, run_folders, text};
use rustix::process::Signal;

/// What a killed run may lose at most, in nanoseconds.
const LOST_AT_MOST: u64 = 1_000_000_000;

/// Waits until the manifest of a run says that this many phases have begun.
fn wait_for_phases(run: &Path, count: usize) {
    let begun = || {
        let text = std::fs::read(run.join("run.json")).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        manifest["phases"].as_array().is_some_and(|phases| phases.len() >= count)
    };
    assert!(eventually(begun), "the phase never began");
}

/// The delays before a dozen kills in milliseconds: spread by a fixed sequence over what a tail goes through.
fn delays() -> impl Iterator<Item = u64> {
    (0..12_u64).scan(12_345_u64, |state, _| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(150 + (*state >> 33) % 1_600)
    })
}

/// The last completion time in the records of a run, whole segments and tails.
fn last_completion(run: &Path) -> u64 {
    let (submitted, latency) = (records::column(run, "submit_time_ns"), records::column(run, "latency_ns"));
    let whole = submitted.iter().zip(&latency).map(|(at, latency)| (at + latency).unsigned_abs());
    let tails =
        records::files(run, "tail").into_iter().flat_map(|tail| records::tail_completion_times(&tail));
    whole.chain(tails).max().unwrap_or(0)
}

/// Kills a recorded load after each of these delays, and asks what is left of it.
fn kill_loads(target: &Path, arguments: &[&str], delays: impl Iterator<Item = u64>) {
    let folder = folder();
    for (number, delay) in delays.enumerate() {
        let run = folder.path().join(number.to_string());
        devices::wait_until_free(target);
        let asked = ["load", text(target), "--rw", "randwrite", "--duration", "30s", "--destroy-data"];
        let running = Running::start(&[&asked[..], &["--output", text(&run)], arguments].concat());
        wait_for_phases(&run, 1);
        pause(Duration::from_millis(delay));
        running.kill();
        let conditions = manifest(&run)["conditions"].to_string();
        assert!(conditions.contains("\"Engine\""), "what the engine obtained is not in {conditions}");
        let began = manifest(&run)["phases"][0]["started_at_ns"].as_u64().expect("a start");
        let reaches = last_completion(&run).saturating_sub(began);
        let ran_at_least = delay * 1_000_000;
        assert!(reaches + LOST_AT_MOST >= ran_at_least, "killed after {delay} ms, kept {reaches} ns");
        assert_report_of_killed(&run, 0);
    }
}

/// What a document says of the records, whether of a load or of a consistency test.
fn records_of(document: &serde_json::Value) -> &serde_json::Value {
    let found = &document["findings"];
    found.get("ios").map_or(&found["records"], |ios| &ios["records"])
}

/// What a report says of a run that was killed.
fn assert_report_of_killed(run: &Path, completions_at_least: u64) {
    let document = drivelab(&["report", text(run), "--json"]).with_code(1).json();
    assert!(records_of(&document)["completions"].as_u64() >= Some(completions_at_least), "{document}");
    let summary = drivelab(&["report", text(run)]).with_code(1).stdout;
    let summary: String = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(summary.contains("did not end by itself"), "{summary}");
}

#[test]
fn a_killed_load_on_a_file_loses_at_most_its_last_second() {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        return devices::skipped("no file system in memory is mounted at /dev/shm");
    }
    let folder = tempfile::tempdir_in(memory).expect("a folder");
    let file = folder.path().join("drive.bin");
    kill_loads(&file, &["--file-size", "64MiB"], delays().take(4));
    // So slow that no row group is ever full.
    kill_loads(&file, &["--rate", "200/s"], delays().skip(4).take(2));
}

#[test]
fn a_killed_load_on_a_device_loses_at_most_its_last_second() {
    if !devices::zram_can_be_made() {
        return;
    }
    let device = Zram::new(64, None);
    kill_loads(&device.node, &[&device.serial(), "--threads", "2"], delays().skip(6));
}

/// A simulated run that would go on for hours, and the folder it keeps.
fn endless_simulation(output: &Path) -> (Running, PathBuf) {
    let asked =
        ["consistency", "sim:consistent?size=1GiB", "--duration", "1000000s", "--json", "-o", text(output)];
    let running = Running::start(&asked);
    assert!(eventually(|| output.is_dir() && run_folders(output).len() == 1), "no run appears");
    let run = run_folders(output).remove(0);
    wait_for_phases(&run, 3);
    (running, run)
}

#[test]
fn a_killed_simulation_leaves_records_without_a_gap() {
    for (number, delay) in delays().take(3).enumerate() {
        let folder = folder();
        let (running, run) = endless_simulation(&folder.path().join(number.to_string()));
        pause(Duration::from_millis(400 + delay));
        running.kill();
        // Purge and fill are one request and 8,192; more than those have to be left.
        assert_report_of_killed(&run, 10_000);
        let document = drivelab(&["report", text(&run), "--json"]).with_code(1).json();
        let seconds = document["findings"]["per_second"]["write_iops"].as_array().expect("seconds").clone();
        assert!(!seconds.is_empty());
        assert!(seconds.iter().all(|count| count.as_u64() > Some(0)), "{seconds:?}");
    }
}

/// What an interrupted run has to be like.
fn assert_closed_cleanly(run: &Path, signal: Signal) {
    assert_eq!(manifest(run)["outcome"]["interrupted"], true);
    let by = if signal == Signal::TERM { "stopped by SIGTERM" } else { "interrupted" };
    assert!(notices(run).contains(&format!("The run was {by}: ")), "{}", notices(run));
    assert!(!records::segments(run).is_empty());
    let left: Vec<PathBuf> = common::tree(run).into_iter().map(|(name, _)| name).collect();
    let unfinished =
        |name: &PathBuf| ["partial", "tail"].iter().any(|kind| name.extension() == Some(kind.as_ref()));
    assert!(!left.iter().any(unfinished), "{left:?}");
    drivelab(&["report", text(run)]).with_code(1);
}

#[test]
fn an_interrupted_simulation_is_closed_and_reported() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = folder();
        let (running, run) = endless_simulation(&folder.path().join("runs"));
        pause(Duration::from_millis(300));
        running.signal(signal);
        let live = running.ends().with_code(130).json();
        assert_closed_cleanly(&run, signal);
        let kept = drivelab(&["report", text(&run), "--json"]).with_code(1).json();
        assert_eq!(live["findings"], kept["findings"]);
    }
}

#[test]
fn an_interrupted_load_is_closed_and_reported() {
    let folder = folder();
    let file = folder.path().join("drive.bin");
    // What `timeout` does: the same signal twice, to the program and to its process group.
    for (name, signals) in [("int", &[Signal::INT][..]), ("timeout", &[Signal::TERM, Signal::TERM])] {
        let run = folder.path().join(name);
        devices::wait_until_free(&file);
        let asked = ["load", text(&file), "--file-size", "16MiB", "--destroy-data", "--rw", "randwrite"];
        let running =
            Running::start(&[&asked[..], &["--duration", "50s", "--json", "--output", text(&run)]].concat());
        wait_for_phases(&run, 1);
        pause(Duration::from_millis(300));
        for signal in signals {
            running.signal(*signal);
            pause(Duration::from_millis(2));
        }
        let document = running.ends().with_code(130).json();
        assert_closed_cleanly(&run, signals[0]);
        let rows = records::column(&run, "latency_ns").len() as u64;
        assert_eq!(records_of(&document)["completions"].as_u64(), Some(rows));
    }
}

#[test]
fn a_device_is_free_again_a_moment_after_a_kill() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, folder) = (Loop::of_zeros(64), folder());
    let run = folder.path().join("run");
    let asked = ["load", text(&device.node), "--rw", "randwrite", "--duration", "30s", &device.serial()];
    let running = Running::start(&[&asked[..], &["--destroy-data", "--output", text(&run)]].concat());
    wait_for_phases(&run, 1);
    assert!(!devices::is_free(&device.node), "the claim is held while the run is under way");
    running.kill();
    // The kernel takes the ring apart after the process; no claim may outlive that.
    assert!(eventually(|| devices::is_free(&device.node)), "the claim outlives its process");
    devices::make_ext4(&device.node);
    drop(Mount::new(&device.node));
}

#[test]
fn a_run_that_was_ended_in_its_fill_has_no_figures_and_no_graph() {
    let folder = folder();
    let output = folder.path().join("runs");
    let asked = ["consistency", "sim:sm2246en?size=240GiB", "--duration", "9s", "-o", text(&output)];
    let running = Running::start(&asked);
    assert!(eventually(|| output.is_dir() && run_folders(&output).len() == 1), "no run appears");
    wait_for_phases(&run_folders(&output)[0], 2);
    pause(Duration::from_millis(500));
    running.signal(Signal::INT);
    let shown = running.ends().with_code(130).stdout;
    assert!(shown.contains("Interrupted before the measured phase began"), "{shown}");
    assert!(!shown.contains("Too short") && !shown.contains("each second"), "{shown}");
}

#[test]
fn a_killed_run_is_marked_beside_one_that_ended() {
    let folder = folder();
    let output = folder.path().join("runs");
    let asked = [
        "consistency",
        "sim:consistent?size=1GiB",
        "--over-provisioning",
        "0%,25%",
        "--duration",
        "3s",
        "-o",
        text(&output),
    ];
    drivelab(&asked).with_code(0);
    let killed = run_folders(&output).remove(1).join("run.json");
    let text_of = std::fs::read(&killed).expect("a manifest");
    let mut document: serde_json::Value = serde_json::from_slice(&text_of).expect("JSON");
    document["outcome"] = serde_json::Value::Null;
    std::fs::write(&killed, document.to_string()).expect("room");
    let shown = drivelab(&["report", text(&output)]).with_code(1).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("over-provisioning, killed") && shown.contains("no cliff in its 3 s"), "{shown}");
    let page = std::fs::read_to_string(output.join("report.html")).expect("a page");
    assert!(page.contains(", killed"));
}
