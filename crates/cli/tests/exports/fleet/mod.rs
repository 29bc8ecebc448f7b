//! The report of a fleet: the answers of a computation that keeps every row in memory, and what is said of what is missing.

mod naive;
mod refused;

use std::path::Path;

use crate::common::{Ended, assert_fits, drivelab, folder, text};
use naive::Destination;
use serde_json::Value;

/// A load of a simulated drive of 256 MiB, exported as that of a machine. Each machine has another seed: equal runs are one.
fn load(folder: &Path, host: &str, started: &str, asked: &[&str]) {
    let seed = host.bytes().map(u64::from).sum::<u64>().to_string();
    let run = folder.join(format!("{host}-{}", started.replace(':', "")));
    let all = [&["load", "sim:consistent?size=256MiB"], asked, &["--seed", &seed, "-o", text(&run)]].concat();
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
    assert_fits(include_str!("../../../../inspect/schemas/drivelab.fleet-1.json"), &document);
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
fn a_run_that_was_exported_as_of_two_machines_counts_once() {
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", text(&run)];
    let ios = drivelab(&[&asked[..], &["--json"]].concat()).with_code(0).json()["findings"]["ios"].clone();
    for host in ["b", "a"] {
        export(&run, folder.path(), &["--host", host]);
    }
    let ended = report(folder.path(), &["--json"]).with_code(0);
    let found = &ended.json()["findings"];
    assert_eq!(["hosts", "drives", "results"].map(|name| found[name].as_u64()), [Some(1); 3], "{found}");
    let counted = found["percentiles_by_model"][0]["ios"].as_u64().expect("a count");
    assert!(counted > 0 && ios.as_u64().is_none_or(|ios| ios == counted), "{counted} of {ios}");
    assert_eq!(found["reviews"][0]["host"], "a");
    for said in [&ended.stderr, &found["notes"].to_string()] {
        assert!(said.contains("exported as of a and of b: it counts once, for a"), "{said}");
    }
}

/// Records alone answer nothing: what has a rollup stands for the run, and not the first name.
#[test]
fn a_run_of_which_one_machine_has_the_records_and_another_one_the_rollup_is_not_lost() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", text(&run)]).with_code(0);
    export(&run, folder.path(), &["--host", "a", "--as", "records"]);
    export(&run, folder.path(), &["--host", "b"]);
    let ended = report(folder.path(), &["--json"]).with_code(0);
    let found = &ended.json()["findings"];
    assert_eq!(["hosts", "drives", "results"].map(|name| found[name].as_u64()), [Some(1); 3], "{found}");
    assert_eq!(found["reviews"][0]["host"], "b");
    assert!(found["notes"].to_string().contains("it counts once, for b"), "{}", found["notes"]);
}

/// Says in the manifest of a run that it began on another machine of the same name, and then.
fn of_another_machine(run: &Path, machine: &str, began: &str) {
    let path = run.join("run.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
    assert!(manifest["started"]["machine_id"].is_string(), "{}", manifest["started"]);
    manifest["started"]["machine_id"] = machine.into();
    manifest["started"]["at"] = began.into();
    std::fs::write(path, manifest.to_string()).expect("room");
}

#[test]
fn machines_of_one_name_are_counted_and_a_clock_that_is_a_year_off_is_doubted() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![1; 4 << 20]).expect("room");
    for (name, machine, began) in [
        ("first", "m0000000000000001", "2026-11-24T10:00:00+00:00"),
        ("second", "m0000000000000002", "2026-11-25T10:00:00+00:00"),
        ("later", "m0000000000000002", "2099-11-25T10:00:00+00:00"),
    ] {
        let run = folder.path().join("runs").join(name);
        let asked = ["load", text(&file), "--rw", "randread", "--bytes", "1MiB", "-o", text(&run)];
        drivelab(&asked).with_code(0);
        of_another_machine(&run, machine, began);
    }
    let runs = folder.path().join("runs");
    let fleet = folder.path().join("fleet");
    let asked = ["export", text(&runs), "--destination", text(&fleet), "--json"];
    let ended = drivelab(&asked).with_code(0);
    let clocks = ended.json()["clocks"].to_string();
    assert!(clocks.contains("later begins") && clocks.contains("days from now"), "{clocks}");
    assert!(ended.stderr.contains("is the clock of"), "{}", ended.stderr);
    let again = drivelab(&asked).with_code(0).json();
    assert_eq!(again["clocks"].as_array().map(Vec::len), Some(0), "it was said before: {again}");
    let ended = report(folder.path(), &["--json"]).with_code(0);
    let found = &ended.json()["findings"];
    // A file has no serial number: it is another one on another machine.
    assert_eq!(
        ["hosts", "drives", "results"].map(|name| found[name].as_u64()),
        [Some(2), Some(2), Some(3)],
        "{found}"
    );
    assert!(found["notes"].to_string().contains("is 2 machines of one name"), "{}", found["notes"]);
    assert!(ended.stderr.contains("--host"), "{}", ended.stderr);
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
