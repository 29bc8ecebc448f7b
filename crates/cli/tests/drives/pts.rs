//! Tests in rounds: what they come to on simulated drives, and on a real device.

use std::path::Path;

use crate::common::devices::{self, Loop};
use crate::common::{self, Ended, drivelab, drivelab_on, folder, text};
use serde_json::Value;

const PTS: &str = include_str!("../../../kinds/schemas/drivelab.pts-3.json");

#[track_caller]
fn fits(ended: Ended) -> Value {
    let document = ended.with_code(0).json();
    common::assert_fits(PTS, &document);
    document
}

fn test_of<'a>(document: &'a Value, name: &str) -> &'a Value {
    let tests = document["findings"]["tests"].as_array().expect("tests");
    tests.iter().find(|test| test["test"] == name).expect("the test")
}

/// A figure of every cell's result.
fn results(test: &Value, figure: &str) -> Vec<f64> {
    let cells = test["cells"].as_array().expect("cells");
    cells.iter().map(|cell| cell["result"][figure].as_f64().expect("a figure")).collect()
}

#[test]
fn every_test_of_a_simulated_drive_says_what_its_model_does() {
    let asked = ["pts", "sim:consistent?size=1GiB", "--cell-duration", "2s", "--json"];
    let document = fits(drivelab(&asked));
    let tests = document["findings"]["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 8);
    assert!(tests.iter().all(|test| test["whole"] == true));
    // Writes cost more than reads, and larger blocks carry more.
    let iops = test_of(&document, "iops");
    assert_eq!(iops["cells"].as_array().map(Vec::len), Some(56));
    let of = |block: u64, reads: u64| {
        let cells = iops["cells"].as_array().expect("cells");
        let is = |cell: &&Value| cell["block_bytes"] == block && cell["read_percent"] == reads;
        cells.iter().find(is).expect("the cell")["result"]["mb_s"].as_f64().expect("a rate")
    };
    assert!(of(4096, 100) > of(4096, 50) && of(4096, 50) > of(4096, 0));
    assert!(of(1 << 20, 100) > of(4096, 100));
    // The link of the profile carries 550 MB/s.
    let reads = results(test_of(&document, "throughput-1024k"), "mb_s")[0];
    assert!((reads / 550.0 - 1.0).abs() < 0.02, "{reads}");
    // Idle time is used for collection: bursts after the longest one are the fastest.
    let bursts = results(test_of(&document, "idle-recovery"), "iops");
    assert!(bursts[5] > 1.05 * bursts[0], "{bursts:?}");
    // More in flight carries more, and waits longer.
    let demand = test_of(&document, "demand");
    let (rates, waits) = (results(demand, "iops"), results(demand, "mean_ns"));
    assert!(rates[5] > 3.0 * rates[0] && waits[23] > 10.0 * waits[0], "{rates:?} {waits:?}");
    let one = ["pts", "sim:consistent?size=1GiB", "--cell-duration", "2s", "--tests", "latency", "--json"];
    assert_eq!(fits(drivelab(&one)), fits(drivelab(&one)), "the same seed, the same figures");
}

#[test]
fn what_is_asked_wrongly_is_named() {
    drivelab(&["pts", "sim:consistent", "--tests", "speed"]).with_code(2);
    drivelab(&["pts", "sim:consistent", "--tests", "iops,iops"]).fails_in_one_line(2, &["iops", "twice"]);
    drivelab(&["pts", "sim:consistent", "--queue-depth", "0"]).fails_in_one_line(2, &["--queue-depth"]);
    drivelab(&["pts", "sim:consistent", "--range", "0-4KiB"]).fails_in_one_line(2, &["the range"]);
    // 56 cells of a minute in five to 25 rounds, behind the range twice.
    let dry =
        drivelab(&["pts", "sim:consistent", "--tests", "iops,saturation", "--dry-run"]).with_code(0).stdout;
    for word in [
        "400.0 GB written in sequence",
        "4.67 h to 23.3 h",
        "saturation writes 200.0 GB at random at least twice",
    ] {
        assert!(dry.contains(word), "{word}: {dry}");
    }
}

#[test]
fn a_real_device_is_tested_where_that_was_cleared() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(32);
    let asked = ["pts", "--tests", "throughput,demand", "--cell-duration", "20ms", "--json"];
    drivelab_on(&device.node, &asked).with_code(4);
    let kept = folder();
    let folder = kept.path().join("pts");
    let confirmed = [&device.serial(), "-o", text(&folder)];
    let document = fits(drivelab_on(&device.node, &[&asked[..], &confirmed].concat()));
    let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(page.contains("The machine and the drive during the test"), "the page shows it");
    let machine = std::fs::read_to_string(folder.join("machine.csv")).expect("what the machine did");
    assert!(machine.starts_with("from_ns,until_ns,processors user (%)") && machine.lines().count() > 3);
    assert!(results(test_of(&document, "throughput-128k"), "mb_s").iter().all(|rate| *rate > 0.0));
    assert!(results(test_of(&document, "demand"), "iops").iter().all(|rate| *rate > 0.0));
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the result")
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = folder();
    let [small, large] = ["1GiB", "2GiB"].map(|size| {
        let kept = folder.path().join(size);
        let target = format!("sim:consistent?size={size}");
        let asked =
            ["pts", &target, "--cell-duration", "200ms", "--tests", "throughput,latency,idle-recovery"];
        drivelab(&[&asked[..], &["-o", text(&kept)]].concat()).with_code(0);
        kept
    });
    let page = small.join("report.html");
    let before = read(&page);
    std::fs::remove_file(&page).expect("a page");
    drivelab(&["report", text(&small)]).with_code(0);
    assert_eq!(before, read(&page), "the page is made again from what was kept");
    let both = folder.path().join("both.html");
    let compared = drivelab(&["report", text(&small), text(&large), "--report", text(&both)]).with_code(0);
    assert!(compared.stdout.contains("Tests in rounds of two drives"), "{}", compared.stdout);
    assert!(read(&both).contains("Idle recovery"));
    let documents = drivelab(&["report", text(&small), text(&large), "--json"]).with_code(0).json();
    let documents = documents.as_array().expect("a document for each result");
    documents.iter().for_each(|document| common::assert_fits(PTS, document));
    let tables = folder.path().join("tables");
    drivelab(&["report", text(&small), "--csv", text(&tables)]).with_code(0);
    let cells = read(&tables.join("latency-cells.csv"));
    assert_eq!(cells.lines().count(), 1 + 10, "a head, nine cells and the long measurement: {cells}");
}
