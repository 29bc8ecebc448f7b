//! TRIM validation: the right verdict on drives whose TRIM is known, and what trimmed blocks return.

mod common;
#[path = "../../sim/tests/rig/formula.rs"]
mod formula;

use common::devices::{self, Loop, Zram};
use common::{Ended, drivelab, drivelab_on};
use drivelab_sim::Spec;
use serde_json::Value;

const TRIM: &str = include_str!("../../report/schemas/drivelab.trim-1.json");

#[track_caller]
fn fits(ended: Ended, code: i32) -> Value {
    let document = ended.with_code(code).json();
    common::assert_fits(TRIM, &document);
    document
}

#[track_caller]
fn tried(target: &str, torture: &str, code: i32) -> Value {
    fits(drivelab(&["trim", target, "--torture", torture, "--json"]), code)
}

fn ratio(document: &Value, name: &str) -> f64 {
    document[name]["ratio"].as_f64().expect("a ratio")
}

/// One die and one plane, collected with every write: the drive of the formula.
const PLAIN: &str = "sm2246en?size=4GiB&over_provisioning=12%&dies=1&channels=1&planes=1&page=4KiB\
                     &pages_per_block=256&collect=interleaved&collect_pool=0";

#[test]
fn a_trim_that_works_makes_a_used_drive_fresh_as_the_formula_says() {
    let document = tried(&format!("sim:{PLAIN}&program=100us"), "20min", 0);
    assert_eq!(document["verdict"], "effective", "{}", document["reason"]);
    let reads = &document["trimmed_reads"];
    assert_eq!((reads["blocks"].as_u64(), reads["zeros"].as_u64()), (Some(768), Some(768)));
    // What TRIM takes away is the amplification that greedy collection has at this drive's spare flash.
    let profile = Spec::parse(PLAIN).expect("a profile");
    let expected = formula::greedy(profile.alpha(profile.user_capacity()), 256);
    for round in document["simulation"].as_array().expect("accounts") {
        let of = |name: &str| round[name].as_f64().expect("a figure");
        let random = of("random_writes_amplification");
        assert!((random / expected - 1.0).abs() < 0.03, "{random}, not {expected}");
        assert!((of("trimmed_amplification") - 1.0).abs() < 0.01, "{round}");
    }
    let (lost, won) = (ratio(&document, "lost"), ratio(&document, "won"));
    assert!((won / lost - 1.0).abs() < 0.1, "fresh {lost}, trimmed {won}");
    assert_eq!(document["curves"].as_array().map(Vec::len), Some(9));
}

#[test]
fn a_trim_that_does_nothing_is_ineffective_and_leaves_old_data() {
    let document = tried("sim:consistent?size=8GiB&trim=ignored", "60s", 1);
    assert_eq!(document["verdict"], "ineffective", "{}", document["reason"]);
    assert!(ratio(&document, "lost") > 2.0 && (ratio(&document, "won") - 1.0).abs() < 0.1);
    assert_eq!(document["trimmed_reads"]["old"].as_u64(), Some(768));
}

#[test]
fn a_drive_without_trim_is_told_before_hours_are_spent() {
    for target in ["sim:consistent?trim=false", "sim:hdd-7200"] {
        let document = tried(target, "30min", 0);
        assert_eq!(document["verdict"], "unsupported");
        assert_eq!(document["curves"].as_array().map(Vec::len), Some(0));
    }
}

/// When each phase of a kept run was asked for something, in nanoseconds, under its name.
fn phases(folder: &std::path::Path) -> Vec<(String, u64)> {
    let text = std::fs::read_to_string(folder.join("run.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    let number = |phase: &Value, name: &str| phase[name].as_u64().expect("a time");
    let lasted = |phase: &Value| number(phase, "ended_at_ns") - number(phase, "started_at_ns");
    let phases = manifest["phases"].as_array().expect("phases").iter();
    phases.map(|phase| (phase["name"].as_str().expect("a name").to_owned(), lasted(phase))).collect()
}

#[test]
fn a_used_drive_rests_as_long_as_the_discards_before_it_took() {
    let kept = common::folder();
    let folder = kept.path().join("trim");
    let asked = ["trim", "sim:sm2246en?size=2GiB", "--precondition", "random:2s", "--runs", "2", "-o"];
    drivelab(&[&asked[..], &[common::text(&folder)]].concat()).with_code(0);
    let (mut discards, mut rests) = (0, Vec::new());
    for (name, lasted) in phases(&folder) {
        match name.as_str() {
            "purge" | "trim" => discards = lasted,
            "rest" => rests.push((lasted, discards)),
            _ => {}
        }
    }
    assert_eq!(rests.len(), 2);
    assert!(rests.iter().all(|(rest, discards)| rest >= discards && *rest > 0), "{rests:?}");
}

#[test]
fn as_many_rounds_as_a_run_has_phases_for() {
    let asked = ["trim", "sim:consistent?size=1GiB", "--precondition", "random:1s", "--runs"];
    let document = fits(drivelab(&[&asked[..], &["18", "--json"]].concat()), 0);
    assert_eq!(document["curves"].as_array().map(Vec::len), Some(3 * 18));
    drivelab(&[&asked[..], &["19"]].concat()).with_code(2);
}

#[test]
fn one_round_decides_nothing_and_bad_input_is_named() {
    let one = ["trim", "sim:consistent?size=1GiB", "--precondition", "random:2s", "--runs", "1", "--json"];
    let document = fits(drivelab(&one), 0);
    assert_eq!((&document["verdict"], document["won"]["low"].as_f64()), (&Value::from("undecided"), None));
    let small = ["trim", "sim:consistent?size=1GiB", "--range", "0-1MiB"];
    drivelab(&small).fails_in_one_line(2, &["range"]);
    let backwards = ["trim", "sim:consistent?size=1GiB", "--range", "50%-40%"];
    drivelab(&backwards).fails_in_one_line(2, &["--range", "START-END"]);
    drivelab(&["trim", "sim:consistent", "--precondition", "random:0s"]).with_code(2);
    let dry = drivelab(&["trim", "sim:consistent", "--precondition", "random:30min", "--dry-run"])
        .with_code(0)
        .stdout;
    assert!(dry.contains("600.0 GB written in sequence") && dry.contains("random writes for 3 h"), "{dry}");
    drivelab(&["trim", "sim:consistent", "--runs", "0"]).with_code(2);
}

/// A device in memory is as fast used as fresh: there is nothing that TRIM could win back.
#[test]
fn memory_reads_zeros_where_it_was_trimmed_and_has_no_speed_to_win() {
    let asked = ["trim", "--precondition", "random:200ms", "--json", "--destroy-data"];
    if devices::zram_can_be_made() {
        let device = Zram::new(64, None);
        let ended = drivelab_on(&device.node, &[&asked[..], &[&device.serial()]].concat());
        let document = fits(ended, 0);
        assert_eq!(document["verdict"], "undecided", "{}", document["reason"]);
        assert_read_as_zeros(&document);
    }
    if devices::loops_can_be_made() {
        let device = Loop::of_zeros(64);
        drivelab_on(&device.node, &asked).with_code(4);
        let ended = drivelab_on(&device.node, &[&asked[..], &[&device.serial()]].concat());
        // What a loop device costs to write is its file system's business: only what it returns is known.
        assert_read_as_zeros(&ended.json());
    }
}

#[track_caller]
fn assert_read_as_zeros(document: &Value) {
    let reads = &document["trimmed_reads"];
    // A few of the random blocks may be the same.
    assert!(reads["blocks"].as_u64() > Some(700) && reads["zeros"] == reads["blocks"], "{reads}");
}

#[test]
fn a_report_leaves_the_page_of_a_verdict_as_it_was_made() {
    let folder = common::folder();
    let kept = folder.path().join("kept");
    let asked = [
        "trim",
        "sim:consistent?size=1GiB",
        "--precondition",
        "random:1s",
        "--runs",
        "2",
        "-o",
        common::text(&kept),
    ];
    drivelab(&asked).with_code(0);
    let page = || std::fs::read_to_string(kept.join("report.html")).expect("a page");
    let before = page();
    drivelab(&["report", common::text(&kept)]).fails_in_one_line(2, &["TRIM", "report.html"]);
    assert_eq!(page(), before);
    std::fs::remove_file(kept.join("report.html")).expect("it is there");
    drivelab(&["report", common::text(folder.path())]).fails_in_one_line(2, &["its page is not there"]);
    // It is no part of a report of runs, and nothing that such a report lacks.
    let run = folder.path().join("run");
    drivelab(&["load", "sim:consistent", "--duration", "1s", "--output", common::text(&run)]).with_code(0);
    let told = drivelab(&["report", common::text(folder.path())]).with_code(0);
    assert!(told.stderr.contains("TRIM"), "{}", told.stderr);
    // Killed, it would have no verdict: its records are what there is.
    std::fs::remove_file(kept.join("trim.json")).expect("it is there");
    drivelab(&["report", common::text(&kept)]).with_code(0);
}
