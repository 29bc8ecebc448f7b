//! Replays: what is asked again, how well, and what is refused.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::devices::{self, Loop, Zram, checksum};
use crate::common::{self, drivelab, folder, manifest, text, tree};
use serde_json::Value;

const REPLAY: &str = include_str!("../../../kinds/schemas/drivelab.replay-3.json");

/// The findings of a document, which fits its schema.
#[track_caller]
fn findings(document: &Value) -> Value {
    common::assert_fits(REPLAY, document);
    document["findings"].clone()
}

/// Imports rows of MSR's format, with times and durations in units of 100 ns.
fn imported(folder: &Path, rows: impl Iterator<Item = (u64, u8, bool, u64, u64, u64)>) -> PathBuf {
    let mut text_of = String::new();
    for (at, disk, writes, offset, bytes, response) in rows {
        let kind = if writes { "Write" } else { "Read" };
        let _ = writeln!(
            text_of,
            "{},host,{disk},{kind},{offset},{bytes},{response}",
            128_166_372_003_061_629 + at
        );
    }
    let (source, trace) = (folder.join("source.csv"), folder.join("trace"));
    fs::write(&source, text_of).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

/// 2,000 requests a millisecond apart on one disk, with an hour in which nothing is asked.
fn plain(folder: &Path) -> PathBuf {
    let row = |number: u64| {
        let pause = if number >= 1_000 { 36_000_000_000 } else { 0 };
        (
            number * 10_000 + pause,
            0,
            !number.is_multiple_of(4),
            number * 7_919 % 5_000 * 8192,
            4096,
            2_000 + number % 10,
        )
    };
    imported(folder, (0..2_000).map(row))
}

/// A few reads and writes of two disks, within 1 MiB.
fn mixed(folder: &Path) -> PathBuf {
    let row = |number: u64| {
        let disk = u8::try_from(number % 2).expect("small");
        (number * 1_000, disk, number.is_multiple_of(3), number % 64 * 4096, 4096, 1_000)
    };
    imported(folder, (0..300).map(row))
}

/// A column of the table of figures, a value for each replay.
#[track_caller]
fn column(tables: &Path, name: &str) -> Vec<String> {
    let table = fs::read_to_string(tables.join("figures.csv")).expect("the table of the page");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let place = head.iter().position(|column| *column == name);
    let place = place.unwrap_or_else(|| panic!("{name} is not in {head:?}"));
    lines.filter_map(|line| line.split(',').nth(place).map(str::to_owned)).collect()
}

fn replay(trace: &Path, target: &str, more: &[&str]) -> common::Ended {
    drivelab(&[&["replay", text(trace), target], more].concat())
}

#[test]
fn a_replay_in_virtual_time_keeps_every_time_and_is_the_same_again() {
    let folder = folder();
    let trace = plain(folder.path());
    let target = "sim:sm2246en?size=1GiB";
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let document = replay(&trace, target, &["--json", "-o", text(&first)]).with_code(0).json();
    let found = findings(&document);
    let replayed = &found["replayed"];
    assert_eq!((&replayed["requests"]["read"], &replayed["requests"]["write"]), (&500.into(), &1_500.into()));
    assert_eq!(found["trace"]["asked_span_ns"], 3_601_999_000_000_u64);
    assert_eq!(replayed["span_ns"], 3_601_999_000_000_u64);
    let fidelity = &replayed["fidelity"];
    assert_eq!(fidelity["lateness_ns"]["max"], 0);
    assert_eq!((&fidelity["inversions"], &found["handling"]["delayed_sends"]), (&0.into(), &0.into()));
    assert_eq!(fidelity["drift_ppm"], 0.0);
    assert_eq!(replayed["service_ns"], replayed["response_ns"], "nothing waited");
    // The trace's times have the wait above the device, which those of a simulated drive have not.
    assert_eq!(
        (&found["trace"]["measured"], &found["against_trace"]["service"]["all"]),
        (&"Q2C".into(), &Value::Null)
    );
    let ratio = found["against_trace"]["response"]["all"]["ratio_of_means"].as_f64().expect("a ratio");
    let mean = replayed["service_ns"]["all"]["mean"].as_f64().expect("a mean");
    assert!((ratio - mean / 200_450.0).abs() < 1e-9, "{ratio} {mean}");
    replay(&trace, target, &["--json", "-o", text(&second)]).with_code(0);
    assert_eq!(tree(&first), tree(&second));
    // The run's folder is a trace, and can be reported on beside others.
    let shown = drivelab(&["trace", "show", text(&first), "--json"]).with_code(0).json()["findings"].clone();
    assert_eq!(shown["service_ns"], replayed["service_ns"]);
    let page = folder.path().join("both.html");
    let tables = folder.path().join("tables");
    let report = ["report", text(&first), text(&second), "--report", text(&page), "--csv", text(&tables)];
    let said = drivelab(&report).with_code(0).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("that the trace asks for") && !said.contains("teady"), "no steady state: {said}");
    assert_eq!(column(&tables, "service_time_of_reads_ios_that_succeeded"), ["500", "500"]);
    assert_eq!(column(&tables, "how_well_the_replay_kept_to_its_times_late_max_ns"), ["0", "0"]);
    assert!(fs::read_to_string(page).expect("a page").contains("replay"));
}

#[test]
fn idle_time_is_cut_as_asked_and_said() {
    let folder = folder();
    let trace = plain(folder.path());
    let more = ["--max-idle", "2s", "--speed", "2", "--json"];
    let document = replay(&trace, "sim:consistent?size=1GiB", &more).with_code(0).json();
    let found = findings(&document);
    // The hour and a millisecond, but for the 0.2009 ms of the last request before it.
    let cut = found["trace"]["idle_cut_ns"].as_u64().expect("a cut");
    assert_eq!(cut, 3_600_000_000_000 + 1_000_000 - 200_900 - 2_000_000_000);
    assert_eq!(found["trace"]["idle_cuts"], 1);
    assert_eq!(found["trace"]["asked_span_ns"], (3_601_999_000_000 - cut) / 2);
    let shown = replay(&trace, "sim:consistent?size=1GiB", &more[..4]).with_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("idle time cut: 3598 s (spans: 1)") && shown.contains("2 times as fast"),
        "{shown}"
    );
}

#[test]
fn what_is_asked_can_be_chosen() {
    let folder = folder();
    let trace = mixed(folder.path());
    let target = "sim:consistent?size=1GiB";
    let json =
        |more: &[&str]| findings(&replay(&trace, target, &[more, &["--json"]].concat()).with_code(0).json());
    let both = json(&["--map", "compact"]);
    assert_eq!(
        (&both["replayed"]["requests"]["write"], &both["handling"]["moved"]["touched_bytes"]),
        (&100.into(), &(64 * 4096).into())
    );
    let one = json(&["--trace-device", "host:1", "--no-writes"]);
    assert_eq!(
        (&one["replayed"]["requests"]["write"], &one["trace"]["left_out"]["writes"]),
        (&0.into(), &50.into())
    );
    assert_eq!(one["replayed"]["requests"]["read"], 100);
    let part = json(&["--map", "compact", "--duration", "10ms"]);
    assert_eq!(part["trace"]["requests"], 100);
    let filled = json(&["--map", "compact", "--precondition", "fill", "--timing", "dependent"]);
    assert_eq!(filled["handling"]["filled_bytes"], 64 * 4096);
    assert_eq!(filled["ios"]["records"]["completions"], 300 + 2);
    assert!(
        filled["replayed"]["fidelity"]["drift_ppm"].is_null()
            && filled["replayed"]["fidelity"]["lateness_ns"].is_object()
    );
    let unpaced = json(&["--map", "compact", "--timing", "unpaced"]);
    assert!(unpaced["replayed"]["fidelity"]["lateness_ns"].is_null() && unpaced["trace"]["iops"].is_null());
}

#[test]
fn what_cannot_be_replayed_is_refused_in_one_line() {
    let folder = folder();
    let (trace, target) = (mixed(folder.path()), "sim:consistent?size=1GiB");
    let refused = |more: &[&str], words: &[&str]| replay(&trace, target, more).fails_in_one_line(2, words);
    refused(&[], &["2 devices", "--trace-device", "--map compact"]);
    refused(&["--trace-device", "sda"], &["host:0, host:1"]);
    refused(&["--map", "compact", "--timing", "unpaced", "--speed", "2"], &["--speed", "unpaced"]);
    refused(&["--map", "compact", "--queue-depth", "0"], &["--queue-depth"]);
    replay(&trace, target, &["--speed", "0"]).fails_in_the_parser(&["--speed", "0.001"]);
    refused(&["--map", "compact", "--serial", "x"], &["--serial", "no target here"]);
    let empty = folder.path().join("empty");
    replay(&empty, target, &[]).fails_in_one_line(2, &["not the folder of a trace"]);
    let run = folder.path().join("run");
    replay(&trace, target, &["--map", "compact", "-o", text(&run)]).with_code(0);
    replay(&trace, target, &["--map", "compact", "-o", text(&run)]).fails_in_one_line(2, &["-o", "empty"]);
    let small = folder.path().join("small");
    fs::write(&small, vec![0; 64 << 10]).expect("room on disk");
    let more = ["--trace-device", "host:0", "--destroy-data"];
    replay(&trace, text(&small), &more).fails_in_one_line(2, &["target of 65.5 kB", "--map compact"]);
    replay(&trace, text(&small), &["--map", "compact"]).with_code(4);
    let writes_only = ["--map", "compact", "--no-writes", "--file-size", "1MiB"];
    replay(&trace, text(&small), &writes_only)
        .fails_in_one_line(2, &["--file-size", "written by this replay"]);
}

#[test]
fn replays_are_compared_by_what_they_replayed_and_not_by_its_name() {
    let folder = folder();
    let (trace, link) = (plain(folder.path()), folder.path().join("link"));
    std::os::unix::fs::symlink(&trace, &link).expect("a link");
    let [first, second, other] = ["first", "second", "other"].map(|name| folder.path().join(name));
    replay(&trace, "sim:consistent?size=1GiB", &["-o", text(&first)]).with_code(0);
    replay(&link, "sim:sm2246en?size=1GiB", &["-o", text(&second)]).with_code(0);
    // Another trace in the place of the first one.
    fs::rename(&trace, folder.path().join("moved")).expect("on one file system");
    let row = |number: u64| (number * 10_000, 0, false, number % 64 * 4096, 4096, 2_000);
    assert_eq!(imported(folder.path(), (0..2_000).map(row)), trace);
    replay(&trace, "sim:sm2246en?size=1GiB", &["-o", text(&other)]).with_code(0);
    let reported = |one: &Path| {
        let page = folder.path().join("both.html");
        let _ = fs::remove_file(&page);
        let both = ["report", text(&first), text(one), "--report", text(&page)];
        let shown = drivelab(&both).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let shown = reported(&second);
    assert!(shown.contains("Replay of") && !shown.contains("asked for differently"), "{shown}");
    let shown = reported(&other);
    assert!(shown.contains("asked for differently (trace)") && !shown.contains('✓'), "{shown}");
}

#[test]
fn what_is_known_of_the_target_is_said_before_the_trace_is_read() {
    let folder = folder();
    let (trace, run) = (mixed(folder.path()), folder.path().join("run"));
    fs::remove_dir_all(trace.join("segments")).expect("its records");
    let (file, target) = (folder.path().join("drive.bin"), "sim:consistent?size=1GiB");
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    fs::create_dir_all(run.join("of another")).expect("a folder");
    let refused = |target: &str, more: &[&str], code: i32, words: &[&str]| {
        replay(&trace, target, &[&["--map", "compact"], more].concat()).fails_in_one_line(code, words);
    };
    refused(target, &["-o", text(&run)], 2, &["-o", "is not empty"]);
    refused(target, &["--queue-depth", "0"], 2, &["--queue-depth 0"]);
    let not_given_up = replay(&trace, text(&file), &["--map", "compact", "--precondition", "fill"]);
    assert!(not_given_up.with_code(4).stderr.contains("--destroy-data"));
    refused("/no/such/folder/drive", &[], 3, &["/no/such/folder"]);
    let missing = folder.path().join("missing");
    refused(text(&missing), &["--no-writes"], 3, &["missing"]);
}

#[test]
fn a_dry_run_says_what_would_be_done() {
    let folder = folder();
    let trace = mixed(folder.path());
    let file = folder.path().join("drive.bin");
    let more = ["--map", "compact", "--precondition", "fill", "--file-size", "1MiB", "--dry-run"];
    let shown = replay(&trace, text(&file), &more).with_code(0).stdout;
    for words in ["262 kB would be written first", "100 writes (410 kB)", "Nothing was done"] {
        assert!(shown.contains(words), "{words:?} is not in {shown}");
    }
    assert!(!file.exists());
}

/// Eight writes within 64 KiB, and two discards.
fn with_discards(folder: &Path) -> PathBuf {
    let mut log = "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n".to_owned();
    for number in 0..8 {
        let _ = writeln!(log, "{} /dev/sda write {} 4096", number * 1_000, number * 8_192);
    }
    log += "9000 /dev/sda trim 0 4096\n9500 /dev/sda trim 8192 4096\n";
    let (source, trace) = (folder.join("source.log"), folder.join("discards"));
    fs::write(&source, log).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

#[test]
fn discards_are_refused_before_the_fill_where_the_target_takes_none() {
    let folder = folder();
    let (trace, run) = (with_discards(folder.path()), folder.path().join("run"));
    for target in ["sim:consistent?size=1GiB&trim=false", "sim:hdd-7200?size=1GiB"] {
        let words = ["the trace has discards", "takes no discards", "--no-discards"];
        replay(&trace, target, &["--precondition", "fill", "-o", text(&run)]).fails_in_one_line(3, &words);
        replay(&trace, target, &["--dry-run"]).fails_in_one_line(3, &words);
        assert!(!run.exists(), "nothing was begun");
    }
    let document = replay(&trace, "sim:consistent?size=1GiB", &["--json"]).with_code(0).json();
    assert_eq!(
        findings(&document)["replayed"]["requests"]["discard"],
        2,
        "where there is TRIM they are replayed"
    );
}

#[test]
fn discards_that_are_left_out_are_counted_wherever_a_replay_is_shown() {
    let folder = folder();
    let (trace, run) = (with_discards(folder.path()), folder.path().join("run"));
    let target = "sim:consistent?size=1GiB&trim=false";
    let planned = replay(&trace, target, &["--no-discards", "--dry-run"]).with_code(0).stdout;
    assert!(planned.contains("2 discards left out"), "{planned}");
    let shown = replay(&trace, target, &["--no-discards", "-o", text(&run)]).with_code(0).stdout;
    assert!(shown.contains("Left out of the trace: 2 discards."), "{shown}");
    let document = replay(&trace, target, &["--no-discards", "--json"]).with_code(0).json();
    let found = findings(&document);
    let made = &found["replayed"]["requests"]["discard"];
    assert_eq!((&found["trace"]["left_out"]["discards"], made), (&2.into(), &0.into()));
    let (page, tables) = (folder.path().join("page.html"), folder.path().join("tables"));
    drivelab(&["report", text(&run), "--report", text(&page), "--csv", text(&tables)]).with_code(0);
    assert_eq!(column(&tables, "requests_of_the_trace_that_were_left_out_discards"), ["2"]);
}

#[test]
fn what_takes_no_discards_is_known_of_real_targets() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let trace = with_discards(folder.path());
    let device = Loop::without_discards(16);
    let before = device.checksum();
    let serial = device.serial();
    let fill = ["--precondition", "fill", &serial];
    replay(&trace, device.text(), &fill).fails_in_one_line(3, &["discard_max_bytes", "--no-discards"]);
    assert_eq!(device.checksum(), before, "nothing was written");
    replay(&trace, device.text(), &["--precondition", "fill", &serial, "--no-discards"]).with_code(0);
    // The image of that device lies where no file has holes; a file on a usual file system takes discards.
    let [without, with] =
        [&device.image, &folder.path().join("any")].map(|path| path.with_file_name("drive.bin"));
    for file in [&without, &with] {
        fs::write(file, vec![0xa5; 1 << 20]).expect("room");
    }
    let before = checksum(&without);
    let given_up = ["--destroy-data"];
    replay(&trace, text(&without), &given_up).fails_in_one_line(3, &["no holes", "--no-discards"]);
    assert_eq!(checksum(&without), before, "nothing was written");
    replay(&trace, text(&with), &given_up).with_code(0);
    let load = ["load", device.text(), "--rw", "discard", &serial, "--destroy-data"];
    drivelab(&load).fails_in_one_line(3, &["discard_max_bytes", "--rw"]);
    let load = ["load", "sim:hdd-7200", "--rw", "discard"];
    drivelab(&load).fails_in_one_line(3, &["no TRIM", "--rw"]);
    drivelab(&[&load[..], &["--dry-run"]].concat()).fails_in_one_line(3, &["no TRIM", "--rw"]);
}

/// Replays in every timing, each of which has to ask all and lose nothing.
fn replay_every_way(trace: &Path, target: &Path, confirmation: &[&str]) {
    for timing in ["recorded", "dependent", "unpaced"] {
        let more = ["--map", "compact", "--timing", timing, "--destroy-data", "--json"];
        devices::wait_until_free(target);
        let document = replay(trace, text(target), &[&more, confirmation].concat()).with_code(0).json();
        let found = findings(&document);
        let requests = &found["replayed"]["requests"];
        assert_eq!((&requests["read"], &requests["write"]), (&200.into(), &100.into()), "{timing}");
        assert_eq!(
            (&found["ios"]["records"]["failed"], &found["ios"]["records"]["lost"]),
            (&0.into(), &0.into()),
            "{timing}"
        );
        assert_eq!(found["replayed"]["fidelity"]["inversions"], 0, "{timing}");
    }
}

#[test]
fn real_targets_are_asked_in_every_timing() {
    let folder = folder();
    let trace = mixed(folder.path());
    let file = folder.path().join("drive.bin");
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    replay_every_way(&trace, &file, &[]);
    if devices::zram_can_be_made() {
        let device = Zram::new(16, None);
        replay_every_way(&trace, &device.node, &[&device.serial()]);
    }
    if devices::loops_can_be_made() {
        let device = Loop::with(16, &["--sector-size", "4096"], |_| {});
        replay_every_way(&trace, &device.node, &[&device.serial()]);
    }
}

#[test]
fn a_replay_without_writes_needs_no_clearance_and_changes_nothing() {
    let folder = folder();
    let trace = mixed(folder.path());
    let file = folder.path().join("drive.bin");
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    let before = checksum(&file);
    replay(&trace, text(&file), &["--map", "compact", "--no-writes"]).with_code(0);
    assert_eq!(checksum(&file), before);
    replay(&trace, text(&file), &["--map", "compact", "--no-writes", "--precondition", "fill"]).with_code(4);
    assert_eq!(checksum(&file), before);
}

#[test]
fn small_blocks_are_widened_on_a_target_of_large_ones() {
    let folder = folder();
    let row = |number: u64| (number * 1_000, 0, true, number * 512, 512, 1_000);
    let trace = imported(folder.path(), (0..64).map(row));
    let target = "sim:consistent?size=1GiB&logical_block=4096";
    let document = replay(&trace, target, &["--json"]).with_code(0).json();
    let found = findings(&document);
    let written = &found["replayed"]["bytes"]["write"];
    assert_eq!((&found["handling"]["widened"], written), (&64.into(), &(64 * 4096).into()));
    assert_eq!(found["ios"]["records"]["failed"], 0);
}

#[test]
fn an_interrupted_replay_keeps_what_there_is() {
    let folder = folder();
    let row = |number: u64| (number * 100_000, 0, false, number % 64 * 4096, 4096, 1_000);
    let trace = imported(folder.path(), (0..6_000).map(row));
    let (file, run) = (folder.path().join("drive.bin"), folder.path().join("run"));
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    let mut command = common::program();
    command.args(["replay", text(&trace), text(&file), "--json", "-o", text(&run)]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("drivelab starts");
    assert!(devices::eventually(|| run.join("segments/000000.tail").exists()), "records come");
    let id = i32::try_from(child.id()).expect("a process").to_string();
    devices::run("kill", &["-INT", &id]);
    let output = {
        use std::io::Read as _;
        let mut text = String::new();
        child.stdout.take().expect("stdout").read_to_string(&mut text).expect("text");
        (child.wait().expect("it ends").code(), text)
    };
    assert_eq!(output.0, Some(130));
    let document: Value = serde_json::from_str(&output.1).expect("a document");
    let found = findings(&document);
    let replayed = found["replayed"]["requests"]["read"].as_u64().expect("a count");
    assert!(
        document["run"]["outcome"]["interrupted"] == true && (1..6_000).contains(&replayed),
        "{document}"
    );
    assert!(found["against_trace"].is_null(), "a part is not compared with the whole");
    assert_eq!(manifest(&run)["outcome"]["completions"].as_u64(), Some(replayed));
}

#[test]
fn replays_on_one_page_have_one_threshold_of_slow_ios() {
    let folder = folder();
    let trace = plain(folder.path());
    let [quick, slow] = ["quick", "slow"].map(|name| folder.path().join(name));
    replay(&trace, "sim:consistent?size=1GiB", &["-o", text(&quick)]).with_code(0);
    let stalls = "sim:consistent?size=1GiB&delay_every=50kB&delay=40ms";
    let alone = replay(&trace, stalls, &["-o", text(&slow), "--slow", "25ms", "--json"]).with_code(0).json();
    let alone = findings(&alone);
    let writes = &alone["replayed"]["slow_ios"]["write"];
    assert_eq!((&writes["threshold_ms"], &writes["threshold_chosen"]), (&25.0.into(), &"asked".into()));
    let page = folder.path().join("both.html");
    let tables = folder.path().join("tables");
    let report = ["report", text(&quick), text(&slow), "--report", text(&page), "--csv", text(&tables)];
    let reported = |more: &[&str]| {
        let _ = fs::remove_file(&page);
        let said = drivelab(&[&report[..], more].concat()).with_code(0).stdout;
        (said.split_whitespace().collect::<Vec<_>>().join(" "), column(&tables, "slow_ios_slow_from_ns"))
    };
    let (said, slow_from) = reported(&[]);
    assert!(said.contains("the same for all that are compared"), "{said}");
    assert_eq!(slow_from[0], slow_from[1]);
    assert!(slow_from[0].parse::<f64>().is_ok_and(|limit| limit >= 10e6), "{slow_from:?}");
    // The documents have the page's threshold, and not that of each result.
    let documents = drivelab(&["report", text(&quick), text(&slow), "--json"]).with_code(0).json();
    for document in documents.as_array().expect("a document each") {
        let slow = &findings(document)["replayed"]["slow_ios"];
        for direction in ["read", "write"] {
            let limit = slow[direction]["threshold_ms"].as_f64().map(|limit| (limit * 1e6).to_string());
            assert_eq!(limit.as_ref(), Some(&slow_from[0]), "{direction}");
        }
    }
    let (said, slow_from) = reported(&["--slow", "25ms"]);
    assert!(said.contains("Slow means 25.0 ms or more, as asked with --slow."), "{said}");
    assert_eq!(slow_from, ["25000000", "25000000"]);
}
