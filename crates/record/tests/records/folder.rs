//! A run's folder, written and read back: whole, killed, damaged.

use std::fs;
use std::num::NonZeroU64;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use drivelab_block::{
    Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status, TracedIo,
};
use drivelab_documents::{
    ClockTime, Drive, KernelLine, KernelLog, MANIFEST_SCHEMA, Manifest, MeasuredPhases, Notice, Outcome,
    Phase, Started,
};
use drivelab_record::{GaugeReader, RecordError, RecordWriter, RunFolder, RunReader, SortedReader};
use drivelab_stats::{LoopKind, Standstill, StandstillCause};
use proptest::prelude::*;

use crate::support::manifest;

fn completion(number: u64) -> Completion {
    let at = Instant::from_nanos(number * 1_000);
    Completion {
        intended_at: at,
        submitted_at: at,
        // In each row group, in none, or in some rows.
        issued_at: NonZeroU64::new(number + 1)
            .filter(|_| number >> 17 == 1 || number.is_multiple_of(3) && number >> 17 > 2),
        completed_at: Instant::from_nanos(number * 1_000 + 70_000 + number % 4099),
        extent: Extent { start: Sector::new(number * 7919 % 1_000_000 * 8), length: SectorCount::new(8) },
        status: if number.is_multiple_of(1_000) { Status::errno(5) } else { Status::OK },
        queue: QueueId(0),
        op: Op::Write,
        phase: PhaseId(0),
    }
}

fn write(path: &Path, count: u64) -> Vec<Completion> {
    let completions: Vec<Completion> = (0..count).map(completion).collect();
    let (_, mut writer) = RunFolder::create(path, &manifest()).expect("a new folder");
    completions.chunks(10_007).for_each(|chunk| writer.append(chunk));
    let written = writer.finish();
    assert_eq!((written.records, written.lost), (count, 0), "{written:?}");
    completions
}

fn read(path: &Path) -> Result<(Vec<Completion>, String), RecordError> {
    let (folder, _) = RunFolder::open(path)?;
    let mut reader = RunReader::open(&folder.segments())?;
    let mut all = Vec::new();
    while let Some(batch) = reader.next_batch() {
        assert!(!batch.is_empty() && batch.len() <= 1 << 12, "a few thousand at a time: {}", batch.len());
        all.extend(batch);
    }
    Ok((all, reader.faults().join("; ")))
}

/// What is read of a run that has no fault.
fn read_whole(path: &Path) -> Vec<Completion> {
    let (all, faults) = read(path).expect("readable");
    assert_eq!(faults, "");
    all
}

fn segments(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path.join("segments")).expect("the segments");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[test]
fn what_was_written_over_several_segments_is_read_back_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    let written = write(&path, 1_300_000);
    assert_eq!(segments(&path).len(), 2);
    assert!(read_whole(&path) == written);
}

#[test]
fn a_folder_that_holds_something_is_never_written_to() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("notes.txt"), "mine").expect("room on disk");
    let refused = RunFolder::create(folder.path(), &manifest()).map(drop);
    assert!(matches!(refused, Err(RecordError::NotEmpty { .. })));
    assert!(fs::read_dir(folder.path()).expect("the folder").count() == 1);
}

#[test]
fn a_tail_is_read_unless_its_segment_became_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    let written = write(&path, 100);
    // What a kill between the rename and the removal of the tail leaves.
    fs::write(path.join("segments/000000.tail"), b"drivelab tail 3\n").expect("room on disk");
    assert!(read_whole(&path) == written);
}

#[test]
fn a_segment_cut_short_is_a_fault_that_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    write(&path, 1_000);
    let segment = segments(&path).remove(0);
    let whole = fs::read(&segment).expect("the segment");
    for cut in [0, 3, whole.len() / 2, whole.len() - 1] {
        fs::write(&segment, &whole[..cut]).expect("room on disk");
        let (_, faults) = read(&path).expect("the rest is readable");
        assert!(faults.contains("000000.parquet is damaged") && faults.lines().count() == 1, "{faults}");
    }
}

#[test]
fn a_segment_that_is_gone_is_a_fault_and_the_others_are_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    write(&path, 3 << 20);
    fs::remove_file(path.join("segments/000001.parquet")).expect("a segment");
    let (rest, faults) = read(&path).expect("the rest is readable");
    assert_eq!((rest.len(), faults.as_str()), (2 << 20, "segments/000001.parquet is not there"));
    fs::remove_file(path.join("segments/000000.parquet")).expect("a segment");
    let (_, faults) = read(&path).expect("the rest is readable");
    assert_eq!(faults, "segments/000000.parquet to 000001 are not there");
    fs::remove_dir_all(path.join("segments")).expect("the segments");
    let (nothing, faults) = read(&path).expect("there is nothing to read");
    assert_eq!((nothing.len(), faults.as_str()), (0, "the folder segments is not there"));
}

#[test]
fn a_manifest_of_another_version_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("run.json"), br#"{"schema": "drivelab.run/99"}"#).expect("room on disk");
    let error = RunFolder::open(folder.path()).map(drop).expect_err("another version").to_string();
    assert!(error.contains("drivelab.run/99") && error.contains(MANIFEST_SCHEMA), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_segment_is_a_fault_and_no_panic(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        let written = write(&path, 500);
        let segment = segments(&path).remove(0);
        let mut bytes = fs::read(&segment).expect("the segment");
        for (place, value) in places {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        fs::write(&segment, bytes).expect("room on disk");
        // Whatever the damage: what is believed is what was written.
        let (found, faults) = read(&path).expect("readable");
        prop_assert!(!faults.is_empty() || found == written);
    }

    #[test]
    fn any_bytes_as_tail_or_manifest_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        write(&path, 1);
        let tail = [b"drivelab tail 3\n".as_slice(), &bytes].concat();
        fs::write(path.join("segments/000001.tail"), tail).expect("room on disk");
        let (found, faults) = read(&path).expect("readable");
        prop_assert_eq!(found.len(), 1);
        // A block begins with 20 bytes; where these end in zeros, to the end of the file, a power cut tore them.
        let is_torn = bytes.iter().rposition(|byte| *byte != 0).is_none_or(|last| last < 19);
        prop_assert_eq!(faults.is_empty(), is_torn);
        fs::write(path.join("run.json"), &bytes).expect("room on disk");
        prop_assert!(RunFolder::open(&path).is_err());
    }
}

#[test]
fn the_oldest_segments_make_room_for_the_newest() {
    const ROWS: u64 = 3 << 20;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
    let io = |number| TracedIo::new(Instant::from_nanos(number), Op::Read, extent);
    let ios: Vec<TracedIo> = (0..ROWS).map(io).collect();
    let mut writer = RecordWriter::<TracedIo>::new(folder.path().to_owned());
    // Less than two segments.
    writer.keep_at_most(1);
    ios.chunks(1 << 16).for_each(|chunk| writer.append(chunk));
    let written = writer.finish();
    assert_eq!((written.records, written.removed, written.first_segment), (1 << 20, 2 << 20, 2));
    let mut reader =
        SortedReader::<TracedIo>::open(folder.path(), written.first_segment).expect("the folder");
    let first = reader.next_batch().and_then(|batch| batch.first().copied());
    assert_eq!(first, Some(io(2 << 20)));
    assert_eq!(reader.faults(), Vec::<String>::new(), "what was removed is not missing");
}

#[test]
fn whatever_a_manifest_says_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    let (kept, _) = RunFolder::create(&path, &manifest()).expect("a new folder");
    let line = KernelLine { at_ns: 7, text: "ata1: hard resetting link".to_owned(), meaning: Vec::new() };
    let logs = [
        KernelLog { lines: vec![line.clone()], left_out: 0 },
        KernelLog { lines: Vec::new(), left_out: 3 },
        KernelLog { lines: vec![line], left_out: 1 },
    ];
    for kernel_log in logs {
        let outcome = Some(Outcome { left_out: 5, failed: 2, ..Outcome::default() });
        let note = Some("in the rack".to_owned());
        let said = Manifest { kernel_log, outcome, note, ..manifest() };
        kept.save(&said).expect("room on disk");
        assert_eq!(RunFolder::open(&path).expect("a run").1, said);
    }
}

#[test]
fn a_run_is_told_from_others_by_what_was_asked_and_not_by_what_it_is_called_or_says() {
    let at = ClockTime::new(1_000_000_000, 0).expect("a time");
    let started = Started { at, machine: "lab".to_owned(), machine_id: None };
    let others = [
        Manifest { method: "pts".to_owned(), ..manifest() },
        Manifest { target: "sim:other".to_owned(), ..manifest() },
        Manifest { drive: Drive { size_bytes: 1, ..Drive::default() }, ..manifest() },
        Manifest { seed: 2, ..manifest() },
        Manifest { started: Some(started), ..manifest() },
        Manifest { settings: serde_json::json!({"queue_depth": 2}), ..manifest() },
    ];
    let id = manifest().id();
    assert!(id.len() == 16 && id.chars().all(|digit| digit.is_ascii_hexdigit()), "{id}");
    let ids: Vec<String> = others.iter().map(Manifest::id).chain([id.clone()]).collect();
    let different: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(different.len(), 7, "{ids:?}");
    let notices = vec![Notice::failure("something failed")];
    let same =
        Manifest { label: "another".to_owned(), note: Some("a note".to_owned()), notices, ..manifest() };
    assert_eq!(same.id(), id);
    assert_eq!((same.has_failed(), manifest().has_failed()), (true, false));
}

#[test]
fn the_size_of_the_records_is_that_of_their_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    write(&path, 1_000);
    let (kept, _) = RunFolder::open(&path).expect("a run");
    let sizes = segments(&path).iter().map(|file| fs::metadata(file).expect("a file").len()).sum::<u64>();
    assert!(kept.records_bytes() == sizes && sizes > 1_000, "{sizes}");
    fs::remove_dir_all(path.join("segments")).expect("the segments");
    assert_eq!(kept.records_bytes(), 0);
}

#[test]
fn what_the_system_does_not_give_is_no_missing_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    write(&path, 1_000);
    fs::create_dir(path.join("segments/000001.tail")).expect("room on disk");
    let (left, faults) = read(&path).expect("the rest is readable");
    assert!(left.len() == 1_000 && faults.starts_with("segments/000001.tail cannot be read ("), "{faults}");
    assert!(GaugeReader::open(&path).is_err(), "a folder is no file of readings");
    assert!(GaugeReader::open(&path.join("none")).is_ok_and(|found| found.is_none()));
    fs::remove_dir_all(path.join("segments")).expect("the segments");
    fs::write(path.join("segments"), "x").expect("room on disk");
    assert!(RunReader::open(&path.join("segments")).is_err(), "a file is no folder of segments");
}

#[test]
fn a_segment_that_the_system_does_not_give_is_not_called_damaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run");
    write(&path, 1_000);
    symlink("nowhere", path.join("segments/000001.parquet")).expect("room on disk");
    let (left, faults) = read(&path).expect("the rest is readable");
    let expected = "segments/000001.parquet cannot be read (No such file or directory (os error 2))";
    assert_eq!((left.len(), faults.as_str()), (1_000, expected));
}

#[test]
fn a_run_stood_still_as_far_as_its_measured_phases_have_ended() {
    let phase = |name: &str, started_at_ns: u64, ended_at_ns: Option<u64>| Phase {
        name: name.to_owned(),
        loop_label: LoopKind::Closed,
        started_at_ns,
        ended_at_ns,
        unsent: Vec::new(),
        silences: Vec::new(),
        written: None,
        workers: None,
    };
    let cause = StandstillCause::Suspended;
    let run = Manifest {
        measured: MeasuredPhases::Phase("load".to_owned()),
        phases: vec![
            phase("fill", 0, Some(1_000)),
            phase("load", 1_000, Some(2_000)),
            phase("load", 2_000, None),
        ],
        standstills: vec![Standstill {
            from: Instant::from_nanos(500),
            until: Instant::from_nanos(1_250),
            cause,
            queue: None,
        }],
        ..manifest()
    };
    let stood = run.stood_still().expect("a standstill");
    assert_eq!((stood.count, stood.total.get(), stood.causes), (1, 750, vec![cause]));
    assert!((stood.measured_share - 0.25).abs() < 1e-12);
    assert_eq!(run.standstills().covered(Instant::ORIGIN, Instant::from_nanos(1_000)).get(), 500);
    assert_eq!(manifest().stood_still(), None);
}
