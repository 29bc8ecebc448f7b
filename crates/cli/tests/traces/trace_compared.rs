//! What is compared with what: traces with each other, a replay with its trace, and one population of I/Os in a table.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{drivelab, folder, text};
use serde_json::Value;

/// A request: when it was asked for, issued and completed, in microseconds; the first may be unknown.
struct Row {
    queued: Option<u64>,
    issued: u64,
    completed: u64,
    sector: u64,
    sectors: u32,
}

/// A trace of reads, imported from blkparse's text: its times are D2C.
fn imported(folder: &Path, name: &str, rows: &[Row]) -> PathBuf {
    imported_as("RS", folder, name, rows)
}

/// The same of requests that the kernel names by these letters.
fn imported_as(letters: &str, folder: &Path, name: &str, rows: &[Row]) -> PathBuf {
    let mut events: Vec<(u64, char, &Row)> = Vec::new();
    for row in rows {
        events.extend(row.queued.map(|at| (at, 'Q', row)));
        events.extend([(row.issued, 'D', row), (row.completed, 'C', row)]);
    }
    events.sort_by_key(|(at, ..)| *at);
    let mut lines = String::new();
    for (at, what, row) in events {
        let last = if what == 'C' { "0" } else { "fio" };
        let (seconds, micros) = (at / 1_000_000, at % 1_000_000);
        let (sector, sectors) = (row.sector, row.sectors);
        let _ = writeln!(
            lines,
            "  8,0 3 1 {seconds}.{micros:06}000 697 {what} {letters} {sector} + {sectors} [{last}]"
        );
    }
    let (source, trace) = (folder.join(format!("{name}.txt")), folder.join(name));
    fs::write(&source, lines).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

/// As many reads of 4 KiB, 10 ms apart, each of which takes these microseconds.
fn reads(count: u64, took: u64) -> Vec<Row> {
    let row = |number: u64| {
        let issued = 1_000 + number * 10_000;
        Row { queued: None, issued, completed: issued + took, sector: number * 8, sectors: 8 }
    };
    (0..count).map(row).collect()
}

fn words(shown: &str) -> String {
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn show(arguments: &[&Path]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(|path| text(path)).collect();
    words(&drivelab(&[&["trace", "show"][..], &arguments].concat()).with_code(0).stdout)
}

/// The program says which trace is faster exactly where it marks the best values, and says why where it does neither.
#[test]
fn traces_are_ranked_only_where_they_were_asked_for_alike() {
    let folder = folder();
    let quick = imported(folder.path(), "quick", &reads(200, 1_000));
    let slow = imported(folder.path(), "slow", &reads(200, 2_010));
    let alike = show(&[&quick, &slow]);
    assert!(alike.contains("2.01 times as fast") && alike.contains('✓'), "{alike}");
    assert!(!alike.contains("different loads"), "{alike}");
    let fewer = imported(folder.path(), "fewer", &reads(150, 2_010));
    let differ = show(&[&quick, &fewer]);
    assert!(!differ.contains("times as fast") && !differ.contains('✓'), "{differ}");
    assert!(differ.contains("The traces are of different loads"), "{differ}");
    // A replay at the trace's own times asks for the same, and one that keeps a number in flight does not.
    let replay = |name: &str, more: &[&str]| {
        let run = folder.path().join(name);
        let arguments = ["replay", text(&quick), "sim:consistent?size=1GiB", "-o", text(&run)];
        drivelab(&[&arguments[..], more].concat()).with_code(0);
        run
    };
    let (timed, unpaced) = (replay("timed", &[]), replay("unpaced", &["--timing", "unpaced"]));
    let again = show(&[&quick, &timed]);
    assert!(again.contains("times as fast") && !again.contains("different loads"), "{again}");
    let other = show(&[&quick, &unpaced]);
    assert!(!other.contains("times as fast") && other.contains("different loads"), "{other}");
    // The times of MSR's format have the wait above the device: those of a simulated drive have none.
    let rows =
        |number: u64| format!("{},h,0,Read,{},4096,10000\n", (1 << 57) + number * 100_000, number * 4096);
    let (source, waits) = (folder.path().join("msr.csv"), folder.path().join("msr"));
    fs::write(&source, (0..200).map(rows).collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&waits)]).with_code(0);
    let spans = show(&[&quick, &waits]);
    assert!(!spans.contains("times as fast") && spans.contains("do not span the same (D2C, Q2C)"), "{spans}");
}

/// Of 300 reads 40 have a known wait, and those are the quick ones.
#[test]
fn response_times_of_some_ios_stand_apart_from_the_service_times_of_all() {
    let folder = folder();
    let mut rows = reads(300, 8_000);
    for row in rows.iter_mut().step_by(10).take(40) {
        row.queued = Some(row.issued - 500);
        row.completed = row.issued + 1_000;
    }
    let asked = rows.iter().filter(|row| row.queued.is_some()).count();
    let some = imported(folder.path(), "some", &rows);
    let shown = show(&[&some]);
    let (all, apart) = shown.split_once("Reads, response time").expect("response times");
    assert!(all.contains("8.00 ms") && !all.contains("1.50 ms"), "{shown}");
    assert!(apart.starts_with(&format!(" I/Os {asked} mean 1.50 ms")), "{shown}");
    assert!(shown.contains("the service times above are of more I/Os"), "{shown}");
    // Where all are known, they are one population and stand in one table.
    rows.iter_mut().for_each(|row| row.queued = Some(row.issued - 500));
    let all = imported(folder.path(), "all", &rows);
    assert!(!show(&[&all]).contains("the service times above are of more"), "one population");
}

/// Two reads of 400 ms that overlap by 100 ms, and one 50 ms later: one wait of 950 ms, whose longest I/O took 400 ms.
#[test]
fn a_wait_is_a_time_in_which_programs_waited() {
    let folder = folder();
    let row = |(number, issued, took): (u64, u64, u64)| Row {
        queued: None,
        issued: issued * 1_000,
        completed: (issued + took) * 1_000,
        sector: number * 8,
        sectors: 8,
    };
    let trace = [(1, 1_000, 400), (2, 1_300, 400), (3, 1_750, 200), (4, 9_000, 1)].map(row);
    let trace = imported(folder.path(), "trace", &trace);
    let shown = show(&[&trace]);
    let answer = "Programs waited once for 100 ms or longer, 950 ms in all and 950 ms at most";
    assert!(shown.contains(answer), "{shown}");
    let (_, table) = shown.split_once("Who waited, and for what").expect("a table");
    let head = table.split_once("scattered").expect("a row").0;
    assert!(head.contains("I/Os") && head.contains("Longest I/O") && !head.contains("Waits"), "{shown}");
    let document = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json();
    let waiting = &document["findings"]["waiting"];
    assert_eq!((&waiting["spells"], &waiting["waited_s"]), (&1.into(), &0.95.into()));
    assert_eq!(
        waiting["longest_ns"], waiting["worst"][0]["nanos"],
        "the longest wait is the first of the list"
    );
}

/// The findings of a replay of this trace.
fn replayed(trace: &Path, target: &str, more: &[&str]) -> Value {
    let arguments = ["replay", text(trace), target, "--json"];
    drivelab(&[&arguments[..], more].concat()).with_code(0).json()["findings"].clone()
}

/// On a drive that has others slow, the replay counts what the trace counts.
#[test]
fn a_replay_calls_slow_what_its_trace_does() {
    let folder = folder();
    let trace = imported_as("WS", folder.path(), "trace", &reads(1_000, 1_000));
    let own = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json();
    let own = own["findings"]["slow_ios"]["all"]["threshold_ms"].clone();
    assert_eq!(own, 100.0);
    let target = "sim:consistent?size=1GiB&delay_every=100kB&delay=40ms";
    let found = replayed(&trace, target, &[]);
    let slow = &found["replayed"]["slow_ios"]["all"];
    assert_eq!((&slow["threshold_ms"], &slow["threshold_chosen"]), (&own, &"of_trace".into()));
    let found = replayed(&trace, target, &["--slow", "25ms"]);
    assert_eq!(found["replayed"]["slow_ios"]["all"]["threshold_ms"], 25.0);
}

/// 128 reads of 4 MiB at the same time: buffers for fewer would hold some of them back.
#[test]
fn a_replay_has_as_many_in_flight_as_its_trace_had() {
    let folder = folder();
    let row = |number: u64| Row {
        queued: None,
        issued: 1_000 + number,
        completed: 90_000 + number,
        sector: number * 8_192,
        sectors: 8_192,
    };
    let trace = imported(folder.path(), "trace", &(0..128).map(row).collect::<Vec<_>>());
    let found = replayed(&trace, "sim:consistent?size=1GiB", &[]);
    assert_eq!(found["handling"]["queue_depth"], 128);
    assert_eq!(found["handling"]["delayed_sends"], 0);
}

/// Times that span different things are not compared.
#[test]
fn a_replay_is_compared_with_times_that_span_the_same() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", &reads(200, 2_500));
    let found = replayed(&trace, "sim:consistent?size=1GiB", &[]);
    let ratio = found["against_trace"]["service"]["all"]["ratio_of_means"].as_f64().expect("a ratio");
    let mean = found["replayed"]["service_ns"]["all"]["mean"].as_f64().expect("a mean");
    assert!((ratio - mean / 2_500_000.0).abs() < 1e-9, "{ratio} {mean}");
}

/// A name that was given is the name wherever the trace or its replays are shown.
#[test]
fn traces_and_replays_are_called_by_their_labels() {
    let folder = folder();
    let source = imported(folder.path(), "source", &reads(20, 1_000));
    drivelab(&["label", text(&source), "--label", "my desktop"]).with_code(0);
    assert!(show(&[&source]).starts_with("Trace my desktop"), "{}", show(&[&source]));
    let document = drivelab(&["trace", "show", text(&source), "--json"]).with_code(0).json();
    assert_eq!(document["findings"]["trace"], "my desktop");
    let other = folder.path().join("other");
    let text_of = folder.path().join("source.txt");
    let import = ["trace", "import", text(&text_of), "-o", text(&other), "--label", "my desktop"];
    drivelab(&import).with_code(0);
    let both = show(&[&source, &other]);
    for path in [&source, &other] {
        assert!(both.contains(&format!("my desktop ({})", path.display())), "{both}");
    }
    drivelab(&["label", text(&source), "--note", "a remark"]).fails_in_one_line(2, &["takes --label"]);
    let replay = |name: &str, more: &[&str]| {
        let run = folder.path().join(name);
        let arguments = ["replay", text(&source), "sim:consistent?size=1GiB", "-o", text(&run)];
        drivelab(&[&arguments[..], more].concat()).with_code(0);
        run
    };
    let (named, unnamed) = (replay("named", &["--label", "after a year"]), replay("unnamed", &[]));
    let report = drivelab(&["report", text(&named), text(&unnamed)]).with_code(0).stdout;
    assert!(report.contains("after a year") && report.contains("sim:consistent"), "{report}");
}
