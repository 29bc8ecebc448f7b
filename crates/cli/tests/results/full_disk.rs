//! No room for the records, and drives that fail: what could be kept is kept, and the rest is counted.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::devices::{self, Loop, Mount, Zram};
use crate::common::running::{Running, pause};
use crate::common::{self, drivelab, folder, notices, records, run_folders, text};
use serde_json::Value;

/// Every record that a reader finds: in whole segments, and in the tails of those that found no room.
fn rows(run: &Path) -> u64 {
    let tails = records::files(run, "tail").into_iter();
    let in_tails: usize = tails.map(|tail| records::tail_completion_times(&tail).len()).sum();
    (records::column(run, "status").len() + in_tails) as u64
}

/// No half-written manifest, no tail that holds nothing, and no part of a segment that no tail names.
#[track_caller]
fn assert_nothing_empty_is_left(root: &Path) {
    let tree = common::tree(root);
    for (name, bytes) in &tree {
        let ending = name.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
        let is_named = tree.iter().any(|(other, _)| *other == name.with_extension("").with_extension("tail"));
        let name = name.display();
        assert!(ending != "partial" || is_named, "{name}");
        assert!(ending != "tail" || bytes.len() > 16, "{name} has {} bytes", bytes.len());
    }
}

fn count(document: &Value, name: &str) -> u64 {
    document[name].as_u64().unwrap_or_else(|| panic!("{name} in {document}"))
}

#[test]
fn a_load_counts_the_records_that_found_no_room() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("4M");
    let run = mount.point.join("run");
    let asked = ["load", "sim:consistent?size=8GiB", "--rw", "randwrite", "--bytes", "8GiB", "--json"];
    let ended = drivelab(&[&asked[..], &["--output", text(&run)]].concat()).with_code(1);
    let document = ended.json()["findings"]["ios"]["records"].clone();
    let (completions, lost) = (count(&document, "completions"), count(&document, "lost"));
    assert_eq!(completions, 2 << 20);
    assert!(lost > 0 && lost < completions, "{document}");
    assert!(ended.stderr.contains("No space left"), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("records are being lost").count(), 1, "at once: {}", ended.stderr);
    assert_eq!(rows(&run) + lost, completions);
    assert_nothing_empty_is_left(&run);
    assert!(notices(&run).contains(&lost.to_string()), "{}", notices(&run));
    // A reader needs no room where the run is.
    let elsewhere = folder();
    let page = elsewhere.path().join("page.html");
    let kept = drivelab(&["report", text(&run), "--json", "--report", text(&page)]).with_code(1).json();
    assert_eq!(kept["findings"]["ios"]["records"]["lost"].as_u64(), Some(lost));
    assert!(kept["findings"]["ios"]["summary"]["iops_mean"].is_null(), "nothing is made of fragments");
    drivelab(&["report", text(&run), "--report", text(&page.with_file_name("again.html"))]).with_code(1);
}

#[test]
fn a_simulation_counts_the_records_that_found_no_room() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("4M");
    let runs = mount.point.join("runs");
    let timing = ["--duration", "60s", "--window", "2s", "--json"];
    let asked = ["consistency", "sim:consistent?size=2GiB", "-o", text(&runs)];
    let ended = drivelab(&[&asked[..], &timing].concat());
    // What is left beside the last tail may be too little for the page; then that is the end of the command.
    assert!(matches!(ended.code, Some(1 | 3)), "{ended:?}");
    let document = ended.json();
    let records = &document["findings"]["records"];
    let lost = count(records, "lost");
    assert!(lost > 0, "{document}");
    let run = &run_folders(&runs)[0];
    assert_eq!(rows(run) + lost, count(records, "completions"));
    assert_nothing_empty_is_left(&runs);
}

#[test]
fn a_series_ends_where_its_records_find_no_room() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("4M");
    let runs = mount.point.join("runs");
    let asked =
        ["consistency", "sim:consistent?size=2GiB", "--over-provisioning", "0%,25%", "-o", text(&runs)];
    let ended = drivelab(&[&asked[..], &["--duration", "60s", "--window", "2s"]].concat());
    // What is left beside the last tail may be too little for the pages; then all that were not written are named.
    assert!(matches!(ended.code, Some(1 | 3)), "{ended:?}");
    assert!(ended.stderr.contains("the tests that are left were not begun"), "{}", ended.stderr);
    assert_eq!(run_folders(&runs).len(), 1);
    assert!(ended.stdout.contains("records lost, all phases"), "{}", ended.stdout);
    for page in [runs.join("report.html"), run_folders(&runs)[0].join("report.html")] {
        assert!(page.is_file() || ended.stderr.contains(text(&page)), "{}", ended.stderr);
    }
}

#[test]
fn a_run_whose_disk_was_filled_by_others_does_not_look_killed() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let (target, mount) = (folder(), Mount::tmpfs("1M"));
    let file = target.path().join("target");
    fs::write(&file, vec![1; 1 << 20]).expect("room on disk");
    let run = mount.point.join("run");
    let asked = ["load", text(&file), "--rate", "2000/s", "--duration", "3s", "--output", text(&run)];
    let running = Running::start(&asked);
    pause(Duration::from_millis(1500));
    // To the last page.
    let _ = fs::write(mount.point.join("filling"), vec![1; 2 << 20]);
    running.ends().with_code(1);
    assert!(count(&common::manifest(&run)["outcome"], "lost_records") > 0);
    let page = target.path().join("page.html");
    let told = drivelab(&["report", text(&run), "--report", text(&page)]).with_code(1);
    assert!(told.stderr.contains("lost while it ran"), "{}", told.stderr);
}

#[test]
fn a_disk_without_any_room_is_an_error_of_one_line() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("1M");
    let _ = fs::write(mount.point.join("filling"), vec![1; 2 << 20]);
    let place = mount.point.join("run");
    let words = ["No space left", text(&place)];
    drivelab(&["load", "sim:consistent", "--duration", "1s", "--output", text(&place)])
        .fails_in_one_line(3, &words);
    assert!(!place.exists(), "a folder without a manifest is no run");
    let elsewhere = mount.point.join("runs");
    drivelab(&["consistency", "sim:consistent?size=1GiB", "--duration", "1s", "-o", text(&elsewhere)])
        .fails_in_one_line(3, &["No space left"]);
}

#[test]
fn a_page_that_finds_no_room_is_an_error_of_one_line() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["load", "sim:consistent?size=1GiB", "--duration", "3s", "--output", text(&run)];
    drivelab(&asked).with_code(0);
    let mount = Mount::tmpfs("16K");
    let page = mount.point.join("page.html");
    drivelab(&["report", text(&run), "--report", text(&page)])
        .fails_in_one_line(3, &["page.html", "No space left"]);
}

/// Checks that failed I/Os are counted, recorded with their error, and fail the run.
fn assert_failures_were_kept(document: &Value, run: &Path) {
    let document = &document["findings"]["ios"]["records"];
    let failed = count(document, "failed");
    assert!(failed > 0, "{document}");
    assert_eq!(count(document, "lost"), 0);
    assert_eq!(rows(run), count(document, "completions"));
    let statuses = records::column(run, "status");
    assert_eq!(statuses.iter().filter(|status| **status != 0).count() as u64, failed);
    let kinds: BTreeSet<i64> = statuses.into_iter().filter(|status| *status != 0).collect();
    // EIO, ENOSPC, ENOMEM: an error of the drive, whichever way the sign is kept.
    assert!(kinds.iter().all(|status| [5, 12, 28].contains(&status.abs())), "{kinds:?}");
    assert!(notices(run).contains(&failed.to_string()), "{}", notices(run));
    let kept = drivelab(&["report", text(run), "--json"]).with_code(1).json();
    assert_eq!(kept["findings"]["ios"]["records"]["failed"].as_u64(), Some(failed));
}

#[test]
fn reads_beyond_the_end_of_a_shortened_image_fail_and_are_kept() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(64);
    File::options()
        .write(true)
        .open(&device.image)
        .and_then(|image| image.set_len(32 << 20))
        .expect("shorter");
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["load", text(&device.node), "--duration", "300ms", "--json", "--output", text(&run)];
    let document = drivelab(&asked).with_code(1).json();
    assert_failures_were_kept(&document, &run);
    let counted = &document["findings"]["ios"]["records"];
    let good = count(counted, "completions") - count(counted, "failed");
    assert!(good > 0, "the first half is still there");
    let sectors = records::column(&run, "sector");
    let statuses = records::column(&run, "status");
    let half = (32_i64 << 20) / 512;
    assert!(sectors.iter().zip(&statuses).all(|(sector, status)| (*sector >= half) == (*status != 0)));
}

#[test]
fn an_image_that_shrinks_under_a_run_fails_it() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(64);
    let folder = folder();
    let run = folder.path().join("run");
    let image = device.image.clone();
    // A second in which the reads end well, and a second in which they do not.
    let asked = ["load", text(&device.node), "--duration", "2s", "--json", "--output", text(&run)];
    let document = std::thread::scope(|scope| {
        scope.spawn(move || {
            #[expect(clippy::disallowed_methods, reason = "a test lets the run go on for a while")]
            std::thread::sleep(Duration::from_secs(1));
            File::options().write(true).open(image).and_then(|image| image.set_len(4096)).expect("shorter");
        });
        drivelab(&asked).with_code(1).json()
    });
    assert_failures_were_kept(&document, &run);
}

#[test]
fn writes_that_a_device_has_no_memory_for_fail_and_are_kept() {
    if !devices::zram_can_be_made() {
        return;
    }
    let device = Zram::new(64, Some(8));
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["load", text(&device.node), "--rw", "write", "--duration", "500ms", "--json"];
    let kept = ["--output", text(&run), &device.serial()];
    let document = drivelab(&[&asked[..], &kept].concat()).with_code(1).json();
    assert_failures_were_kept(&document, &run);
}

/// Rows of each file of an import: enough that most of the second come too late to be sorted as they come.
const ROWS: u64 = 400_000;

#[test]
fn an_import_that_finds_no_room_to_sort_keeps_what_was_in_order() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let sources = folder();
    // Both cover the same time, so that all of the second comes late.
    let paths = ["first", "second"].map(|name| sources.path().join(name));
    for (path, offset) in paths.iter().zip([0, 3]) {
        let row = |number: u64| {
            let at = 128_166_372_000_000_000 + number * 1_000 + offset;
            let draw = (number + offset).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (place, took) = (draw >> 36, (draw ^ draw >> 31) % 99_991);
            format!("{at},hm,0,Read,{},4096,{took}\n", place * 4096)
        };
        fs::write(path, (0..ROWS).map(row).collect::<String>()).expect("room");
    }
    let mount = Mount::tmpfs("14M");
    let trace = mount.point.join("trace");
    let asked = ["trace", "import", text(&paths[0]), text(&paths[1]), "-o", text(&trace), "--json"];
    let ended = drivelab(&asked).with_code(1);
    assert!(ended.stdout.contains("could not be written"), "{}", ended.stdout);
    let manifest: Value =
        serde_json::from_slice(&fs::read(trace.join("trace.json")).expect("a manifest")).expect("JSON");
    let account = &manifest["account"];
    let (kept, unwritten) = (count(account, "requests"), count(account, "unwritten"));
    assert_eq!(kept + unwritten, 2 * ROWS, "{account}");
    let shown = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(1).json()["findings"].clone();
    assert_eq!(count(&shown["requests"], "read"), kept);
    assert!(kept >= ROWS, "what was in order is there: {account}");
}

/// The kernel completes a write to a loop device as whole of which its file had room for a part.
#[test]
fn frames_that_a_crowded_loop_device_acknowledged_and_does_not_have_are_named() {
    if !devices::loops_can_be_made() || !devices::mounts_can_be_made() {
        return;
    }
    for (make, mebibytes) in [("mkfs.ext4", 64), ("mkfs.btrfs", 160)] {
        if !devices::has(make) {
            devices::skipped(&format!("{make} is not installed"));
            continue;
        }
        let below = Loop::with(mebibytes, &[], |image| drop(devices::run(make, &["-q", text(image)])));
        // Its file has no blocks yet, and its file system no room for all of them.
        let drive = Loop::over(below, 800, &[], |_| {});
        let (node, name) = (drive.text(), drive.name());
        // No frame is dropped: the last one tells how many there are.
        let channel = "cam=synthetic,size=100KB,rate=400/s,on-full=wait";
        let confirmed = ["--serial", &name, "--destroy-data", "--channel", channel, "--json"];
        let ended = drivelab(&[&["stream", "record", node][..], &confirmed].concat()).with_code(1);
        assert!(ended.stderr.contains("No space left on device"), "{}", ended.stderr);
        let kept = ended.json()["findings"]["channels"][0].clone();
        let last = kept["last_kept"].as_u64().expect("a frame");
        let checked = drivelab(&["stream", "check", node, "--json"]).json();
        let there = checked["findings"]["channels"][0]["frames"].as_u64().expect("a count");
        // Frames are numbered from 0.
        let expected = (there <= last).then_some(there);
        assert_eq!(
            kept["first_lost"].as_u64(),
            expected,
            "{make}: {there} frames, {last} kept: {}",
            ended.stderr
        );
        assert_eq!(ended.stderr.contains("not all there"), expected.is_some(), "{}", ended.stderr);
    }
}

/// A plan whose first test has more records than a small file system takes.
const LARGE_LOAD: &str =
    "[[step]]\ntest = \"load\"\nrw = \"randwrite\"\nbytes = \"8GiB\"\n[[step]]\ntest = \"quick\"\n";

/// What a full disk has cost is no finding: the test is done again as soon as there is room.
#[test]
fn a_review_repeats_the_test_that_found_no_room() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let (mount, folder) = (Mount::tmpfs("4M"), folder());
    let (plan, review) = (folder.path().join("plan.toml"), mount.point.join("review"));
    fs::write(&plan, LARGE_LOAD).expect("a plan");
    let drive = "sim:consistent?size=8GiB";
    let ended = drivelab(&["review", drive, "--plan", text(&plan), "-o", text(&review)]);
    assert!(matches!(ended.code, Some(1 | 3)), "{}", ended.stderr);
    let enlarged = Command::new("mount").args(["-o", "remount,size=64M", text(&mount.point)]).status();
    assert!(enlarged.expect("mount").success());
    let resumed = drivelab(&["review", "--resume", text(&review), "--json"]).with_code(0);
    let record = resumed.json();
    for step in record["steps"].as_array().expect("steps") {
        assert_eq!(step["ended"], serde_json::json!({ "exit_code": 0, "why": null }), "{step}");
    }
    assert!(resumed.stderr.contains("is run again"), "{}", resumed.stderr);
}
