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
