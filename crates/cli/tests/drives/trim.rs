//! TRIM validation: the right verdict on drives whose TRIM is known, and what trimmed blocks return.

#[path = "../../../sim/tests/model/rig/formula.rs"]
mod formula;

use std::path::{Path, PathBuf};

use crate::common::devices::{self, Loop, Zram};
use crate::common::running::Running;
use crate::common::{self, Ended, drivelab, drivelab_on, text};
use drivelab_sim::Spec;
use serde_json::Value;

const TRIM: &str = include_str!("../../../kinds/schemas/drivelab.trim-3.json");

#[track_caller]
fn fits(ended: Ended, code: i32) -> Value {
    let document = ended.with_code(code).json();
    common::assert_fits(TRIM, &document);
    document
}

#[track_caller]
fn tried(target: &str, time: &str, code: i32) -> Value {
    let precondition = format!("random:{time}");
    fits(drivelab(&["trim", target, "--precondition", &precondition, "--json"]), code)
}

fn ratio(document: &Value, name: &str) -> f64 {
    document["findings"][name]["ratio"].as_f64().expect("a ratio")
}

/// One die and one plane, collected with every write: the drive of the formula.
const PLAIN: &str = "sm2246en?size=4GiB&over_provisioning=12%&dies=1&channels=1&planes=1&page=4KiB\
                     &pages_per_block=256&collect=interleaved&collect_pool=0";

#[test]
fn a_trim_that_works_makes_a_used_drive_fresh_as_the_formula_says() {
    let document = tried(&format!("sim:{PLAIN}&program=100us"), "20min", 0);
    let findings = &document["findings"];
    assert_eq!(findings["verdict"], "effective", "{findings:#}");
    let reads = &findings["trimmed_reads"];
    assert_eq!((reads["blocks"].as_u64(), reads["zeros"].as_u64()), (Some(768), Some(768)));
    // What TRIM takes away is the amplification that greedy collection has at this drive's spare flash.
    let profile = Spec::parse(PLAIN).expect("a profile");
    let expected = formula::greedy(profile.alpha(profile.user_capacity()), 256);
    for round in findings["simulation"].as_array().expect("accounts") {
        let of = |name: &str| round[name].as_f64().expect("a figure");
        let random = of("random_writes_amplification");
        assert!((random / expected - 1.0).abs() < 0.03, "{random}, not {expected}");
        assert!((of("trimmed_amplification") - 1.0).abs() < 0.01, "{round}");
    }
    let (fresh, trimmed) = (ratio(&document, "fresh_to_used"), ratio(&document, "trimmed_to_used"));
    assert!((trimmed / fresh - 1.0).abs() < 0.1, "fresh {fresh}, trimmed {trimmed}");
    assert_eq!(findings["curves"].as_array().map(Vec::len), Some(9));
}

#[test]
fn a_trim_that_does_nothing_is_ineffective_and_leaves_old_data() {
    let document = tried("sim:consistent?size=8GiB&trim=ignored", "60s", 1);
    let findings = &document["findings"];
    assert_eq!(findings["verdict"], "ineffective", "{findings:#}");
    let (fresh, trimmed) = (ratio(&document, "fresh_to_used"), ratio(&document, "trimmed_to_used"));
    assert!(fresh > 2.0 && (trimmed - 1.0).abs() < 0.1, "fresh {fresh}, trimmed {trimmed}");
    assert_eq!(findings["trimmed_reads"]["old"].as_u64(), Some(768));
}

#[test]
fn a_drive_without_trim_is_reported_before_hours_are_spent() {
    for target in ["sim:consistent?trim=false", "sim:hdd-7200"] {
        let document = tried(target, "30min", 0);
        assert_eq!(document["findings"]["verdict"], "unsupported");
        assert_eq!(document["findings"]["curves"].as_array().map(Vec::len), Some(0));
    }
}

/// When each phase of a kept run was asked for something, in nanoseconds, under its name.
fn phases(folder: &Path) -> Vec<(String, u64)> {
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
    drivelab(&[&asked[..], &[text(&folder)]].concat()).with_code(0);
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
    assert_eq!(document["findings"]["curves"].as_array().map(Vec::len), Some(3 * 18));
    drivelab(&[&asked[..], &["19"]].concat()).with_code(2);
}

#[test]
fn one_round_shows_nothing_of_the_rate_and_bad_input_is_named() {
    let one = ["trim", "sim:consistent?size=1GiB", "--precondition", "random:2s", "--runs", "1", "--json"];
    let document = fits(drivelab(&one), 0);
    let findings = &document["findings"];
    // What trimmed blocks return is known all the same.
    assert_eq!(findings["verdict"], "dropped");
    assert_eq!(findings["undecided_because"], "one_round");
    assert_eq!(findings["trimmed_to_used"]["low"], Value::Null);
    let small = ["trim", "sim:consistent?size=1GiB", "--range", "0-1MiB"];
    drivelab(&small).fails_in_one_line(2, &["range"]);
    let backwards = ["trim", "sim:consistent?size=1GiB", "--range", "50%-40%"];
    drivelab(&backwards).fails_in_the_parser(&["--range", "40%-50%"]);
    drivelab(&["trim", "sim:consistent", "--precondition", "random:0s"]).with_code(2);
    let dry = drivelab(&["trim", "sim:consistent", "--precondition", "random:30min", "--dry-run"])
        .with_code(0)
        .stdout;
    assert!(dry.contains("600.0 GB written in sequence") && dry.contains("random writes for 3 h"), "{dry}");
    let dry = drivelab(&["trim", "sim:consistent", "--dry-run"]).with_code(0).stdout;
    assert!(dry.contains("for 3 h at most, or less where 4.80 TB are written before"), "{dry}");
    drivelab(&["trim", "sim:consistent", "--runs", "0"]).with_code(2);
}

/// Half an hour would write such a drive hundreds of times.
#[test]
fn the_wear_of_a_small_drive_is_as_long_as_it_needs_and_is_told_before() {
    let folder = common::folder();
    let run = folder.path().join("run");
    let ended = drivelab(&["trim", "sim:consistent?size=1GiB", "--runs", "1", "-o", text(&run)]).with_code(0);
    assert!(ended.stderr.contains("random writes for 60 min at most, or less where 8.6 GB"), "{ended:?}");
    let manifest = common::manifest(&run);
    let phases = manifest["phases"].as_array().expect("phases");
    let time = |phase: &Value, name: &str| phase[name].as_u64().expect("a time");
    let worn: Vec<u64> = phases
        .iter()
        .filter(|phase| phase["name"] == "random writes")
        .map(|phase| time(phase, "ended_at_ns") - time(phase, "started_at_ns"))
        .collect();
    assert!(worn.len() == 2 && worn.iter().all(|took| *took < 600_000_000_000), "{worn:?}");
}

/// A device in memory is as fast used as fresh: there is nothing that TRIM could win back.
#[test]
fn memory_reads_zeros_where_it_was_trimmed_and_is_not_said_to_ignore_it() {
    let asked = ["trim", "--precondition", "random:200ms", "--json", "--destroy-data"];
    if devices::zram_can_be_made() {
        let device = Zram::new(64, None);
        let ended = drivelab_on(&device.node, &[&asked[..], &[&device.serial()]].concat());
        let document = fits(ended, 0);
        // Which of the two it is goes by rates, and those of memory are the machine's.
        let verdict = &document["findings"]["verdict"];
        assert!(verdict == "dropped" || verdict == "effective", "{:#}", document["findings"]);
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
    let reads = &document["findings"]["trimmed_reads"];
    // A few of the random blocks may be the same.
    assert!(reads["blocks"].as_u64() > Some(700) && reads["zeros"] == reads["blocks"], "{reads}");
}

/// Validations of two drives, kept.
fn two(folder: &Path) -> [PathBuf; 2] {
    [("works", ""), ("ignored", "&trim=ignored")].map(|(name, more)| {
        let kept = folder.join(name);
        let target = format!("sim:consistent?size=1GiB{more}");
        let ended = drivelab(&["trim", &target, "--precondition", "random:8s", "-o", text(&kept)]);
        ended.with_code(i32::from(name == "ignored"));
        kept
    })
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the result")
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = common::folder();
    let [works, ignored] = two(folder.path());
    let page = works.join("report.html");
    let before = read(&page);
    std::fs::remove_file(&page).expect("a page");
    drivelab(&["report", text(&works)]).with_code(0);
    assert_eq!(before, read(&page), "the page is made again from what was kept");
    let both = folder.path().join("both.html");
    let compared = drivelab(&["report", text(&works), text(&ignored), "--report", text(&both)]).with_code(1);
    for words in ["TRIM makes a used drive fast again", "TRIM brings back less than half"] {
        assert!(compared.stdout.contains(words), "{words}: {}", compared.stdout);
    }
    assert!(read(&both).contains("TRIM validation of two drives"));
    assert_eq!(before, read(&page), "no page of a result is replaced by a comparison");
    let documents = drivelab(&["report", text(&works), text(&ignored), "--json"]).with_code(1).json();
    let documents = documents.as_array().expect("a document for each result");
    documents.iter().for_each(|document| common::assert_fits(TRIM, document));
    let tables = folder.path().join("tables");
    drivelab(&["report", text(&works), "--csv", text(&tables)]).with_code(0);
    let spans = read(&tables.join("curves-round-1.csv"));
    assert_eq!(spans.lines().count(), 1 + 64, "a head and the spans: {spans}");
}

#[test]
fn a_killed_run_is_shown_with_what_it_had() {
    let folder = common::folder();
    let kept = folder.path().join("kept");
    let run =
        Running::start(&["trim", "sim:consistent", "--precondition", "random:30min", "-o", text(&kept)]);
    assert!(devices::eventually(|| kept.join("findings.json").is_file()), "findings are kept from the start");
    run.kill();
    let shown = drivelab(&["report", text(&kept)]).with_code(1).stdout;
    assert!(shown.contains("it was killed") && shown.contains("no round was finished"), "{shown}");
}
