//! One-pass preconditioning: the steady state of the long way in fewer bytes, and what refuses it.

use crate::common::{self, drivelab, folder, text};
use serde_json::{Value, json};

/// Simulated drives with flash, and a window in which each writes about 0.4 of its capacity in steady state, in seconds.
const DRIVES: [(&str, u64); 5] = [
    ("sim:sm2246en?size=2GiB", 24),
    ("sim:consistent?size=2GiB", 9),
    ("sim:mx200-250?size=2GiB", 24),
    ("sim:x300s-128?size=2GiB", 30),
    ("sim:enterprise-nvme?size=2GiB", 5),
];
/// The windows that steady state is found in.
const NEEDED: u64 = 5;

/// The findings of a run over `windows` windows of `window` seconds each, preconditioned in one way.
fn run(drive: &str, how: &str, (window, windows): (u64, u64)) -> Value {
    let folder = folder();
    let (window, duration) = (format!("{window}s"), format!("{}s", window * windows));
    let kept = folder.path().join("kept");
    let asked = ["consistency", drive, "--precondition", how, "--window", &window, "--duration", &duration];
    let document = drivelab(&[&asked[..], &["--json", "-o", text(&kept)]].concat()).with_code(0).json();
    common::results(&document)[0]["findings"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Bytes that a phase moved.
fn moved(findings: &Value, phase: &str) -> f64 {
    let phases = findings["phases"].as_array().expect("phases");
    number(&phases.iter().find(|one| one["name"] == phase).expect("the phase")["moved_bytes"])
}

/// Writes of the seconds from one to another, on average.
fn iops(findings: &Value, from: usize) -> f64 {
    let seconds = findings["per_second"]["write_iops"].as_array().expect("seconds");
    seconds[from..].iter().map(number).sum::<f64>() / (seconds.len() - from) as f64
}

/// Write amplification between the ends of two runs, of which the shorter one is the begin of the longer.
fn amplification_between(short: &Value, long: &Value) -> f64 {
    let host = |findings: &Value| moved(findings, "random write");
    let flash = |findings: &Value| number(&findings["simulation"]["write_amplification"]) * host(findings);
    (flash(long) - flash(short)) / (host(long) - host(short))
}

/// The long way: a fill, and random writes until five windows are steady. Its steady state is what follows.
fn long_way(drive: &str, window: u64) -> (f64, f64, f64) {
    let (until, on) = (run(drive, "fill", (window, NEEDED + 2)), run(drive, "fill", (window, NEEDED + 7)));
    let steady = &on["summary"]["steady_state"];
    let at = steady["at_s"].as_u64().unwrap_or_else(|| panic!("{drive}: {steady}"));
    let seconds = on["per_second"]["write_iops"].as_array().expect("seconds");
    let found = usize::try_from(at + NEEDED * window).expect("seconds");
    let bytes = moved(&on, "fill") + seconds[..found].iter().map(number).sum::<f64>() * 4096.0;
    (iops(&on, found), amplification_between(&until, &on), bytes)
}

/// How far two figures are apart, relative to the second.
fn off(found: f64, expected: f64) -> f64 {
    (found / expected - 1.0).abs()
}

#[track_caller]
fn reaches_the_steady_state_of_the_long_way((drive, window): (&str, u64)) {
    let (iops_long, amplification, bytes) = long_way(drive, window);
    let found = run(drive, "one-pass", (window, NEEDED));
    let steady = &found["summary"]["steady_state"];
    assert!(steady["at_s"] == 0, "{drive}: the random writes begin in steady state, not {steady}");
    let iops_found = number(&found["summary"]["iops_mean"]);
    let amplified = number(&found["simulation"]["write_amplification"]);
    let written = moved(&found, "one-pass preconditioning");
    let figures = format!(
        "{drive}: IOPS {iops_found:.0} and {iops_long:.0}, write amplification {amplified:.3} and {amplification:.3}, \
         bytes {written:.0} and {bytes:.0} ({:.2})",
        written / bytes
    );
    println!("{figures}");
    assert!(off(iops_found, iops_long) <= 0.05 && off(amplified, amplification) <= 0.05, "{figures}");
    assert!(written <= 0.4 * bytes, "{figures}");
}

#[test]
fn one_pass_reaches_the_steady_state_of_drives_with_little_over_provisioning() {
    DRIVES[2..4].iter().for_each(|drive| reaches_the_steady_state_of_the_long_way(*drive));
}

#[test]
fn one_pass_reaches_the_steady_state_of_drives_with_more_over_provisioning() {
    [DRIVES[0], DRIVES[1], DRIVES[4]].into_iter().for_each(reaches_the_steady_state_of_the_long_way);
}

#[test]
fn a_result_says_how_it_was_preconditioned_and_is_not_ranked_with_others() {
    let folder = folder();
    let runs: Vec<_> = ["one-pass", "one-pass:20%", "fill"]
        .into_iter()
        .map(|how| {
            let kept = folder.path().join(how.replace([':', '%'], "-"));
            let asked = ["consistency", "sim:consistent?size=1GiB", "--duration", "5s", "--window", "1s"];
            drivelab(&[&asked[..], &["--precondition", how, "-o", text(&kept)]].concat()).with_code(0);
            kept
        })
        .collect();
    let of = |kept| common::manifest(&common::run_folders(kept)[0]);
    let found = of(&runs[0])["settings"].clone();
    assert_eq!(found["precondition"], "one-pass");
    assert_eq!(found["flash_over_provisioning"]["source"], "simulated");
    assert_eq!(
        of(&runs[1])["settings"]["flash_over_provisioning"],
        json!({"percent": 20.0, "source": "given"})
    );
    assert!(common::notices(&common::run_folders(&runs[1])[0]).contains("20 % over-provisioning, as given"));
    let both = |other: usize| {
        let page = folder.path().join(format!("page-{other}.html"));
        let asked = ["report", text(&runs[0]), text(&runs[other]), "--report", text(&page)];
        drivelab(&asked).with_code(0).stdout
    };
    let (alike, differing) = (both(1), both(2));
    assert!(differing.contains("asked for differently (precondition)"), "{differing}");
    assert!(!alike.contains("asked for differently"), "{alike}");
    // The labels name which is which, where that differs.
    let ways = ["sim:consistent, one-pass preconditioning", "sim:consistent, filled"];
    assert!(ways.iter().all(|way| differing.contains(way) && !alike.contains(way)), "{differing}");
}

/// A drive with less over-provisioning than the pass began from has no free block left, and one with more has.
#[test]
fn a_cliff_is_put_down_to_free_blocks_where_a_write_buffer_is_too_small_for_it() {
    let folder = folder();
    let words = |drive: &str, how: &str, (duration, window): (&str, &str)| {
        let kept = folder.path().join(how.replace([':', '%'], "-"));
        let asked = ["consistency", drive, "--precondition", how, "--duration", duration, "--window", window];
        let shown = drivelab(&[&asked[..], &["-o", text(&kept)]].concat()).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let buffered = words("sim:hmb-nvme?size=32GiB", "one-pass", ("300s", "30s"));
    assert!(buffered.contains("faster until 160 MB are written, at 1 s. That is 0.5 % of its"), "{buffered}");
    assert!(!buffered.contains("left free blocks"), "{buffered}");
    let too_little = words("sim:consistent?size=2GiB", "one-pass:10%", ("60s", "6s"));
    assert!(
        too_little.contains("one-pass preconditioning left free blocks, as the drive has more"),
        "{too_little}"
    );
}

#[test]
fn tests_in_rounds_do_not_conform_with_one_pass_and_those_of_sequential_writes_take_none() {
    let asked = ["pts", "sim:consistent?size=1GiB", "--tests", "latency", "--cell-duration", "1s"];
    let shown = drivelab(&[&asked[..], &["--precondition", "one-pass"]].concat()).with_code(0).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("do not conform to it: the drive was preconditioned by one pass"), "{words}");
    assert!(words.contains("Preconditioning: one pass of 1.5 GB"), "{words}");
    let asked = ["pts", "sim:consistent?size=1GiB", "--tests", "throughput", "--dry-run"];
    let shown = drivelab(&[&asked[..], &["--precondition", "one-pass"]].concat()).with_code(0).stdout;
    assert!(shown.contains("4.3 GB written before them"), "two tests, the range twice: {shown}");
}

/// The passes write over the fill, and wear the drive as random writes for a time do.
#[test]
fn trim_is_tried_on_a_drive_that_passes_wear() {
    let asked = ["trim", "sim:consistent?size=1GiB", "--runs", "2", "--precondition", "one-pass", "--json"];
    let document = drivelab(&asked).with_code(0).json();
    assert_eq!(document["findings"]["verdict"], "effective", "{document:#}");
    assert_eq!(document["run"]["settings"]["precondition"], "one-pass");
}

#[test]
fn what_has_no_flash_or_is_not_purged_or_used_in_part_is_refused() {
    let flash = "sim:consistent?size=1GiB";
    for (asked, word) in [
        (vec!["consistency", "sim:hdd-7200"], "has no flash"),
        (vec!["pts", "sim:hdd-7200"], "has no flash"),
        (vec!["trim", "sim:hdd-7200"], "has no flash"),
        (vec!["consistency", flash, "--purge", "none"], "leave --purge none out"),
        (vec!["pts", flash, "--purge", "none"], "leave --purge none out"),
        (vec!["consistency", flash, "--range", "0%-50%"], "leave one of the two out"),
    ] {
        drivelab(&[&asked[..], &["--precondition", "one-pass"]].concat()).fails_in_one_line(2, &[word]);
    }
    let file = folder();
    let file = file.path().join("file");
    let asked = ["consistency", text(&file), "--file-size", "64MiB", "--precondition", "one-pass"];
    drivelab(&asked).fails_in_one_line(2, &["is a file", "one-pass:7%"]);
    let wrong = drivelab(&["pts", flash, "--precondition", "fill"]);
    wrong.fails_in_the_parser(&["leave the option out"]);
    let wrong = drivelab(&["consistency", flash, "--precondition", "one-pass:0%"]);
    wrong.fails_in_the_parser(&["above 0%"]);
}
