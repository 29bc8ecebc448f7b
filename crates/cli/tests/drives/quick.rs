//! A quick test: what a disk and a drive of flash look like, that nothing is written unless asked for, and that its folder is
//! opened again.

use std::path::Path;

use crate::common::devices::{self, Loop, checksum};
use crate::common::{self, drivelab, drivelab_on, folder, text};
use serde_json::Value;

const QUICK: &str = include_str!("../../../kinds/schemas/drivelab.quick-3.json");

#[track_caller]
fn fits(document: Value) -> Value {
    common::assert_fits(QUICK, &document);
    document
}

fn quick(target: &str) -> Value {
    fits(drivelab(&["quick", target, "--json"]).with_code(0).json())
}

fn rates(document: &Value, name: &str) -> Vec<f64> {
    let curve = document["findings"]["curve"].as_array().expect("a curve");
    curve.iter().filter_map(|place| place[name].as_f64()).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the result")
}

#[test]
fn a_disk_falls_and_takes_milliseconds_and_flash_does_neither() {
    let (disk, flash) = (quick("sim:hdd-7200"), quick("sim:consistent"));
    let (falling, level) = (rates(&disk, "read_mb_s"), rates(&flash, "read_mb_s"));
    assert_eq!((falling.len(), level.len()), (100, 100));
    assert!(falling[0] > 1.5 * falling[99], "{} to {}", falling[0], falling[99]);
    let tenths: Vec<f64> = falling.chunks(10).map(|tenth| tenth.iter().sum()).collect();
    assert!(tenths.is_sorted_by(|one, next| one > next), "{tenths:?}");
    assert!(level[0] / level[99] < 1.1 && level[99] / level[0] < 1.1, "{} to {}", level[0], level[99]);
    let access = |document: &Value| document["findings"]["access_time_ns"]["mean"].as_f64().expect("a mean");
    assert!((2e6..50e6).contains(&access(&disk)), "{}", access(&disk));
    assert!((5e4..1e6).contains(&access(&flash)), "{}", access(&flash));
    let mean = falling.iter().sum::<f64>() / 100.0;
    assert!((disk["findings"]["read_mb_s"].as_f64().expect("a mean") - mean).abs() < 1e-6);
    assert_eq!(disk, quick("sim:hdd-7200"));
}

/// What is said of a rate that was not measured is why, and nothing else.
#[test]
fn a_drive_that_goes_away_has_no_rate_since_its_ios_failed() {
    let shown = drivelab(&["quick", "sim:consistent?size=512MiB&gone_at=1s", "--write"]).with_code(1).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("I/Os failed: The drive was gone from"), "{words}");
    let why = "There is no read rate: I/Os failed before the first of 100 places was done.";
    assert!(words.contains(why) && !words.contains("the time was over"), "{words}");
}

/// A document goes over a document of its kind and nothing else: a name that was mistyped may be that of an image.
#[test]
fn a_page_is_written_over_no_drive_and_no_other_file() {
    let folder = folder();
    let page = folder.path().join("page.html");
    let asked = |report: &Path| drivelab(&["quick", "sim:consistent", "--report", text(report)]);
    asked(&page).with_code(0);
    asked(&page).with_code(0);
    for (name, refused) in [("disk.img", "ends in .html"), ("disk.html", "not there yet")] {
        let image = folder.path().join(name);
        std::fs::write(&image, vec![0; 4096]).expect("an image");
        let before = checksum(&image);
        asked(&image).fails_in_one_line(2, &[name, refused]);
        assert_eq!(checksum(&image), before);
    }
    if devices::loops_can_be_made() {
        let device = Loop::of_zeros(32);
        let before = checksum(&device.node);
        asked(&device.node).fails_in_one_line(2, &["is a drive"]);
        assert_eq!(checksum(&device.node), before);
        let whole = format!("write {}", text(&device.node));
        drivelab(&["quick", text(&device.node).trim_start_matches("/dev/")]).fails_in_one_line(2, &[&whole]);
    }
}

#[test]
fn a_folder_keeps_the_result_and_what_the_machine_did() {
    let folder = folder();
    let (image, kept) = (folder.path().join("image"), folder.path().join("kept"));
    std::fs::write(&image, vec![7; 64 << 20]).expect("room for a file");
    let asked = ["quick", text(&image), "-o", text(&kept)];
    drivelab(&asked).with_code(0);
    assert!(read(&kept.join("report.html")).contains("random read"));
    assert!(read(&kept.join("machine.csv")).lines().count() > 2, "readings before, during and after");
    let page = read(&kept.join("report.html"));
    std::fs::remove_file(kept.join("report.html")).expect("the page");
    drivelab(&["report", text(&kept)]).with_code(0);
    assert_eq!(page, read(&kept.join("report.html")), "the page is made again from what was kept");
    drivelab(&asked).fails_in_one_line(2, &["kept", "empty"]);
}

/// Two results, kept.
fn two(folder: &Path) -> [std::path::PathBuf; 2] {
    ["sim:hdd-7200", "sim:consistent"].map(|target| {
        let kept = folder.join(target.trim_start_matches("sim:"));
        drivelab(&["quick", target, "-o", text(&kept)]).with_code(0);
        kept
    })
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = folder();
    let [disk, flash] = two(folder.path());
    let before = read(&disk.join("report.html"));
    let both = folder.path().join("both.html");
    let compared = drivelab(&["report", text(&disk), text(&flash), "--report", text(&both)]).with_code(0);
    assert!(compared.stdout.contains("3.55 times as fast as sim:hdd-7200"), "{}", compared.stdout);
    assert!(compared.stdout.contains('✓'), "the best of equal demands is marked: {}", compared.stdout);
    assert!(read(&both).contains("Quick test of two drives"));
    assert_eq!(before, read(&disk.join("report.html")), "no page of a result is replaced by a comparison");
    let documents = drivelab(&["report", text(&disk), text(&flash), "--json"]).with_code(0).json();
    let documents = documents.as_array().expect("a document for each result");
    documents.iter().for_each(|document| drop(fits(document.clone())));
    let tables = folder.path().join("tables");
    let pictures = folder.path().join("pictures");
    let files = ["--csv", text(&tables), "--svg", text(&pictures), "--png", text(&pictures)];
    drivelab(&[&["report", text(&disk)][..], &files].concat()).with_code(0);
    let csv = read(&tables.join("rate-over-drive.csv"));
    assert_eq!(csv.lines().count(), 101, "a head and a hundred places");
    assert!(read(&pictures.join("rate-over-drive.svg")).contains("<svg"));
    assert!(pictures.join("rate-over-drive.png").is_file());
}

/// Its figures may be those of a part of the work.
#[test]
fn a_run_that_the_machine_ended_is_ranked_with_no_other() {
    let folder = folder();
    let [disk, flash] = two(folder.path());
    let path = flash.join("run.json");
    let mut run: Value = serde_json::from_str(&read(&path)).expect("a manifest");
    run["outcome"]["broke_off"] = true.into();
    std::fs::write(&path, run.to_string()).expect("room on disk");
    let compared = drivelab(&["report", text(&disk), text(&flash)]).with_code(1).stdout;
    assert!(compared.contains(", broke off") && !compared.contains('✓'), "{compared}");
}

#[test]
fn results_that_were_asked_for_differently_are_not_ranked() {
    let folder = folder();
    let [reading, writing] = ["reading", "writing"].map(|name| folder.path().join(name));
    drivelab(&["quick", "sim:hdd-7200", "-o", text(&reading)]).with_code(0);
    drivelab(&["quick", "sim:consistent", "--write", "-o", text(&writing)]).with_code(0);
    let shown = drivelab(&["report", text(&reading), text(&writing)]).with_code(0).stdout;
    assert!(shown.contains("asked for differently (write)") && !shown.contains('✓'), "{shown}");
    assert!(!shown.contains("times as fast"), "{shown}");
}

#[test]
fn findings_that_cannot_be_those_of_the_run_are_named_and_the_rest_is_shown() {
    let folder = folder();
    let [disk, flash] = two(folder.path());
    let findings = disk.join("findings.json");
    let whole = read(&findings);
    let fails = |contents: &str, words: &[&str]| {
        std::fs::write(&findings, contents).expect("room");
        drivelab(&["report", text(&disk)]).with_code(2);
        let shown = drivelab(&["report", text(&disk), text(&flash)]).with_code(1);
        assert!(shown.stdout.contains("550 MB/s"), "the other one is shown: {}", shown.stdout);
        let line = shown.stderr.lines().find(|line| line.contains("findings.json")).unwrap_or_default();
        words.iter().for_each(|word| assert!(line.contains(word), "{word}: {}", shown.stderr));
    };
    fails(&whole[..whole.len() / 2], &["damaged", "whole copy"]);
    fails(&whole.replacen("\"read_mb_s\"", "\"read_gb_s\"", 1), &["damaged", "read_gb_s"]);
    fails(&whole.replacen("quick/3", "quick/9", 1), &["quick/9", "use the version"]);
    fails(&read(&flash.join("findings.json")), &["another run"]);
}

#[test]
fn a_device_is_read_and_written_only_where_that_was_asked_for() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with_ext4(32);
    let before = checksum(&device.node);
    let document = fits(drivelab_on(&device.node, &["quick", "--json"]).with_code(0).json());
    assert_eq!(rates(&document, "read_mb_s").len(), 100);
    assert_eq!(document["findings"]["write_mb_s"], Value::Null);
    drivelab_on(&device.node, &["quick", "--write"]).with_code(4);
    drivelab_on(&device.node, &["quick", "--write", &device.serial()]).with_code(4);
    drivelab_on(&device.node, &["quick", &device.serial()]).fails_in_one_line(2, &["--serial", "--write"]);
    assert_eq!(checksum(&device.node), before);
    let asked = ["quick", "--write", "--json", &device.serial(), "--destroy-data"];
    let document = fits(drivelab_on(&device.node, &asked).with_code(0).json());
    assert_eq!(rates(&document, "write_mb_s").len(), 100);
    assert_ne!(checksum(&device.node), before);
}

/// The mean of writes to a cache and to what is behind it is the rate of neither.
#[test]
fn a_change_of_the_rate_of_writing_is_told_from_the_zones_of_a_disk() {
    let words = |drive: &str| {
        let shown = drivelab(&["quick", "--write", drive]).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let cached = words("sim:tlc-nvme?size=32GiB");
    assert!(
        cached.contains("Writes became slower during the test, from 7,000 MB/s in the first"),
        "{cached}"
    );
    assert!(cached.contains("which `fill` measures). Writes became"), "{cached}");
    assert!(!words("sim:hdd-7200").contains("Writes became"));
}

#[test]
fn a_summary_shows_the_curve_and_a_small_target_is_refused() {
    let shown = drivelab(&["quick", "sim:hdd-7200"]).with_code(0).stdout;
    for word in
        ["Sequential reads run at", "random read of 512 B", "Rate over the drive", "standard deviation"]
    {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let folder = folder();
    let small = folder.path().join("small");
    std::fs::write(&small, vec![1; 1 << 20]).expect("room");
    drivelab_on(&small, &["quick"]).fails_in_one_line(2, &["at least"]);
}
