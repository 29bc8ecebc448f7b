//! Loads: whether an open loop kept its schedule, and which loads are ranked.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{drivelab, folder, manifest, text};

/// A short load of a simulated drive, kept in a folder of this name.
fn load(folder: &Path, name: &str, drive: &str, more: &[&str]) -> PathBuf {
    let output = folder.join(name);
    let always = ["load", drive, "--rw", "randwrite", "--queue-depth", "1", "--range", "0-1GiB"];
    drivelab(&[&always[..], &["--duration", "3s", "-o", text(&output)], more].concat()).with_code(0);
    output
}

/// What the terminal shows of kept loads, on one line.
fn shown(runs: &[&Path]) -> String {
    let runs: Vec<&str> = runs.iter().map(|run| text(run)).collect();
    let shown = drivelab(&[&["report"], &runs[..]].concat()).stdout;
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_says_once_whether_an_open_loop_kept_its_schedule() {
    let folder = folder();
    let pages = ["5000/s", "54400/s", "80000/s"].map(|rate| {
        let name = rate.trim_end_matches("/s");
        shown(&[&load(folder.path(), name, "sim:consistent", &["--rate", rate])])
    });
    let kept_up = pages.each_ref().map(|page| page.contains("The drive kept up with the schedule"));
    let fell_behind = pages.each_ref().map(|page| page.contains("did not keep up"));
    assert_eq!((kept_up, fell_behind), ([true, true, false], [false, false, true]), "{pages:#?}");
    // One request is always in flight here: what was never sent is short of the threshold of 1 %, and makes bounds all the same.
    let never_sent = pages.each_ref().map(|page| page.contains("were due and never sent"));
    let bounds =
        pages.each_ref().map(|page| page.split("Figures").next().unwrap_or("").matches("at least").count());
    assert_eq!((never_sent, bounds), ([false, true, true], [0, 4, 4]), "{pages:#?}");
}

#[test]
fn loads_are_ranked_where_all_are_complete_and_no_rate_was_set() {
    let folder = folder();
    let of = |name, drive, more: &[&str]| load(folder.path(), name, drive, more);
    let (one, other) = (of("one", "sim:consistent", &[]), of("other", "sim:sm2246en", &[]));
    assert!(shown(&[&one, &other]).contains('✓'));
    // One keeps the schedule and the other does not: the rate of the first is that of the schedule.
    let rate = ["--rate", "40000/s"];
    let (kept, late) = (of("kept", "sim:consistent", &rate), of("late", "sim:sm2246en", &rate));
    let page = shown(&[&kept, &late]);
    assert!(page.contains("No rate is marked as the best, since it is the one asked for"), "{page}");
    let path = one.join("run.json");
    let mut run = manifest(&one);
    run["outcome"]["interrupted"] = true.into();
    fs::write(&path, run.to_string()).expect("room on disk");
    let page = shown(&[&one, &other]);
    let why = "Not all did what was asked for to its end (sim:consistent, interrupted): no value is marked as the best.";
    assert!(page.contains(why) && !page.contains('✓'), "{page}");
    // One that a failure of the drive ended before its time has an outcome like any other.
    run["outcome"]["interrupted"] = false.into();
    run["phases"][0]["ended_at_ns"] =
        (run["phases"][0]["started_at_ns"].as_u64().expect("a time") + 2_000_000_000).into();
    fs::write(&path, run.to_string()).expect("room on disk");
    let page = shown(&[&one, &other]);
    assert!(page.contains("Not all did what was asked for to its end (sim:consistent):"), "{page}");
}

#[test]
fn a_mean_over_the_cache_of_a_drive_is_said_to_be_one() {
    let words = |drive: &str| {
        let shown = drivelab(&["load", drive, "--rw", "randwrite", "--duration", "20s"]).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let cached = words("sim:tlc-nvme?size=32GiB");
    assert!(cached.contains("IOPS before the cliff to"), "{cached}");
    let small = words("sim:tlc-nvme?size=8GiB");
    assert!(small.contains("IOPS in the first second to"), "{small}");
    assert!(!words("sim:consistent").contains("MB/s on average"));
}
