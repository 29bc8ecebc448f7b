//! Replays that do not come to their end: what they keep, what a report says of them, and that none is ranked.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::common::devices::eventually;
use crate::common::running::Running;
use crate::common::{assert_fits, drivelab, folder, text};
use rustix::process::Signal;
use serde_json::Value;

const REPLAY: &str = include_str!("../../../kinds/schemas/drivelab.replay-3.json");
/// Reads of the trace: a minute of them.
const READS: u64 = 6_000;

/// A trace of reads 10 ms apart, all over 1 MiB.
fn minute(folder: &Path) -> PathBuf {
    let mut rows = String::new();
    for number in 0..READS {
        let at = 128_166_372_003_061_629 + number * 100_000;
        let _ = writeln!(rows, "{at},host,0,Read,{},4096,1000", number * 7 % 256 * 4096);
    }
    let (source, trace) = (folder.join("source.csv"), folder.join("trace"));
    fs::write(&source, rows).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

/// A replay under way on a file, whose first records are there, and its folder.
fn under_way(folder: &Path, trace: &Path) -> (Running, PathBuf) {
    let (file, run) = (folder.join("drive.bin"), folder.join("run"));
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    let running = Running::start(&["replay", text(trace), text(&file), "--json", "-o", text(&run)]);
    assert!(eventually(|| run.join("segments/000000.tail").exists()), "records come");
    (running, run)
}

/// The findings of a document, which fits its schema.
#[track_caller]
fn findings(document: &Value) -> Value {
    assert_fits(REPLAY, document);
    document["findings"].clone()
}

/// What a report of this replay finds; it ends as a failed check.
#[track_caller]
fn reported(run: &Path) -> Value {
    findings(&drivelab(&["report", text(run), "--json"]).with_code(1).json())
}

/// How many reads were replayed, as findings say.
fn reads(found: &Value) -> u64 {
    found["replayed"]["requests"]["read"].as_u64().expect("a count")
}

/// The summary of this replay next to a whole one of the same trace, in which nothing is marked as the best.
fn next_to_a_whole_one(folder: &Path, (trace, run): (&Path, &Path), speed: &str) -> String {
    let whole = folder.join("whole");
    let asked = ["replay", text(trace), "sim:consistent?size=1GiB", "--speed", speed, "-o", text(&whole)];
    drivelab(&asked).with_code(0);
    let page = folder.join("both.html");
    let both = ["report", text(&whole), text(run), "--report", text(&page)];
    let shown = drivelab(&both).with_code(1).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("Replay of") && !shown.contains('✓'), "{shown}");
    assert!(shown.contains("Not all did what was asked for to its end"), "{shown}");
    assert!(!fs::read_to_string(page).expect("a page").contains("class=\"number best"));
    shown
}

#[test]
fn an_interrupted_replay_is_reported_as_far_as_it_came() {
    let folder = folder();
    let trace = minute(folder.path());
    let (running, run) = under_way(folder.path(), &trace);
    running.signal(Signal::INT);
    let found = findings(&running.ends().with_code(130).json());
    assert!((1..READS).contains(&reads(&found)), "{found}");
    assert_eq!((&found["trace"]["requests"], &found["against_trace"]), (&READS.into(), &Value::Null));
    assert_eq!(reported(&run), found);
    let shown = next_to_a_whole_one(folder.path(), (&trace, &run), "1");
    assert!(shown.contains("interrupted"), "{shown}");
}

#[test]
fn a_killed_replay_has_its_records_and_says_what_is_missing() {
    let folder = folder();
    let trace = minute(folder.path());
    let (running, run) = under_way(folder.path(), &trace);
    running.kill();
    let found = reported(&run);
    assert!((1..READS).contains(&reads(&found)), "{found}");
    for missing in ["trace", "handling", "against_trace"] {
        assert_eq!(found[missing], Value::Null, "{missing} is known at the end");
    }
    let shown = next_to_a_whole_one(folder.path(), (&trace, &run), "1");
    for words in ["did not end by itself", "these are missing", "Replay the trace again"] {
        assert!(shown.contains(words), "{words:?} is not in {shown}");
    }
}

#[test]
fn a_replay_whose_drive_fails_goes_on_and_fails_its_check() {
    let folder = folder();
    let trace = minute(folder.path());
    let (file, run) = (folder.path().join("drive.bin"), folder.path().join("run"));
    fs::write(&file, vec![0xa5; 1 << 20]).expect("room on disk");
    // Twenty times as fast, so that the end is soon there.
    let more = ["--speed", "20", "--json", "-o", text(&run)];
    let running = Running::start(&[&["replay", text(&trace), text(&file)], &more[..]].concat());
    assert!(eventually(|| run.join("segments/000000.tail").exists()), "records come");
    let shorter = File::options().write(true).open(&file).and_then(|file| file.set_len(4096));
    shorter.expect("a shorter file");
    let found = findings(&running.ends().with_code(1).json());
    let failed = found["ios"]["records"]["failed"].as_u64().expect("a count");
    assert!((1..READS).contains(&failed), "{found}");
    assert_eq!(reads(&found), READS, "all were made");
    assert_eq!(reported(&run), found);
    next_to_a_whole_one(folder.path(), (&trace, &run), "20");
}
