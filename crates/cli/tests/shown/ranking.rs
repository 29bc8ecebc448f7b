//! Which runs `report` ranks: those that were asked for alike, but for what is compared.

use std::fs;
use std::path::Path;

use crate::common::{self, drivelab, folder, results, text};
use serde_json::{Value, json};

/// A load of a simulated drive, kept in a folder.
fn load(run: &Path, drive: &str, more: &[&str]) {
    let always = ["load", drive, "--output", text(run)];
    drivelab(&[&always[..], more].concat()).with_code(0);
}

/// Short consistency runs, kept in a folder.
fn consistency(output: &Path, duration: &str, more: &[&str]) {
    let short = ["consistency", "--window", "1s", "--range", "0-64MiB", "-o", text(output)];
    drivelab(&[&short[..], &["--duration", duration], more].concat()).with_code(0);
}

/// The page, the terminal's summary and the documents of several runs.
fn report(runs: &[&Path]) -> (String, String, Vec<Value>) {
    let folder = folder();
    let page = folder.path().join("page.html");
    let runs: Vec<&str> = runs.iter().map(|run| text(run)).collect();
    let document =
        drivelab(&[&["report", "--json", "--report", text(&page)], &runs[..]].concat()).with_code(0).json();
    let shown = drivelab(&[&["report"], &runs[..]].concat()).with_code(0).stdout;
    let page = fs::read_to_string(&page).expect("a page");
    (page, shown.split_whitespace().collect::<Vec<_>>().join(" "), results(&document))
}

fn marks_a_best(page: &str) -> bool {
    page.contains("class=\"number best")
}

#[test]
fn loads_that_were_asked_for_differently_are_not_ranked() {
    let folder = folder();
    let (reads, writes) = (folder.path().join("reads"), folder.path().join("writes"));
    load(&reads, "sim:consistent", &["--rw", "randread", "--queue-depth", "1", "--duration", "3s"]);
    load(&writes, "sim:consistent", &["--rw", "randwrite", "--queue-depth", "32", "--duration", "3s"]);
    let (page, shown, document) = report(&[&reads, &writes]);
    let sentence = "asked for differently (operation, queue depth): no value is marked as the best";
    assert!(page.contains(sentence) && !marks_a_best(&page));
    assert!(shown.contains(sentence), "{shown}");
    assert_eq!(document[1]["run"]["settings"]["queue_depth"], json!(32));
}

#[test]
fn loads_that_differ_in_the_drive_alone_are_ranked() {
    let folder = folder();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    load(&one, "sim:consistent", &["--rw", "randwrite", "--duration", "3s"]);
    load(&other, "sim:sm2246en", &["--rw", "randwrite", "--duration", "3s", "--range", "0%-100%"]);
    let (page, shown, _) = report(&[&one, &other]);
    assert!(marks_a_best(&page) && shown.contains('✓'), "{shown}");
}

#[test]
fn drives_and_over_provisioning_are_what_consistency_compares_and_duration_is_not() {
    let folder = folder();
    let (output, longer) = (folder.path().join("runs"), folder.path().join("longer"));
    consistency(&output, "8s", &["sim:consistent", "sim:sm2246en", "--over-provisioning", "0%,25%"]);
    let (page, shown, _) = report(&[&output]);
    assert!(marks_a_best(&page));
    assert!(page.contains("25 % over-provisioning of the range") && shown.contains('✓'), "{shown}");
    consistency(&longer, "9s", &["sim:consistent"]);
    let (page, shown, _) = report(&[&output, &longer]);
    assert!(!marks_a_best(&page));
    assert!(shown.contains("asked for differently (duration)"), "{shown}");
}

/// Nothing is made of settings that this version does not know: they may mean something else.
#[test]
fn a_run_of_an_earlier_version_is_named_and_the_rest_is_shown() {
    let folder = folder();
    let output = folder.path().join("runs");
    consistency(&output, "8s", &["sim:consistent", "--over-provisioning", "0%,25%"]);
    let manifest = common::run_folders(&output)[1].join("run.json");
    let mut earlier: Value = serde_json::from_slice(&fs::read(&manifest).expect("a manifest")).expect("JSON");
    earlier["settings"] = json!({
        "measured_phase": "random write", "reserve_percent": 25.0, "reserve_of": "address range", "round_s": 1,
        "duration_ns": 8_000_000_000u64, "block_size_bytes": 4096, "queue_depth": 32, "range_bytes": [0, 50_331_648],
        "fill": true, "purge": true, "compressibility_percent": 0,
    });
    fs::write(&manifest, earlier.to_string()).expect("an earlier manifest");
    let page = folder.path().join("page.html");
    let shown = drivelab(&["report", text(&output), "--report", text(&page)]).with_code(1);
    assert!(shown.stderr.contains("run.json: damaged") && shown.stdout.contains("IOPS"), "{shown:?}");
}

/// What the terminal shows of the comparison of two drives, of which one was asked for more.
fn compared(kind: &str, of_both: &[&str], of_one: &[&str]) -> String {
    let folder = folder();
    let drives = [("sim:tlc-nvme?size=4GiB", &[][..]), ("sim:hmb-nvme?size=4GiB", of_one)];
    let runs: Vec<_> = (0..2).map(|place| folder.path().join(format!("run{place}"))).collect();
    for ((drive, more), run) in drives.iter().zip(&runs) {
        drivelab(&[&[kind, drive, "-o", text(run)], of_both, more].concat()).with_code(0);
    }
    let (page, shown, _) = report(&[&runs[0], &runs[1]]);
    assert!(of_one.is_empty() || !marks_a_best(&page), "{kind}: nothing is ranked");
    shown
}

#[test]
fn the_first_sentence_of_a_comparison_answers_the_question_across_the_drives() {
    let wake = compared("wake", &["--rests", "1ms,1s"], &[]);
    let first = "Wake-up time of two drives After a rest of 1 s, the first read takes";
    assert!(wake.starts_with(first), "{wake}");
    let fill = compared("fill", &[], &[]);
    assert_eq!(fill.matches("nvme is fast for ").count(), 2, "{fill}");
    let parts = compared("working-set", &["--cell-duration", "1s"], &[]);
    assert!(parts.contains("Over 4 GiB, the largest part that was read of all of them"), "{parts}");
    let loads =
        compared("offered-load", &["--loads", "5000/s", "--cell-duration", "1s", "--limit", "10ms"], &[]);
    assert!(loads.contains("has a p99 of at most 10.0 ms at all loads, up to 5,000 IOPS"), "{loads}");
    assert!(loads.contains("At 5,000 IOPS, the p99 response time is"), "{loads}");
}

#[test]
fn a_comparison_says_where_more_was_asked_of_one_drive() {
    let wake = compared("wake", &["--rests", "1ms,1s"], &["--runs", "7"]);
    let sentence = "asked for differently (runs): no value is marked as the best";
    assert!(wake.contains("the first read takes") && wake.contains(sentence), "{wake}");
}
