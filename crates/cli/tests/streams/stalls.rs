//! Streams: delays that are there and none that are not, data that is verified, and the buffer that it takes.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use crate::common::devices::{self, eventually};
use crate::common::running::{Running, pause};
use crate::common::{self, Ended, drivelab, folder, manifest, program, records, text};
use serde_json::Value;

const STALLS: &str = include_str!("../../../kinds/schemas/drivelab.stalls-3.json");
const BLOCK: u64 = 1 << 20;

#[track_caller]
fn assert_fits(document: &Value) {
    common::assert_fits(STALLS, document);
}

/// Text with every run of white space as one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn assert_near(found: &Value, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what} is no number: {found}"));
    assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found} is not {expected}");
}

/// The table of the reference: mean completion time and mean delay. How far apart the delays are varies: the mean is that of
/// those that were injected.
fn assert_reference(target: &str, bytes: &str, delays: usize, (write, delay): (f64, f64)) {
    let document =
        drivelab(&["stalls", target, "--bytes", bytes, "--verify", "no", "--json"]).with_code(0).json();
    assert_fits(&document);
    let stream = &document["findings"]["stream"];
    assert_near(&stream["write_ns"]["mean"], write, "mean completion time");
    assert_near(&stream["delay_ns"]["mean"], delay, "mean delay");
    let found = stream["delays"].as_array().expect("delays");
    let account = &document["run"]["outcome"]["simulation"];
    let injected = account["injected_delays"].as_array().expect("injected delays");
    assert_eq!(found.len(), delays);
    assert_eq!(injected.len(), delays);
    let spacings = injected[1..].iter().map(|one| one["bytes_since_previous"].as_f64().expect("bytes"));
    let between = spacings.sum::<f64>() / (delays - 1) as f64;
    assert_near(&stream["bytes_between"]["mean"], between, "data between delays");
    let started_at = document["run"]["phases"][0]["started_at_ns"].as_u64().expect("a start");
    for (found, injected) in found.iter().zip(injected) {
        for name in ["duration_ns", "bytes_since_previous"] {
            assert_eq!(found[name], injected[name], "{name}");
        }
        let since_start = injected["at_ns"].as_u64().expect("a time") - started_at;
        assert_eq!(found["at_ns"], since_start, "at_ns");
    }
}

#[test]
fn the_references_delays_come_out_as_they_were_injected() {
    assert_reference("sim:mx200-250", "2.0TB", 4, (11.9e6, 804e6));
    assert_reference("sim:x300s-128", "0.95TB", 4, (19.3e6, 113e6));
}

#[test]
fn no_delay_is_found_where_there_is_none() {
    for target in ["sim:consistent?size=8GiB", "sim:hdd-7200?size=8GiB", "sim:mx200-250?delay_every=0"] {
        let document =
            drivelab(&["stalls", target, "--bytes", "100GB", "--verify", "no", "--json"]).with_code(0).json();
        assert_fits(&document);
        assert_eq!(document["findings"]["stream"]["delays"], serde_json::json!([]), "{target}");
        assert_eq!(document["findings"]["stream"]["delay_ns"], Value::Null);
    }
}

#[test]
fn a_run_without_a_write_gives_no_figures() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let ended =
        drivelab(&["stalls", text(&image), "--file-size", "16MiB", "--duration", "1ns", "-o", text(&run)])
            .with_code(0);
    let page = std::fs::read_to_string(run.join("report.html")).expect("a page");
    for said in [&ended.stdout, &page] {
        assert!(said.contains("Nothing was written"), "{said}");
        assert!(!said.contains("MB/s over") && !said.contains("is a delay:"), "{said}");
    }
}

/// The backlog by its definition, from the records: block i is written when it is there and block i - 1 is done.
fn largest_backlog(writes: &[(u64, u64)], rate: f64) -> f64 {
    let there = |number: usize| (number + 1) as f64 * BLOCK as f64 / rate * 1e9;
    let mut largest = 0.0f64;
    let mut done = vec![0.0f64; writes.len()];
    for number in 0..writes.len() {
        let before = if number == 0 { 0.0 } else { done[number - 1] };
        done[number] = there(number).max(before) + writes[number].1 as f64;
        // All that has come until then, and has not been written.
        let come = rate * done[number] / 1e9;
        largest = largest.max(come - number as f64 * BLOCK as f64);
    }
    largest
}

#[test]
fn the_buffer_is_what_the_records_say() {
    let folder = folder();
    let run = folder.path().join("run");
    let target = "sim:mx200-250?size=2GiB&delay_every=1.3GB&delay=300ms&delay_deviation=40ms";
    let arguments =
        ["--block-size", "1MiB", "--bytes", "6GiB", "--stream-rate", "160MB/s", "--stream-rate", "900MB/s"];
    let ended = drivelab(&[&["stalls", target, "-o", text(&run), "--json"], &arguments[..]].concat());
    let document = ended.with_code(0).json();
    let columns = ["submit_time_ns", "latency_ns", "phase"].map(|name| records::column(&run, name));
    let writes: Vec<(u64, u64)> = (0..columns[0].len())
        .filter(|row| columns[2][*row] == 0)
        .map(|row| (columns[0][row].unsigned_abs(), columns[1][row].unsigned_abs()))
        .collect();
    let buffers = document["findings"]["stream"]["buffers"].as_array().expect("buffers");
    assert!(buffers.len() >= 6);
    for buffer in buffers {
        let rate = buffer["stream_mb_s"].as_f64().expect("a rate") * 1e6;
        let (found, own) =
            (buffer["largest_backlog_bytes"].as_f64().expect("bytes"), largest_backlog(&writes, rate));
        assert!((found - own).abs() <= 2.0, "at {rate} B/s {found} is not {own}");
        assert_eq!(buffer["sustained"], rate < 800e6);
    }
    // The same again from the folder.
    assert_eq!(drivelab(&["report", text(&run), "--json"]).with_code(0).json(), document);
}

#[test]
fn a_buffer_is_promised_for_no_stream_faster_than_the_run() {
    let target = "sim:mx200-250?size=2GiB&delay_every=0";
    let paced = [
        "stalls",
        target,
        "--bytes",
        "2GiB",
        "--verify",
        "no",
        "--rate",
        "100MB/s",
        "--stream-rate",
        "200MB/s",
    ];
    let document = drivelab(&[&paced[..], &["--json"]].concat()).with_code(0).json();
    assert_fits(&document);
    let told = |number: usize| {
        let buffer = &document["findings"]["stream"]["buffers"][number];
        (buffer["stream_mb_s"].as_f64(), buffer["sustained"].as_bool(), buffer["reached"].as_bool())
    };
    assert_eq!(told(0), (Some(100.0), Some(true), Some(true)));
    assert_eq!(told(1), (Some(200.0), Some(true), Some(false)));
    assert_near(
        &document["findings"]["stream"]["busy_share"],
        100.0 / 264.0,
        "a write of 264 MB/s at 100 MB/s",
    );
    let said = drivelab(&paced).with_code(0).stdout;
    let row = said.lines().find(|line| line.contains("200 MB/s (asked for)")).expect("a row");
    assert!(row.contains('≥'), "{said}");
    assert!(words(&said).contains("99.9 % of the drive. The run wrote 100 MB/s"), "{said}");
}

#[test]
fn the_rate_that_was_asked_for_is_kept() {
    let target = "sim:consistent?size=2GiB";
    let arguments = ["--rate", "100MB/s", "--duration", "20s", "--verify", "continuous", "--json"];
    let document = drivelab(&[&["stalls", target], &arguments[..]].concat()).with_code(0).json();
    assert_near(&document["findings"]["stream"]["mb_s"], 100.0, "rate");
    let verified = &document["findings"]["verification"];
    assert_eq!(verified["missing"], 0);
    // Every block was read back once, though it was written several times before.
    assert!(verified["blocks"].as_u64().is_some_and(|blocks| blocks >= 600), "{document}");
}

/// Changes a file by hand as a drive would that lies.
fn lie(image: &Path, older: &[u8]) {
    let file = OpenOptions::new().read(true).write(true).open(image).expect("the image");
    let read = |block: u64| {
        let mut bytes = vec![0; usize::try_from(BLOCK).expect("small")];
        file.read_exact_at(&mut bytes, block * BLOCK).expect("a block");
        bytes
    };
    let write = |bytes: &[u8], at: u64| file.write_all_at(bytes, at).expect("room");
    let mut flipped = read(3);
    flipped[123_456] ^= 0x10;
    write(&flipped, 3 * BLOCK);
    // The first half stays what was written, the rest is of an older run, cut in the middle of a sector.
    write(&older[500_000..], 5 * BLOCK + 500_000);
    write(&read(8), 7 * BLOCK);
    write(older, 9 * BLOCK);
    write(&vec![0; older.len()], 11 * BLOCK);
}

#[test]
fn every_kind_of_lie_in_a_file_is_named() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let write = ["stalls", text(&image), "--block-size", "1MiB", "--bytes", "32MiB", "--queue-depth", "2"];
    drivelab(&[&write[..], &["--file-size", "16MiB"]].concat()).with_code(0);
    let older = |block: u64| {
        let mut bytes = vec![0; usize::try_from(BLOCK).expect("small")];
        File::open(&image).and_then(|file| file.read_exact_at(&mut bytes, block * BLOCK)).expect("a block");
        bytes
    };
    // Of two places at once, so that an older block is in its own place wherever it is put.
    let nine = older(9);
    let five = older(5);
    drivelab(&[&write[..], &["--destroy-data", "-o", text(&run)]].concat()).with_code(0);
    lie(&image, &nine);
    let file = OpenOptions::new().write(true).open(&image).expect("the image");
    file.write_all_at(&five[500_000..], 5 * BLOCK + 500_000).expect("room");
    let document =
        drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run), "--json"]).with_code(1).json();
    assert_fits(&document);
    let found = &document["findings"]["verification"];
    for kind in ["flipped", "torn", "misplaced", "stale", "missing"] {
        assert_eq!(found[kind], 1, "{kind} in {found:#}");
    }
    assert_eq!(found["blocks"], 16);
    let places: Vec<(&str, u64)> = found["faults"]
        .as_array()
        .expect("faults")
        .iter()
        .map(|fault| (fault["kind"].as_str().expect("a kind"), fault["lba"].as_u64().expect("an LBA") / 2048))
        .collect();
    for place in [("flipped", 3), ("torn", 5), ("misplaced", 7), ("stale", 9), ("missing", 11)] {
        assert!(places.contains(&place), "{place:?} is not in {places:?}");
    }
    assert_eq!(found["later"]["target"], text(&image));
    // What was read back later is what a report shows from then on.
    assert_eq!(drivelab(&["report", text(&run), "--json"]).with_code(1).json(), document);
    let shown = words(&drivelab(&["report", text(&run)]).with_code(1).stdout);
    assert!(shown.contains("5 of them NOT as written"), "{shown}");
}

#[test]
fn a_false_capacity_is_found_to_the_byte_whatever_the_block_size() {
    let said = |keys: &str, block_size: &str| {
        let drive = format!("sim:consistent?size=1GiB&{keys}");
        let document = drivelab(&["stalls", &drive, "--bytes", "2GiB", "--block-size", block_size, "--json"]);
        document.with_code(1).json()["run"]["outcome"]["lapses"]["not_as_written"].clone()
    };
    for block_size in ["1MiB", "3MiB", "5MiB"] {
        assert_eq!(said("wrap_at=448MiB", block_size)["wraps_at_bytes"], 448 << 20, "{block_size}");
        assert_eq!(said("zeros_from=400MiB", block_size)["all_behind_byte"], 400 << 20, "{block_size}");
    }
}

#[test]
fn nothing_is_called_well_without_its_records() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let write = ["stalls", text(&image), "--block-size", "1MiB", "--bytes", "32MiB", "--file-size", "16MiB"];
    drivelab(&[&write[..], &["-o", text(&run)]].concat()).with_code(0);
    drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run)]).with_code(0);
    for segment in records::segments(&run) {
        std::fs::remove_file(segment).expect("a segment");
    }
    let ended =
        drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run), "--json"]).with_code(1);
    assert_eq!(ended.json()["findings"]["verification"]["later"]["complete"], false);
    assert!(ended.stderr.contains("could not be verified"), "{}", ended.stderr);
    assert!(drivelab(&["report", text(&run)]).with_code(1).stdout.contains("missing"));
    File::options().write(true).open(&image).and_then(|file| file.set_len(8 << 20)).expect("cut");
    drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run)])
        .fails_in_one_line(3, &["8388608", "cut off"]);
}

#[test]
fn writes_that_wait_together_wait_for_one_delay() {
    let target = "sim:mx200-250?size=8GiB&delay_every=20GB";
    let arguments = ["--bytes", "90GB", "--queue-depth", "8", "--verify", "no", "--json"];
    let document = drivelab(&[&["stalls", target], &arguments[..]].concat()).with_code(0).json();
    assert_fits(&document);
    let stream = &document["findings"]["stream"];
    assert_eq!(stream["delays"].as_array().map(Vec::len), Some(4));
    assert_eq!(stream["delays"][0]["writes"], 8);
    assert_near(&stream["bytes_between"]["mean"], 20e9, "data between delays");
}

#[test]
fn what_a_killed_stream_acknowledged_is_there() {
    let folder = folder();
    let image = folder.path().join("image");
    File::create(&image).and_then(|file| file.set_len(64 << 20)).expect("room");
    for (number, delay) in [300, 700, 1_100].into_iter().enumerate() {
        let run = folder.path().join(number.to_string());
        devices::wait_until_free(&image);
        let arguments = ["--block-size", "1MiB", "--duration", "30s", "--queue-depth", "4", "--destroy-data"];
        let running = Running::start(&[&["stalls", text(&image), "-o", text(&run)], &arguments[..]].concat());
        // The machine is watched for a while before the first phase.
        let began =
            || std::fs::read_to_string(run.join("run.json")).is_ok_and(|text| text.contains("started_at_ns"));
        assert!(eventually(began), "the run never began");
        pause(Duration::from_millis(delay));
        running.kill();
        devices::wait_until_free(&image);
        let ended = drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run), "--json"]);
        let document = ended.json();
        let found = &document["findings"]["verification"];
        if found["blocks"] == 0 {
            // Killed before its first write: then nothing is called well.
            assert!(delay < 1_000 && ended.code == Some(1), "{ended:?}");
            continue;
        }
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(manifest(&run)["outcome"], Value::Null);
        assert_fits(&document);
        // What the records of a killed run hold is shown, though it had no findings.
        let report = words(&drivelab(&["report", text(&run)]).with_code(1).stdout);
        assert!(report.contains("did not end by itself") && report.contains("All there"), "{report}");
    }
}

/// The drive itself proves that there was more than the records tell of.
#[test]
fn records_that_lost_their_end_are_missed() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    File::create(&image).and_then(|file| file.set_len(8 << 20)).expect("room");
    let arguments = ["--block-size", "1MiB", "--duration", "30s", "--rate", "20MB/s", "--destroy-data"];
    let running = Running::start(&[&["stalls", text(&image), "-o", text(&run)], &arguments[..]].concat());
    let tails = || records::files(&run, "tail");
    let has_records =
        |least| run.join("segments").is_dir() && tails().first().is_some_and(|tail| length(tail) > least);
    assert!(eventually(|| has_records(600)), "nothing was recorded");
    let early = length(&tails()[0]);
    pause(Duration::from_secs(4));
    running.kill();
    devices::wait_until_free(&image);
    let resumed = || drivelab(&["stalls", text(&image), "--verify-after-crash", text(&run), "--json"]);
    resumed().with_code(0);
    File::options().write(true).open(&tails()[0]).and_then(|file| file.set_len(early)).expect("cut");
    let ended = resumed().with_code(1);
    assert_eq!(ended.json()["findings"]["verification"]["later"]["complete"], false);
    assert!(ended.stderr.contains("Records are missing"), "{}", ended.stderr);
}

fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |found| found.len())
}

#[test]
fn what_was_read_in_place_of_the_runs_target_is_named() {
    let folder = folder();
    let (image, copy, run) =
        (folder.path().join("image"), folder.path().join("copy"), folder.path().join("run"));
    let write = ["stalls", text(&image), "--block-size", "1MiB", "--bytes", "32MiB", "--file-size", "16MiB"];
    drivelab(&[&write[..], &["-o", text(&run)]].concat()).with_code(0);
    std::fs::copy(&image, &copy).expect("room");
    let ended = drivelab(&["stalls", text(&copy), "--verify-after-crash", text(&run)]).with_code(0);
    assert!(ended.stderr.contains(text(&copy)) && ended.stderr.contains(text(&image)), "{}", ended.stderr);
    let shown = drivelab(&["report", text(&run)]).with_code(0);
    assert!(words(&shown.stdout).contains("read in its place"), "{}", shown.stdout);
    // What is no copy of it says nothing about the run.
    std::fs::write(&copy, vec![0; 16 << 20]).expect("room");
    let ended = drivelab(&["stalls", text(&copy), "--verify-after-crash", text(&run)]).with_code(1);
    assert!(ended.stderr.contains("Nothing of this is kept"), "{}", ended.stderr);
    drivelab(&["report", text(&run)]).with_code(0);
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let target = "sim:consistent?size=1GiB";
    let refused = |arguments: &[&str], words: &[&str]| {
        drivelab(&[&["stalls", target], arguments].concat()).fails_in_one_line(2, words);
    };
    refused(&["--block-size", "1000B"], &["--block-size", "512"]);
    refused(&["--block-size", "64MiB", "--queue-depth", "8"], &["--queue-depth", "--range"]);
    refused(&["--bytes", "1MiB"], &["--bytes", "one block"]);
    refused(&["--queue-depth", "0"], &["--queue-depth"]);
    refused(&["--verify-after-crash", "nowhere"], &["simulated"]);
    drivelab(&["stalls", target, "--rate", "0MB/s"]).fails_in_the_parser(&["--rate", "MB/s"]);
}

/// A smartctl whose drive warns as soon as anything was recorded in a folder.
fn smartctl(tools: &Path, run: &Path) {
    let answer = |warning: u8, passed: bool, media_errors: u8| {
        format!(
            r#"{{"smartctl":{{}},"device":{{"protocol":"NVMe"}},"smart_status":{{"passed":{passed}}},
"nvme_smart_health_information_log":{{"critical_warning":{warning},"available_spare":100,"media_errors":{media_errors}}}}}"#
        )
    };
    let (well, ill) = (answer(0, true, 0), answer(4, false, 3));
    let script = format!(
        "#!/bin/sh\nif ls {}/segments/* >/dev/null 2>&1; then echo '{ill}'; else echo '{well}'; fi\n",
        text(run)
    );
    let path = tools.join("smartctl");
    std::fs::write(&path, script).expect("room");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn a_drive_that_gets_worse_during_a_run_is_told() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, folder) = (devices::Loop::of_zeros(64), folder());
    let run = folder.path().join("run");
    smartctl(folder.path(), &run);
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let arguments = ["--bytes", "96MiB", "--destroy-data", "--json", &device.serial(), "-o", text(&run)];
    let ended = program().args(["stalls", device.text()]).args(arguments).env("PATH", path).output();
    let document = Ended::of(&ended.expect("drivelab starts")).with_code(0).json();
    assert_fits(&document);
    let readings = document["findings"]["health"]["readings"].as_array().expect("readings");
    let changed = &readings.last().expect("one at the end")["outcome"]["changed"];
    let moved = |name: &str| changed[name].as_array().map(|pair| (pair[0].as_u64(), pair[1].as_u64()));
    assert_eq!(moved("critical_warning"), Some((Some(0), Some(4))), "{document:#}");
    assert_eq!(moved("passed"), Some((Some(1), Some(0))), "{document:#}");
    assert_eq!(moved("media_errors"), Some((Some(0), Some(3))), "{document:#}");
    let notices = document["run"]["notices"].to_string();
    for word in ["got worse during the run", "no longer reliable", "own health check fails"] {
        assert!(notices.contains(word), "{word}: {notices}");
    }
}

#[test]
fn what_of_a_write_is_the_devices_time_stands_beside_it() {
    if !devices::loops_can_be_made() || !devices::events_can_be_had() {
        return;
    }
    let device = devices::Loop::of_zeros(256);
    let folder = folder();
    let run = folder.path().join("run");
    let arguments =
        ["--bytes", "384MiB", "--block-size", "3MiB", "--device-times", "--destroy-data", "--json"];
    let named = [device.serial(), "-o".to_owned(), text(&run).to_owned()];
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let document =
        drivelab(&[&["stalls", device.text()], &arguments[..], &named].concat()).with_code(0).json();
    assert_fits(&document);
    let stream = &document["findings"]["stream"];
    assert_eq!(stream["device"]["measured"], "D2C");
    let (device, all) = (&stream["device"]["times_ns"], &stream["all_writes_ns"]);
    assert_eq!(device["count"], all["count"], "every write has its time");
    let mean = |times: &Value| times["mean"].as_f64().expect("a mean");
    assert!(mean(device) < mean(all), "a device's time is a part of its write's");
    // However long the writes waited above it: no memory takes 3 MiB in so short a time.
    assert!(mean(device) > 10_000.0, "{document}");
    assert_eq!(devices::tracing_instances(), Vec::<String>::new());
    let again = drivelab(&["report", text(&run), "--json"]).with_code(0).json();
    assert_eq!(again, document);
}
