//! A quick look: what a disk and a drive of flash look like, and that nothing is written unless asked for.

mod common;

use common::devices::{self, Loop, checksum};
use common::{drivelab, drivelab_on, folder, text};
use serde_json::Value;

const QUICK: &str = include_str!("../../report/schemas/drivelab.quick-1.json");

#[track_caller]
fn fits(document: Value) -> Value {
    common::assert_fits(QUICK, &document);
    document
}

fn look(target: &str) -> Value {
    fits(drivelab(&["quick", target, "--json"]).with_code(0).json())
}

fn rates(document: &Value, name: &str) -> Vec<f64> {
    let curve = document["curve"].as_array().expect("a curve");
    curve.iter().filter_map(|place| place[name].as_f64()).collect()
}

#[test]
fn a_disk_falls_and_takes_milliseconds_and_flash_does_neither() {
    let (disk, flash) = (look("sim:hdd-7200"), look("sim:consistent"));
    let (falling, level) = (rates(&disk, "read_mb_s"), rates(&flash, "read_mb_s"));
    assert_eq!((falling.len(), level.len()), (100, 100));
    assert!(falling[0] > 1.5 * falling[99], "{} to {}", falling[0], falling[99]);
    let tenths: Vec<f64> = falling.chunks(10).map(|tenth| tenth.iter().sum()).collect();
    assert!(tenths.is_sorted_by(|one, next| one > next), "{tenths:?}");
    assert!(level[0] / level[99] < 1.1 && level[99] / level[0] < 1.1, "{} to {}", level[0], level[99]);
    let access = |document: &Value| document["access_time_ns"]["mean"].as_f64().expect("a mean");
    assert!((2e6..50e6).contains(&access(&disk)), "{}", access(&disk));
    assert!((5e4..1e6).contains(&access(&flash)), "{}", access(&flash));
    let mean = falling.iter().sum::<f64>() / 100.0;
    assert!((disk["read_mb_s"].as_f64().expect("a mean") - mean).abs() < 1e-6);
    assert_eq!(disk, look("sim:hdd-7200"));
}

/// A document goes over a document of its kind and nothing else: a name that was mistyped may be that of an image.
#[test]
fn a_page_is_written_over_no_drive_and_no_other_file() {
    let folder = folder();
    let page = folder.path().join("page.html");
    let asked = |report: &std::path::Path| drivelab(&["quick", "sim:consistent", "--report", text(report)]);
    asked(&page).with_code(0);
    asked(&page).with_code(0);
    let image = folder.path().join("disk.img");
    std::fs::write(&image, vec![0; 4096]).expect("an image");
    let before = checksum(&image);
    asked(&image).fails_in_one_line(4, &["disk.img", "something else"]);
    assert_eq!(checksum(&image), before);
    if devices::loops_can_be_made() {
        let device = Loop::of_zeros(32);
        let before = checksum(&device.node);
        asked(&device.node).fails_in_one_line(4, &["is a drive"]);
        assert_eq!(checksum(&device.node), before);
    }
}

#[test]
fn a_folder_keeps_the_look_and_what_the_machine_did() {
    let folder = folder();
    let (image, kept) = (folder.path().join("image"), folder.path().join("kept"));
    std::fs::write(&image, vec![7; 64 << 20]).expect("room for a file");
    let look = ["quick", text(&image), "-o", text(&kept)];
    let ended = drivelab(&look).with_code(0);
    let read = |name: &str| std::fs::read_to_string(kept.join(name)).expect(name);
    fits(serde_json::from_str(&read("quick.json")).expect("JSON"));
    assert!(read("report.html").contains("access"));
    assert!(read("machine.csv").lines().count() > 2, "readings before, during and after");
    // Where it takes less than a tenth of a second, there is no reading of it.
    let is_drawn = kept.join("beside.html").exists();
    assert_eq!(is_drawn, !ended.stderr.contains("Nothing was read beside it"), "{}", ended.stderr);
    assert!(!is_drawn || read("beside.html").contains("<svg"));
    drivelab(&look).fails_in_one_line(2, &["kept", "empty"]);
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
    assert_eq!(document["write_mb_s"], Value::Null);
    drivelab_on(&device.node, &["quick", "--write"]).with_code(4);
    drivelab_on(&device.node, &["quick", "--write", &device.serial()]).with_code(4);
    drivelab_on(&device.node, &["quick", &device.serial()]).fails_in_one_line(2, &["--serial", "--write"]);
    assert_eq!(checksum(&device.node), before);
    let asked = ["quick", "--write", "--json", &device.serial(), "--discard-contents"];
    let document = fits(drivelab_on(&device.node, &asked).with_code(0).json());
    assert_eq!(rates(&document, "write_mb_s").len(), 100);
    assert_ne!(checksum(&device.node), before);
}

#[test]
fn a_summary_shows_the_curve_and_a_small_target_is_refused() {
    let shown = drivelab(&["quick", "sim:hdd-7200"]).with_code(0).stdout;
    for word in ["read", "access", "random reads", "from LBA", "█"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let folder = folder();
    let small = folder.path().join("small");
    std::fs::write(&small, vec![1; 1 << 20]).expect("room");
    drivelab_on(&small, &["quick"]).fails_in_one_line(2, &["at least"]);
}
