//! The report of a fleet: the answers of a computation that keeps every row in memory, and what is said of what is missing.

#[path = "../common/mod.rs"]
mod common;
mod naive;
mod refused;

use std::path::Path;

use common::{Ended, assert_fits, drivelab, folder, text};
use naive::Destination;
use serde_json::Value;

/// A load of a simulated drive of 256 MiB, exported as that of a machine.
fn load(folder: &Path, host: &str, started: &str, asked: &[&str]) {
    let run = folder.join(format!("{host}-{}", started.replace(':', "")));
    let all = [&["load", "sim:consistent?size=256MiB"], asked, &["-o", text(&run)]].concat();
    drivelab(&all).with_code(0);
    export(&run, folder, &["--host", host, "--started", started]);
}

fn export(result: &Path, folder: &Path, more: &[&str]) {
    let fleet = folder.join("fleet");
    drivelab(&[&["export", text(result), "--destination", text(&fleet)], more].concat()).with_code(0);
}

/// A trace of two drives of which no model is known, a request every 10 s for 14 hours, over midnight in UTC.
fn trace(folder: &Path) {
    let lines = (0..5_040_u64).map(|number| {
        let (at, disk) = (128_166_372_003_061_629 + number * 100_000_000, number % 2);
        let kind = if number % 3 == 0 { "Write" } else { "Read" };
        // Slow ones come together, at the end of each hundred.
        let service = if number % 500 < 3 { 900_000 } else { 2_000 + number * 7_919 % 90_000 };
        format!("{at},hm,{disk},{kind},{},4096,{service}\n", number * 4_096)
    });
    let (file, into) = (folder.join("hm.csv"), folder.join("trace"));
    std::fs::write(&file, lines.collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&file), "-o", text(&into)]).with_code(0);
    export(&into, folder, &["--host", "hm"]);
}

fn report(folder: &Path, more: &[&str]) -> Ended {
    let fleet = folder.join("fleet");
    drivelab(&[&["fleet", "report", text(&fleet)], more].concat())
}

/// Six drives of one model, of which one writes so much that its I/Os wait and reads of another take longer than a week
/// before; a run with I/Os that are not measured, a result without a model, and one that keeps no records.
fn fleet(folder: &Path) {
    let (reads, mixed) = (["--rw", "randread", "--duration"], ["--rw", "randrw", "--duration"]);
    for host in ["a", "b", "c", "d"] {
        load(folder, host, "2026-11-24T23:59:58Z", &[&mixed[..], &["6s", "--rate", "1500/s"]].concat());
    }
    let busy = ["6s", "--queue-depth", "8"];
    load(folder, "e", "2026-11-24T10:00:00Z", &[&mixed[..], &busy].concat());
    load(folder, "f", "2026-11-10T10:00:00Z", &[&reads[..], &["6s", "--rate", "3000/s"]].concat());
    load(folder, "f", "2026-11-24T10:00:00Z", &[&mixed[..], &["8s", "--queue-depth", "4"]].concat());
    let consistency = folder.join("consistency");
    let asked = ["consistency", "sim:consistent?size=256MiB", "--duration", "6s", "--window", "1s"];
    drivelab(&[&asked[..], &["-o", text(&consistency)]].concat()).with_code(0);
    export(&consistency, folder, &[]);
    let pts = folder.join("matrix");
    drivelab(&["quick", "sim:hdd-7200?size=1GiB", "-o", text(&pts)]).with_code(0);
    export(&pts, folder, &["--host", "g"]);
    trace(folder);
}

/// The value as it is when it was printed and read again.
fn printed(value: &Value) -> Value {
    serde_json::from_str(&value.to_string()).expect("JSON")
}

#[test]
fn every_answer_is_that_of_a_computation_over_all_rows_in_memory() {
    let folder = folder();
    fleet(folder.path());
    let document = report(folder.path(), &["--json"]).with_code(0).json();
    assert_fits(include_str!("../../../inspect/schemas/drivelab.fleet-1.json"), &document);
    let own = &document["findings"];
    let rows = Destination::of(&folder.path().join("fleet"));
    for (name, expected) in rows.answers() {
        let (own, expected) = (own[name].as_array().expect("rows"), printed(&expected));
        let expected = expected.as_array().expect("rows");
        assert!(!expected.is_empty(), "{name}");
        for (own, expected) in own.iter().zip(expected) {
            assert_eq!(own, expected, "{name}");
        }
        assert_eq!(own.len(), expected.len(), "{name}");
    }
    rows.check_errors(own["slowest_drives"].as_array().expect("rows"));
}

#[test]
fn the_first_sentence_names_the_drives_to_look_at_and_the_page_has_every_table() {
    let folder = folder();
    fleet(folder.path());
    let found = report(folder.path(), &["--json"]).with_code(0).json()["findings"].clone();
    let page = folder.path().join("fleet.html");
    let shown = report(folder.path(), &["--report", text(&page)]).with_code(0);
    let answer = shown
        .stdout
        .split("\n\n")
        .nth(1)
        .expect("an answer")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let outside = found["outside_peers"][0].clone();
    let slower = found["slower_drives"][0].clone();
    for words in [&outside["drive"], &outside["host"], &slower["drive"]] {
        assert!(answer.contains(words.as_str().expect("a name")), "{answer}");
    }
    let html = std::fs::read_to_string(&page).expect("a page");
    for row in found["reviews"].as_array().expect("rows") {
        assert!(html.contains(row["started"].as_str().expect("a time")), "{row}");
    }
}

#[test]
fn a_fleet_that_is_too_small_to_compare_says_what_that_takes() {
    let folder = folder();
    load(folder.path(), "a", "2026-11-24T10:00:00Z", &["--rw", "randread", "--duration", "1s"]);
    let shown = report(folder.path(), &[]).with_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Not compared") && shown.contains("five drives of one model"), "{shown}");
    assert!(shown.contains("10,000 reads in the last 7 days"), "{shown}");
}
