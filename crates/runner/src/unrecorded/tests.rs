use std::path::Path;

use drivelab_block::Nanos;
use drivelab_kinds::quick::{Quick, QuickFindings, QuickSettings};
use drivelab_record::RunFolder;

use drivelab_uring::Clock;

use super::*;
use crate::results::open;
use crate::{MeterOptions, Watch, nap, new_manifest};

/// A quick test stands for the kinds: any has settings and findings.
fn start(folder: &Path, write: bool) -> UnrecordedStart<'_, Quick> {
    let settings = QuickSettings { write };
    let destination = Destination { folder: Some(folder), ..Destination::default() };
    let manifest = new_manifest::<Quick>("sim:none", "sim:none".to_owned(), destination.name, &settings);
    UnrecordedStart {
        manifest: Manifest { seed: 7, ..manifest },
        settings,
        destination,
        interrupt: Interrupt::default(),
        surroundings: None,
    }
}

fn findings(read_mb_s: f64) -> QuickFindings {
    QuickFindings { read_mb_s: Some(read_mb_s), ..QuickFindings::default() }
}

fn begin(folder: &Path) -> UnrecordedRun<'_, Quick> {
    UnrecordedRun::begin(start(folder, false), None).expect("a new folder")
}

#[test]
fn a_killed_run_has_what_it_had_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = begin(folder.path());
    run.found(findings(100.0)).expect("kept");
    run.notice(Notice::note("A note."));
    run.notice(Notice::note("A note."));
    run.found(findings(200.0)).expect("kept");
    drop(run);
    let kept = open::<Quick>(folder.path()).expect("a result");
    assert_eq!(kept.ended(), drivelab_kinds::Ended::Killed);
    assert_eq!(kept.findings, findings(200.0));
    assert_eq!(kept.run.notices.len(), 1, "nothing is noted twice");
    assert!(!folder.path().join("segments").exists(), "there are no records");
}

#[test]
fn a_run_on_a_real_machine_is_watched_from_before_it_until_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let meter = MeterOptions { meter: None, volts: None, baseline: Nanos::ZERO, battery: None };
    let clock = Clock::start();
    let surroundings = HostMonitors { device: None, clock, target: Watch::default(), meter: &meter };
    let start = UnrecordedStart { surroundings: Some(surroundings), ..start(folder.path(), false) };
    let interrupt = start.interrupt.clone();
    let mut run = UnrecordedRun::begin(start, None).expect("a new folder");
    nap(Nanos::from_millis(200), &interrupt);
    run.found(findings(100.0)).expect("kept");
    let (ended, _) = run.end(Ok(())).expect("a result");
    let [phase] = ended.run.phases.as_slice() else { panic!("one phase: {:?}", ended.run.phases) };
    assert!(phase.ended_at_ns.is_some_and(|end| end >= phase.started_at_ns + 200_000_000));
    assert!(ended.gauges.iter().any(|gauge| gauge.name == "processors user" && gauge.is_known()));
    let kept = open::<Quick>(folder.path()).expect("a result");
    assert_eq!(kept.gauges.len(), ended.gauges.len(), "read again");
}

#[test]
fn what_was_found_before_a_failure_is_kept_and_the_failure_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = begin(folder.path());
    run.found(findings(100.0)).expect("kept");
    let (_, ended) = run.end(Err(Failure::Environment("no drive".to_owned()))).expect("a result");
    assert!(ended.is_err());
    let kept = open::<Quick>(folder.path()).expect("a result");
    assert_eq!((kept.ended(), &kept.findings), (drivelab_kinds::Ended::BrokeOff, &findings(100.0)));
    assert!(kept.run.has_failed() && kept.run.notices[0].text.contains("no drive"));
    assert!(!folder.path().join("run.json.room").exists(), "the room was used");
    let other = tempfile::tempdir().expect("a folder");
    let nothing = begin(other.path()).finish(Err(Failure::Environment("no drive".to_owned())));
    assert_eq!(nothing.expect_err("nothing to show").to_string(), "no drive");
    assert!(!other.path().join("report.html").exists());
}

#[test]
fn an_interrupted_run_says_so_and_shows_what_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = start(folder.path(), false);
    start.interrupt.raise();
    let mut run = UnrecordedRun::begin(start, None).expect("a new folder");
    run.found(findings(100.0)).expect("kept");
    assert_eq!(run.finish(Ok(())).expect("shown"), Ending::Interrupted);
    let kept = open::<Quick>(folder.path()).expect("a result");
    assert_eq!(kept.ended(), drivelab_kinds::Ended::Interrupted);
    assert!(folder.path().join("report.html").is_file());
}

#[test]
fn a_run_that_goes_on_stays_the_same_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = begin(folder.path());
    run.found(findings(100.0)).expect("kept");
    drop(run);
    let (_, first) = RunFolder::open(folder.path()).expect("a run");
    let resume = |start| {
        let (kept, first) = RunFolder::open_ended(folder.path()).expect("a run");
        UnrecordedRun::begin(start, Some((kept, first)))
    };
    let other = resume(start(folder.path(), true));
    assert!(matches!(other, Err(Failure::Usage(_))), "it was asked for something else");
    let mut later = start(folder.path(), false);
    later.manifest.seed = 9;
    later.manifest.started = crate::started_now();
    let mut run = resume(later).expect("the run");
    run.found(findings(200.0)).expect("kept");
    run.end(Ok(())).expect("a result").1.expect("whole");
    let kept = open::<Quick>(folder.path()).expect("a result");
    assert_eq!((kept.run.id(), kept.run.seed), (first.id(), 7));
    assert_eq!(kept.findings, findings(200.0));
}
