//! Replays on simulated drives: what is asked, when, and in which order.

use std::collections::BTreeMap;

use drivelab_block::{
    Batch, ByteCount, Completion, DeviceId, Engine, Extent, Instant, Limits, Nanos, Op, OpSet, PhaseId,
    QueueId, Request, Sector, SectorCount, SilenceLog, Sink, TracedIo,
};
use drivelab_method::replay::{AddressMapping, Choice, ReplayCounts, ReplayPlan, ReplayTiming, Speed};
use drivelab_method::{Interrupt, PhaseEnd, StopRule, WorkerContext, run};
use drivelab_record::{RecordWriter, SortedReader};
use drivelab_sim::{SimDrive, Spec};
use drivelab_workload::{Draw, PlanError, Seed};
use tempfile::TempDir;

const RECORDED: ReplayPlan = ReplayPlan {
    choice: Choice { device: None, writes: true, discards: true, duration: None },
    timing: ReplayTiming::Recorded,
    speed: Speed::ONE,
    max_idle: None,
    map: AddressMapping::Identity,
    depth_limit: None,
    fill: None,
};

#[derive(Default)]
struct Kept(Vec<Completion>);

impl Sink for Kept {
    fn accept(&mut self, completions: &[Completion]) {
        self.0.extend_from_slice(completions);
    }
}

struct Replayed {
    completions: Vec<Completion>,
    end: PhaseEnd,
    counts: std::sync::Arc<ReplayCounts>,
}

fn drive() -> SimDrive {
    SimDrive::new(&Spec::parse("sm2246en?size=1GiB&delay_every=20MB&delay=80ms").expect("a profile"), 1)
}

/// Writes a trace into a folder of segments.
fn segments(ios: &[TracedIo]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let mut writer = RecordWriter::new(folder.path().to_owned());
    writer.append(ios);
    assert_eq!(writer.finish().lost, 0);
    folder
}

fn reader(folder: &TempDir) -> SortedReader<TracedIo> {
    SortedReader::open(folder.path(), 0).expect("segments")
}

fn replay(plan: ReplayPlan, ios: &[TracedIo]) -> Replayed {
    let folder = segments(ios);
    let mut drive = drive();
    let geometry = drive.geometry();
    let survey = plan.survey(reader(&folder), Some(&geometry), &mut |_| true).expect("it fits");
    let ready = plan.ready(&survey, &geometry).expect("it fits");
    let limits = ready.phase.limits;
    let (mut workload, reading) = ready.start(reader(&folder), true).expect("a thread");
    let counts = workload.counts();
    drive.prepare(limits).expect("nothing is in flight");
    let context = WorkerContext {
        phase: PhaseId(0),
        queue: QueueId(0),
        queues: 1,
        queue_depth: limits.queue_depth,
        started_at: drive.now(),
        stop: StopRule::default(),
        interrupt: Interrupt::default(),
        silences: SilenceLog::new(1),
    };
    let mut kept = Kept::default();
    let end = run(&mut drive, &mut workload, &context, &mut kept).expect("the engine never breaks");
    drop(workload);
    assert_eq!(reading.end().faults, Vec::<String>::new());
    Replayed { completions: kept.0, end, counts }
}

fn extent(start: u64, length: u32) -> Extent {
    Extent { start: Sector::new(start), length: SectorCount::new(length) }
}

/// A trace with bursts and pauses, of reads and writes, in which some take long.
fn trace(seed: u64, count: u64, places: u64) -> Vec<TracedIo> {
    let mut draw: Draw = Seed::new(seed).draw();
    let mut at = 0;
    (0..count)
        .map(|_| {
            at += [0, 3_000, 60_000, 2_000_000][usize::try_from(draw.below(4)).expect("an index")];
            let op = if draw.below(3) == 0 { Op::Read } else { Op::Write };
            let length = 8 << draw.below(4);
            let io = TracedIo::new(Instant::from_nanos(at), op, extent(draw.below(places) * 8, length));
            let longest = if draw.below(50) == 0 { 30_000_000 } else { 100_000 };
            let service = Nanos::new(10_000 + draw.below(longest));
            TracedIo { service: Some(service), ..io }
        })
        .collect()
}

/// What identifies a request of a trace that is replayed where it was.
fn key(op: Op, extent: Extent) -> (u8, u64, u32) {
    (op.code(), extent.start.get(), extent.length.get())
}

/// The drive's own answers to requests that are submitted at these times, without any of the replay.
fn ground_truth(ios: &[TracedIo]) -> Vec<(u64, u64, (u8, u64, u32))> {
    let mut drive = drive();
    let ops = OpSet::EMPTY.with(Op::Read).with(Op::Write);
    let limits = Limits { queue_depth: 4096, max_transfer: ByteCount::new(1 << 20), ops };
    drive.prepare(limits).expect("nothing is in flight");
    let mut batch = Batch::with_capacity(4096);
    let mut answers = Vec::new();
    let mut note = |batch: &mut Batch| {
        let of =
            |one: &Completion| (one.submitted_at.as_nanos(), one.service().get(), key(one.op, one.extent));
        answers.extend(batch.as_slice().iter().map(of));
        batch.clear();
    };
    for io in ios {
        while drive.now() < io.issued_at {
            drive.reap(io.issued_at, &mut batch).expect("time passes");
            note(&mut batch);
        }
        let request = Request {
            intended_at: io.issued_at,
            extent: io.extent,
            op: io.op,
            phase: PhaseId(0),
            queue: QueueId(0),
        };
        drive.submit(request).expect("room");
    }
    while answers_left(&mut drive, &mut batch) {
        note(&mut batch);
    }
    answers
}

fn answers_left(drive: &mut SimDrive, batch: &mut Batch) -> bool {
    drive.reap(Instant::NEVER, batch).is_ok()
}

#[test]
fn service_times_are_those_that_the_drive_itself_gives_request_by_request() {
    let mut ios = trace(3, 20_000, 4_000);
    let replayed = replay(ReplayPlan { depth_limit: Some(4096), ..RECORDED }, &ios);
    // A replay in virtual time begins with its first nanosecond.
    let first = ios[0].issued_at;
    ios.iter_mut().for_each(|io| io.issued_at = Instant::from_nanos(1) + io.issued_at.since(first));
    let of = |one: &Completion| (one.submitted_at.as_nanos(), one.service().get(), key(one.op, one.extent));
    let mut found: Vec<_> = replayed.completions.iter().map(of).collect();
    let mut truth = ground_truth(&ios);
    found.sort_unstable();
    truth.sort_unstable();
    assert_eq!(found.len(), ios.len());
    assert_eq!(found, truth);
    assert_eq!(replayed.end.delayed_sends, 0);
    assert!(
        replayed.completions.iter().all(|one| one.submitted_at == one.intended_at),
        "virtual time is never late"
    );
}

#[test]
fn a_full_drive_is_told_and_moves_no_due_time() {
    let ios = trace(4, 3_000, 4_000);
    let free = replay(RECORDED, &ios);
    let capped = replay(ReplayPlan { depth_limit: Some(1), ..RECORDED }, &ios);
    assert_eq!(free.end.delayed_sends, 0);
    assert!(capped.end.delayed_sends > 100, "{}", capped.end.delayed_sends);
    let dues = |replayed: &Replayed| {
        let mut dues: Vec<Instant> = replayed.completions.iter().map(|one| one.intended_at).collect();
        dues.sort_unstable();
        dues
    };
    assert_eq!(dues(&capped), dues(&free));
}

/// Each place is asked for once, so that completions can be told apart.
fn distinct(seed: u64, count: u64) -> Vec<TracedIo> {
    let mut ios = trace(seed, count, 1);
    ios.iter_mut().zip(0..).for_each(|(io, place)| io.extent = extent(place * 64, io.extent.length.get()));
    ios
}

#[test]
fn think_times_are_kept_after_the_same_requests_answers() {
    let ios = distinct(5, 5_000);
    let plan = ReplayPlan { timing: ReplayTiming::Dependent, ..RECORDED };
    let replayed = replay(plan, &ios);
    let by_place: BTreeMap<u64, &Completion> =
        replayed.completions.iter().map(|one| (one.extent.start.get(), one)).collect();
    let answered = |place: usize| by_place[&ios[place].extent.start.get()].completed_at;
    let mut latest_due = Instant::from_nanos(1);
    let mut waited = 0;
    for (place, io) in ios.iter().enumerate() {
        let earlier = ios[..place].iter().enumerate();
        let done = earlier.filter_map(|(place, one)| one.completed_at().map(|done| (done, place)));
        // Of two that end at once, the later one is the latest.
        let latest = done.filter(|(done, _)| *done <= io.issued_at).max();
        let from_start = Instant::from_nanos(1) + io.issued_at.since(ios[0].issued_at);
        let expected = latest.map_or(from_start, |(done, place)| {
            waited += 1;
            answered(place) + io.issued_at.since(done)
        });
        latest_due = latest_due.max(expected);
        assert_eq!(by_place[&io.extent.start.get()].intended_at, latest_due, "request {place}");
    }
    assert!(waited > 4_000, "{waited}");
}

#[test]
fn the_order_of_overlapping_requests_is_kept_at_full_depth() {
    // Few places, so that nearly every request meets another.
    let ios = trace(6, 5_000, 40);
    let replayed = replay(ReplayPlan { timing: ReplayTiming::Unpaced, ..RECORDED }, &ios);
    assert!(replayed.counts.held_back() > 1_000, "{}", replayed.counts.held_back());
    assert_eq!(replayed.completions.len(), ios.len());
    let meets = |one: &Completion, other: &Completion| {
        (one.op.is_destructive() || other.op.is_destructive())
            && one.extent.start < other.extent.end()
            && other.extent.start < one.extent.end()
    };
    let mut overlapped = 0;
    for (place, one) in replayed.completions.iter().enumerate() {
        let window = &replayed.completions[place + 1..(place + 65).min(replayed.completions.len())];
        for other in window {
            let together = one.submitted_at < other.completed_at && other.submitted_at < one.completed_at;
            assert!(!(together && meets(one, other)), "{one:?} and {other:?} were in flight together");
            overlapped += u32::from(together);
        }
    }
    assert!(overlapped > 1_000, "what does not meet is in flight together: {overlapped}");
}

#[test]
fn what_does_not_fit_names_its_mend() {
    let far = extent(1 << 40, 8);
    let far = TracedIo::new(Instant::from_nanos(5), Op::Write, far);
    let near = TracedIo { device: DeviceId(1), ..TracedIo::new(Instant::ORIGIN, Op::Read, extent(0, 8)) };
    let geometry = drive().geometry();
    let judge = |plan: ReplayPlan, ios: &[TracedIo]| {
        let survey = plan.survey(reader(&segments(ios)), Some(&geometry), &mut |_| true);
        let ready = survey.and_then(|survey| plan.ready(&survey, &geometry).map(drop));
        ready.map_err(|error: PlanError| error.to_string())
    };
    let refused = |plan, ios: &[TracedIo], words: &str| {
        let error = judge(plan, ios).expect_err("refused");
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    };
    refused(RECORDED, &[far], "--map compact");
    refused(RECORDED, &[near, far], "--trace-device");
    refused(
        ReplayPlan { timing: ReplayTiming::Dependent, map: AddressMapping::Compact, ..RECORDED },
        &[far],
        "--timing recorded",
    );
    refused(
        ReplayPlan { depth_limit: Some(0), map: AddressMapping::Compact, ..RECORDED },
        &[far],
        "--queue-depth",
    );
    refused(RECORDED, &[], "no request");
    let no_writes = Choice { writes: false, ..Choice::default() };
    refused(ReplayPlan { choice: no_writes, ..RECORDED }, &[far], "--no-writes");
    let all = TracedIo::new(Instant::ORIGIN, Op::Discard, extent(0, u32::MAX));
    refused(ReplayPlan { map: AddressMapping::Compact, ..RECORDED }, &[all], "larger target");
    assert_eq!(judge(ReplayPlan { map: AddressMapping::Compact, ..RECORDED }, &[near, far]), Ok(()));
    let one = Choice { device: Some(DeviceId(1)), ..Choice::default() };
    assert_eq!(judge(ReplayPlan { choice: one, ..RECORDED }, &[near, far]), Ok(()));
}
