//! `trace record --rollup-to`: what it writes is what an export of the trace writes, whatever happens meanwhile.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::devices::{Loop, events_can_be_had, eventually, loops_can_be_made};
use crate::common::running::{Running, pause};
use crate::common::{Ended, drivelab, folder, text, tree};
use drivelab_export::rollup::{FileLife, Rollup, RollupRow, RollupWriter, visit_rollup};
use rustix::process::Signal;

/// A disk of this many MiB to record, and a folder; none where this machine has no loop devices or no events.
fn machine(mib: u64) -> Option<(Loop, tempfile::TempDir)> {
    (events_can_be_had() && loops_can_be_made()).then(|| (Loop::of_zeros(mib), folder()))
}

/// Starts a recording, and waits until the kernel's events are on.
fn start(disk: &Loop, trace: &Path, to: &Path) -> Running {
    let arguments =
        ["trace", "record", "--device", text(&disk.node), "-o", text(trace), "--rollup-to", text(to)];
    let running = Running::start(&arguments);
    assert!(eventually(|| trace.join("trace.json").exists()), "the recording never began");
    running
}

/// Some thousand reads and writes.
fn work(disk: &Loop) {
    let load = ["load", text(&disk.node), "--queue-depth", "8", "--bytes", "16MiB", "--rw"];
    drivelab(&[&load[..], &["randread"]].concat()).with_code(0);
    drivelab(&[&load[..], &["randwrite", &disk.serial(), "--destroy-data"]].concat()).with_code(0);
}

fn export(trace: &Path, to: &Path) -> Ended {
    drivelab(&["export", text(trace), "--destination", text(to)])
}

/// An export finds everything.
#[track_caller]
fn assert_nothing_is_missing(trace: &Path, to: &Path) {
    let again = export(trace, to).with_code(0);
    assert!(again.stdout.contains(", 0 files written"), "{}", again.stdout);
}

fn rollups(of: &Path) -> Vec<PathBuf> {
    let files = tree(of).into_iter().map(|(path, _)| path);
    files.filter(|path| path.ends_with("rollup.parquet")).map(|path| of.join(path)).collect()
}

fn rows(path: &Path) -> Vec<RollupRow> {
    let (file, mut rollup) = (fs::File::open(path).expect("a rollup"), Rollup::default());
    visit_rollup(file, &mut |row| rollup.add(row.clone())).expect("a rollup");
    rollup.rows().collect()
}

#[test]
fn what_a_recording_writes_is_what_an_export_of_it_writes() {
    let Some((disk, folder)) = machine(64) else { return };
    let at = |name: &str| folder.path().join(name);
    let recorder = start(&disk, &at("trace"), &at("live"));
    work(&disk);
    recorder.signal(Signal::INT);
    let ended = recorder.ends().with_code(0);
    assert!(ended.stderr.contains("rollup: run t"), "{}", ended.stderr);
    export(&at("trace"), &at("exported")).with_code(0);
    assert_eq!(tree(&at("live")).len(), 3, "the rollup, the drives, the row");
    assert!(tree(&at("live")) == tree(&at("exported")), "each byte");
    let counted: u64 = rollups(&at("live")).iter().flat_map(|path| rows(path)).map(|row| row.sums.ios).sum();
    assert!(counted >= 2 * (16 << 20) / 4096, "{counted}");
    assert_nothing_is_missing(&at("trace"), &at("live"));
    drivelab(&["fleet", "report", text(&at("live"))]).with_code(0);
    // The trace is its owner's alone, and the rollup has what the user's mask leaves, as an export's.
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&at("trace")), 0o700);
    for path in rollups(&at("live")) {
        let exported = at("exported").join(path.strip_prefix(at("live")).expect("below it"));
        assert_eq!(mode(&path), mode(&exported));
        assert_eq!(path.parent().map(mode), exported.parent().map(mode));
    }
}

#[test]
fn after_a_kill_an_export_leaves_what_it_leaves_elsewhere() {
    let Some((disk, folder)) = machine(64) else { return };
    let at = |name: &str| folder.path().join(name);
    let recorder = start(&disk, &at("trace"), &at("live"));
    work(&disk);
    pause(Duration::from_millis(1_200));
    export(&at("trace"), &at("live")).fails_in_one_line(2, &["has not ended"]);
    recorder.kill();
    for to in ["live", "exported"] {
        export(&at("trace"), &at(to)).with_code(0);
    }
    assert_eq!(tree(&at("live")).len(), 3);
    assert!(tree(&at("live")) == tree(&at("exported")), "each byte");
    assert_nothing_is_missing(&at("trace"), &at("live"));
    // As a kill leaves it after some hours: a part of the day, and a row that says so.
    let rollup = rollups(&at("live")).remove(0);
    let whole = fs::read(&rollup).expect("a rollup");
    let all = rows(&rollup);
    let run = rollup.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("a name");
    let run = run.strip_prefix("run=").expect("the ID").to_owned();
    let write = |rows: &[RollupRow]| {
        let mut rollup = Rollup::default();
        rows.iter().for_each(|row| rollup.add(row.clone()));
        let mut writer = RollupWriter::new(Vec::new(), FileLife::Replaced).expect("memory");
        writer.append(&rollup).expect("memory");
        writer.finish(&[("drivelab.run", run.clone())]).expect("memory")
    };
    fs::write(&rollup, write(&all[1..])).expect("room");
    export(&at("trace"), &at("live")).with_code(0);
    assert!(fs::read(&rollup).expect("a rollup") == whole, "what was missing is there, and nothing twice");
    // As after the oldest segments were removed: the destination has more than the trace.
    let more = write(&[&all[..], &all[..1]].concat());
    fs::write(&rollup, &more).expect("room");
    export(&at("trace"), &at("live")).with_code(0);
    assert!(fs::read(&rollup).expect("a rollup") == more, "what only the destination has stays there");
}

#[test]
fn a_destination_that_goes_away_costs_nothing_and_is_said_once() {
    let Some((disk, folder)) = machine(64) else { return };
    let at = |name: &str| folder.path().join(name);
    let recorder = start(&disk, &at("trace"), &at("live"));
    work(&disk);
    fs::rename(at("live"), at("unmounted")).expect("a folder");
    recorder.signal(Signal::INT);
    // The first attempt and another one fail.
    pause(Duration::from_secs(3));
    assert!(!at("live").exists(), "nothing is written in the place of what was unmounted");
    fs::rename(at("unmounted"), at("live")).expect("a folder");
    let ended = recorder.ends().with_code(0);
    for said in ["the recording goes on", "is written again", "rollup: run t"] {
        assert_eq!(ended.stderr.matches(said).count(), 1, "{said}: {}", ended.stderr);
    }
    export(&at("trace"), &at("exported")).with_code(0);
    assert!(tree(&at("live")) == tree(&at("exported")), "each byte");
}

#[test]
fn a_destination_that_cannot_be_one_is_refused_before_anything_is_recorded() {
    let Some((disk, folder)) = machine(8) else { return };
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("full")).and_then(|()| fs::write(at("full/other"), "other")).expect("room");
    let (trace, traces) = (at("trace"), at("traces"));
    let record = |to: &Path| {
        let what = ["trace", "record", "--device", text(&disk.node), "-o", text(&trace)];
        drivelab(&[&what[..], &["--rollup-to", text(to)]].concat())
    };
    record(&at("trace/fleet")).fails_in_one_line(2, &["--rollup-to", "outside it"]);
    record(&at("full")).fails_in_one_line(2, &["--rollup-to", "something else than exports"]);
    record(&at("full/other")).fails_in_one_line(2, &["--rollup-to", "it is no folder"]);
    record(Path::new("/proc/fleet")).fails_in_one_line(3, &["/proc/fleet", "cannot be written"]);
    assert!(!at("trace").exists(), "nothing was begun");
    let parent = ["trace", "record", "--new-folder-in", text(&traces)];
    drivelab(&[&parent[..], &["--rollup-to", text(&at("traces/fleet"))]].concat())
        .fails_in_one_line(2, &["--rollup-to", "outside it"]);
    drivelab(&["trace", "record", "-o", text(&trace), "--host", "lab"]).fails_in_the_parser(&["--rollup-to"]);
    assert!(!trace.exists() && !traces.exists(), "nothing was begun");
}
