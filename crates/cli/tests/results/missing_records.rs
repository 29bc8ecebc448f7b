//! Runs of which records are missing: nothing is made of what is left, and what is missing is said.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{drivelab, folder, records, results, run_folders, text};
use serde_json::Value;

/// A run of some seconds and several segments, and the document that was printed when it ended.
fn run(output: &Path) -> (PathBuf, Value) {
    let timing = ["--duration", "60s", "--window", "2s", "--json", "-o", text(output)];
    let live = drivelab(&[&["consistency", "sim:consistent?size=2GiB"][..], &timing].concat());
    let run = run_folders(output).remove(0);
    assert!(records::segments(&run).len() >= 2);
    (run, live.with_code(0).json())
}

#[test]
fn a_segment_that_is_gone_takes_every_figure_with_it() {
    let folder = folder();
    let (run, live) = run(&folder.path().join("runs"));
    fs::remove_file(run.join("findings.json")).expect("findings");
    fs::remove_file(&records::segments(&run)[0]).expect("a segment");
    let page = folder.path().join("page.html");
    let ended = drivelab(&["report", text(&run), "--json", "--report", text(&page)]).with_code(1);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("segments/000000.parquet is not there"), "{}", ended.stderr);
    let kept = &ended.json()["findings"];
    assert_eq!(kept["records"]["completions"], live["findings"]["records"]["completions"]);
    assert_eq!(kept["records"]["lost"].as_u64(), Some(1 << 20));
    assert_eq!(kept["per_second"]["write_iops"].as_array().map(Vec::len), Some(0));
    let summary = &kept["summary"];
    for figure in ["iops_mean", "iops_min", "cliff_bytes", "service_ns"] {
        assert!(summary[figure].is_null(), "{figure} in {summary}");
    }
    assert!(kept["withheld"].as_str().is_some_and(|why| why.contains("1048576")), "{kept}");
    let page = folder.path().join("shown.html");
    let shown = drivelab(&["report", text(&run), "--report", text(&page)]).with_code(1).stdout;
    assert!(shown.contains("missing") && !shown.contains("cliff") && !shown.contains("IOPS"), "{shown}");
    assert!(fs::read_to_string(&page).expect("a page").contains("000000.parquet is not there"));
}

#[test]
fn the_figures_that_a_run_left_are_shown_as_such_and_its_page_stays() {
    let folder = folder();
    let (run, live) = run(&folder.path().join("runs"));
    let page = fs::read(run.join("report.html")).expect("the run's own page");
    fs::remove_dir_all(run.join("segments")).expect("the segments");
    let ended = drivelab(&["report", text(&run)]).with_code(1);
    let shown = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Kept in findings.json when the run ended"), "{shown}");
    assert!(ended.stderr.contains("the folder segments is not there"), "{}", ended.stderr);
    assert_eq!(fs::read(run.join("report.html")).expect("the page"), page);
    let kept = drivelab(&["report", text(&run), "--json"]).with_code(1).json();
    assert_eq!(kept["findings"]["earlier_summary"], live["findings"]["summary"]);
    assert!(kept["findings"]["summary"]["iops_mean"].is_null(), "a withheld figure is in no ordinary place");
}

#[test]
fn a_segment_of_another_place_is_not_taken_for_the_run_s_own() {
    let folder = folder();
    let (run, _) = run(&folder.path().join("runs"));
    let page = fs::read(run.join("report.html")).expect("the run's own page");
    let segments = records::segments(&run);
    let whole = fs::read(&segments[1]).expect("a segment");
    fs::copy(&segments[0], &segments[1]).expect("room on disk");
    let ended = drivelab(&["report", text(&run)]).with_code(1);
    assert!(
        ended.stderr.contains("by their hash") || ended.stderr.contains("did not make"),
        "{}",
        ended.stderr
    );
    assert_eq!(fs::read(run.join("report.html")).expect("the page"), page);
    fs::write(&segments[1], whole).expect("room on disk");
    drivelab(&["report", text(&run)]).with_code(0);
}

#[test]
fn one_damaged_run_among_several_is_named_and_the_others_are_shown() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let timing = [
        "--over-provisioning",
        "0%,25%,50%",
        "--duration",
        "6s",
        "--window",
        "1s",
        "--json",
        "-o",
        text(&runs),
    ];
    let live =
        drivelab(&[&["consistency", "sim:consistent?size=1GiB"][..], &timing].concat()).with_code(0).json();
    let paths = run_folders(&runs);
    let manifest = fs::read_to_string(paths[0].join("run.json")).expect("a manifest");
    fs::write(paths[0].join("run.json"), &manifest[..manifest.len() / 2]).expect("room");
    let page = folder.path().join("page.html");
    let ended = drivelab(&["report", text(&runs), "--json", "--report", text(&page)]).with_code(1);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    for words in ["left out", "run.json: damaged", "put back"] {
        assert!(ended.stderr.contains(words), "{words} in {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("not the folder of a run"), "{}", ended.stderr);
    let document = ended.json();
    assert_eq!(document[0], live[1]);
    assert_eq!(document[1], live[2]);
    assert!(page.is_file());
    // A page that was made of all runs is not replaced by one of some.
    let whole = fs::read(runs.join("report.html")).expect("the page of all");
    drivelab(&["report", text(&runs)]).with_code(1);
    assert_eq!(fs::read(runs.join("report.html")).expect("the page of all"), whole);
}

#[test]
fn a_page_is_not_the_folder_of_a_run() {
    let folder = folder();
    let page = folder.path().join("report.html");
    fs::write(&page, "<!doctype html>").expect("room");
    drivelab(&["report", text(&page)]).fails_in_one_line(2, &["report.html", "folder of its run"]);
}

#[test]
fn a_run_without_its_manifest_is_named_and_one_named_twice_is_shown_once() {
    let folder = folder();
    let output = folder.path().join("runs");
    let timing = ["--duration", "2s", "--over-provisioning", "0%,25%", "-o", text(&output)];
    drivelab(&[&["consistency", "sim:consistent?size=1GiB"][..], &timing].concat()).with_code(0);
    let twice = drivelab(&["report", text(&output), text(&output), "--json"]).with_code(0);
    assert_eq!(results(&twice.json()).len(), 2);
    assert_eq!(twice.stderr.matches("is named twice").count(), 2, "{}", twice.stderr);
    let lost = run_folders(&output).remove(1);
    fs::remove_file(lost.join("run.json")).expect("a manifest");
    let rest = drivelab(&["report", text(&output), "--json"]).with_code(1);
    assert_eq!(results(&rest.json()).len(), 1);
    assert!(rest.stderr.contains("no run.json") && rest.stderr.contains(text(&lost)), "{}", rest.stderr);
    drivelab(&["report", text(&lost)]).fails_in_one_line(2, &["no run.json", "put back"]);
}

#[test]
fn runs_of_one_label_are_told_apart_by_where_they_are_kept() {
    let folder = folder();
    let outputs = ["one", "other"].map(|name| folder.path().join(name));
    for output in &outputs {
        let timing = ["--duration", "2s", "-o", text(output)];
        drivelab(&[&["consistency", "sim:consistent?size=1GiB"][..], &timing].concat()).with_code(0);
    }
    let page = folder.path().join("page.html");
    let shown =
        drivelab(&["report", text(&outputs[0]), text(&outputs[1]), "--report", text(&page)]).with_code(0);
    let page = fs::read_to_string(&page).expect("a page");
    for output in &outputs {
        let run = run_folders(output).remove(0);
        let name = run.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(page.contains(&name), "{}", shown.stdout);
    }
}

#[test]
fn a_changed_byte_in_a_segment_of_a_run_without_a_hash_is_noticed() {
    let folder = folder();
    let (run, _) = run(&folder.path().join("runs"));
    let manifest = run.join("run.json");
    let mut document: Value = serde_json::from_slice(&fs::read(&manifest).expect("it")).expect("JSON");
    // Only simulated drives have one.
    document["outcome"].as_object_mut().expect("an outcome").remove("completions_hash");
    fs::write(&manifest, document.to_string()).expect("room on disk");
    let segment = &records::segments(&run)[0];
    let mut bytes = fs::read(segment).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(segment, bytes).expect("room on disk");
    let ended = drivelab(&["report", text(&run)]).with_code(1);
    assert!(ended.stderr.contains("000000.parquet is damaged"), "{}", ended.stderr);
}

#[test]
fn a_trace_among_runs_is_left_out_and_named() {
    let folder = folder();
    let (output, trace) = (folder.path().join("runs"), folder.path().join("runs/trace"));
    drivelab(&["consistency", "sim:consistent?size=1GiB", "--duration", "2s", "-o", text(&output)])
        .with_code(0);
    fs::create_dir_all(trace.join("segments")).expect("room");
    fs::write(trace.join("trace.json"), "{}").expect("room");
    let words = ["is a trace", "drivelab trace show"];
    let beside = drivelab(&["report", text(&output), "--json"]).with_code(1);
    assert!(beside.stderr.contains("left out") && beside.stderr.contains(words[1]), "{}", beside.stderr);
}
