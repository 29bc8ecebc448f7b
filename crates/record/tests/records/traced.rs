//! The records of a run, read as a trace.

use crate::support;
use drivelab_stats::{LoopKind, Standstill, StandstillCause};
use std::fs;
use std::path::Path;

use drivelab_block::{
    Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Sector, SectorCount, Status, TracedIo,
};
use drivelab_documents::{Manifest, MeasuredPhases, Phase, PhaseRequest};
use drivelab_record::{IssuedWithin, RecordWriter, RunWriter, SortedReader, TracedReader};

/// A run of a closed loop, an open one and another one, in each of which the program stood still from 500 to 600.
fn run() -> Manifest {
    let phase = |name: &str, loop_label| Phase {
        name: name.to_owned(),
        loop_label,
        started_at_ns: 0,
        ended_at_ns: None,
        unsent: Vec::new(),
        silences: Vec::new(),
        written: None,
        workers: None,
    };
    let cause = StandstillCause::Stopped;
    Manifest {
        measured: MeasuredPhases::Phases(vec!["closed".to_owned(), "open".to_owned()]),
        phases: vec![
            phase("closed", LoopKind::Closed),
            phase("open", LoopKind::Open),
            phase("other", LoopKind::Open),
        ],
        standstills: vec![Standstill {
            from: Instant::from_nanos(500),
            until: Instant::from_nanos(600),
            cause,
            queue: None,
        }],
        ..support::manifest()
    }
}

/// An I/O of a phase that was due at a time, was submitted 2 ns later, and took 10 ns.
fn completion(phase: u8, due: u64) -> Completion {
    Completion {
        intended_at: Instant::from_nanos(due),
        submitted_at: Instant::from_nanos(due + 2),
        issued_at: None,
        completed_at: Instant::from_nanos(due + 12),
        extent: Extent { start: Sector::new(due), length: SectorCount::new(8) },
        status: Status::OK,
        queue: QueueId(0),
        op: Op::Read,
        phase: PhaseId(phase),
    }
}

fn io(due: u64, queued_for: Option<u64>, service: Option<u64>) -> TracedIo {
    let extent = Extent { start: Sector::new(due), length: SectorCount::new(8) };
    TracedIo {
        queued_for: queued_for.map(Nanos::new),
        service: service.map(Nanos::new),
        ..TracedIo::new(Instant::from_nanos(due + 2), Op::Read, extent)
    }
}

fn all(reader: &mut TracedReader) -> Vec<TracedIo> {
    std::iter::from_fn(|| reader.next_batch()).flatten().collect()
}

#[test]
fn a_run_read_as_a_trace_has_the_ios_of_its_phases_by_time_with_what_is_known_of_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = RunWriter::new(folder.path().to_owned());
    let (closed, open, other) = (0, 1, 2);
    // As they became known, which is another order than that of their submission.
    let written =
        [(open, 100), (closed, 50), (other, 200), (closed, 495), (open, 590), (other, 300), (open, 900)];
    writer.append(&written.map(|(phase, due)| completion(phase, due)));
    assert_eq!(writer.finish().records, 7);
    let reader = |request: &PhaseRequest| {
        let sorted = SortedReader::open(folder.path(), 0).expect("the folder");
        TracedReader::of_run(sorted, &run(), run().choose_phases(request).expect("such phases"))
    };
    let mut measured = reader(&PhaseRequest::Measured);
    let expected = [
        // Nothing waits in a closed loop.
        io(50, None, Some(10)),
        io(100, Some(2), Some(10)),
        // The program stood still meanwhile.
        io(495, None, None),
        io(590, None, None),
        io(900, Some(2), Some(10)),
    ];
    assert_eq!((all(&mut measured), measured.left_out()), (expected.to_vec(), 2));
    assert_eq!(measured.faults(), Vec::<String>::new());
    let mut of_other = reader(&PhaseRequest::Named("other".to_owned()));
    assert_eq!(all(&mut of_other), [io(200, Some(2), Some(10)), io(300, Some(2), Some(10))]);
    assert_eq!(of_other.left_out(), 5);
}

#[test]
fn a_batch_of_phases_that_are_not_taken_is_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = RunWriter::new(folder.path().to_owned());
    let completions: Vec<Completion> =
        (0..10_000).map(|number| completion(u8::from(number < 9_000) * 2, number * 1_000 + 1_000)).collect();
    writer.append(&completions);
    assert_eq!(writer.finish().records, 10_000);
    let sorted = SortedReader::open(folder.path(), 0).expect("the folder");
    let chosen = run().choose_phases(&PhaseRequest::Measured).expect("such phases");
    let mut reader = TracedReader::of_run(sorted, &run(), chosen);
    let first = reader.next_batch().expect("what was measured");
    assert_eq!(first[0], io(9_001_000, None, Some(10)));
    assert_eq!((first.len() + all(&mut reader).len(), reader.left_out()), (1_000, 9_000));
}

#[test]
fn a_part_of_a_trace_has_all_that_was_issued_within_it_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each is issued 2 ns after it was due.
    let ios: Vec<TracedIo> = (0..20_000).map(|due| io(due, None, None)).collect();
    let mut writer = RecordWriter::<TracedIo>::new(folder.path().to_owned());
    writer.append(&ios);
    assert_eq!(writer.finish().records, 20_000);
    let part = |within: Option<IssuedWithin>| {
        let sorted = SortedReader::<TracedIo>::open(folder.path(), 0).expect("the folder");
        let mut reader = TracedReader::from(sorted).within(within);
        let batches: Vec<Vec<TracedIo>> = std::iter::from_fn(|| reader.next_batch()).collect();
        assert!(batches.iter().all(|batch| !batch.is_empty()), "one of nothing looks like a pause");
        batches.concat()
    };
    let within = |from, until| part(Some(IssuedWithin { from, until }));
    assert!(within(9_000, Some(9_010)) == ios[8_998..9_008], "from its begin until before its end");
    assert!(within(15_000, None) == ios[14_998..], "to the end of the trace");
    assert!(within(0, Some(5_000)) == ios[..4_998]);
    assert!(within(50, Some(50)).is_empty() && within(20_002, None).is_empty());
    assert!(part(None) == ios);
}

/// Else the first minute of a trace of weeks would take as long as the weeks.
#[test]
fn what_follows_a_part_of_a_trace_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let second = folder.path().join("second");
    fs::create_dir(&second).expect("room on disk");
    for (path, from) in [(folder.path(), 0), (&second, 50_000)] {
        let ios: Vec<TracedIo> = (from..from + 50_000).map(|due| io(due, None, None)).collect();
        let mut writer = RecordWriter::<TracedIo>::new(path.to_owned());
        writer.append(&ios);
        assert_eq!(writer.finish().records, 50_000);
    }
    let mut bytes = fs::read(second.join("000000.parquet")).expect("a segment");
    // Where it is read, it is told as damaged.
    bytes[100] ^= 1;
    fs::write(folder.path().join("000001.parquet"), bytes).expect("room on disk");
    let found = |until| {
        let sorted = SortedReader::<TracedIo>::open(folder.path(), 0).expect("the folder");
        let mut reader = TracedReader::from(sorted).within(Some(IssuedWithin { from: 0, until }));
        (all(&mut reader).len(), reader.faults().len())
    };
    assert_eq!(found(Some(1_002)), (1_000, 0));
    assert_eq!(found(None), (50_000, 1));
}

/// Two row groups, of which the first begins with a damaged byte.
fn write_damaged(folder: &Path) -> Vec<TracedIo> {
    let ios: Vec<TracedIo> = (0..200_000).map(|number| io(number, None, None)).collect();
    let mut writer = RecordWriter::<TracedIo>::new(folder.to_owned()).unguarded();
    writer.append(&ios);
    assert_eq!(writer.finish().records, 200_000);
    let path = folder.join("000000.parquet");
    let mut bytes = fs::read(&path).expect("a segment");
    bytes[100] ^= 1;
    fs::write(&path, bytes).expect("room on disk");
    ios
}

#[test]
fn what_is_missing_or_damaged_of_a_trace_is_told_once_and_the_rest_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    write_damaged(folder.path());
    let second = folder.path().join("second");
    fs::create_dir(&second).expect("room on disk");
    let later: Vec<TracedIo> = (300_000..300_100).map(|number| io(number, Some(1), None)).collect();
    let mut writer = RecordWriter::<TracedIo>::new(second.clone());
    writer.append(&later);
    writer.finish();
    fs::rename(second.join("000000.parquet"), folder.path().join("000002.parquet")).expect("a segment");
    // A tail that the system does not give.
    fs::create_dir(folder.path().join("000003.tail")).expect("room on disk");
    let sorted = SortedReader::<TracedIo>::open(folder.path(), 0).expect("the folder");
    let mut reader = TracedReader::from(sorted);
    assert_eq!((all(&mut reader), reader.left_out()), (later, 0));
    let faults = reader.faults();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert_eq!(faults[0], "segments/000001.parquet is not there");
    assert!(faults[1].starts_with("segments/000003.tail cannot be read ("), "{faults:?}");
    assert!(faults[2].starts_with("segments/000000.parquet is damaged ("), "{faults:?}");
}
