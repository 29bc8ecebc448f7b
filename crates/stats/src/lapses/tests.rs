//! Runs by hand.

use drivelab_block::{Completion, Extent, Instant, PhaseId, QueueId, SectorCount, Status};

use super::*;
use crate::{LoopKind, RunAnalysis, Standstill, StandstillCause};

const MS: u64 = 1_000_000;
/// The sector from which on a drive fails.
const EDGE: u64 = 1_008;

fn io(op: Op, start: u64, [submitted, completed]: [u64; 2], is_ok: bool) -> Completion {
    let at = |ms: u64| Instant::from_nanos(ms * MS);
    Completion {
        intended_at: at(submitted),
        submitted_at: at(submitted),
        issued_at: None,
        completed_at: at(completed),
        extent: Extent { start: Sector::new(start), length: SectorCount::new(8) },
        status: if is_ok { Status::OK } else { Status::errno(5) },
        queue: QueueId(0),
        op,
        phase: PhaseId(0),
    }
}

fn run(completions: &[Completion]) -> RunAnalysis {
    let mut run = RunAnalysis::default();
    run.begin_phase(Instant::ORIGIN, LoopKind::Closed);
    run.accept(completions);
    run
}

fn found_in(run: &RunAnalysis) -> LapsesDocument {
    let phases: Vec<_> = run.phases().iter().map(|phase| ("write", &phase.unserved)).collect();
    LapsesDocument::collect(&phases)
}

fn lapses(completions: &[Completion]) -> LapsesDocument {
    found_in(&run(completions))
}

fn moment(at_s: f64) -> PhaseMoment {
    PhaseMoment { phase: "write".to_owned(), at_s }
}

/// Writes to each of 1,250 addresses in no order, each of a millisecond, of which those fail that `fails` says, by the number and
/// the address.
fn writes(count: u64, fails: impl Fn(u64, u64) -> bool) -> Vec<Completion> {
    let write = |number: u64| {
        let start = number * 7_919 % 1_250 * 8;
        io(Op::Write, start, [number, number + 1], !fails(number, start))
    };
    (0..count).map(write).collect()
}

/// A read that was sent and given up at these moments.
fn given_up(sent: u64, at: u64) -> Completion {
    Completion { status: Status::UNANSWERED, ..io(Op::Read, 0, [sent, at], true) }
}

#[test]
fn what_a_drive_leaves_without_an_answer_while_it_answers_later_ones_is_dated_by_when_it_was_sent() {
    let answered = |until: u64| (0..until).map(|number| io(Op::Read, number * 8, [number, number + 1], true));
    let found = |given_up: &[Completion]| {
        let all: Vec<Completion> = answered(10_000).chain(given_up.iter().copied()).collect();
        let ios = lapses(&all).unanswered.expect("some were given up");
        (ios.count, ios.later_ones_were_answered, ios.since.at_s, ios.waited_s)
    };
    assert_eq!(found(&[given_up(2_000, 11_500)]), (1, true, 2.0, 9.5));
    assert_eq!(found(&[given_up(8_000, 11_500), given_up(4_000, 11_500)]), (2, true, 4.0, 7.5));
    // A slow drive answers one after the other of those that were sent at once.
    let all: Vec<Completion> = (1..8)
        .map(|second| io(Op::Write, 0, [0, second * 1_500], true))
        .chain([given_up(0, 12_000)])
        .collect();
    assert!(!lapses(&all).unanswered.expect("one was given up").later_ones_were_answered);
    // The drive fell silent as a whole, with or without one that it had lost before.
    assert_eq!(found(&[given_up(9_998, 16_000), given_up(9_999, 16_000)]), (2, false, 10.0, 6.0));
    assert_eq!(found(&[given_up(2_000, 16_000), given_up(9_999, 16_000)]), (2, false, 10.0, 6.0));
}

#[test]
fn the_address_is_found_from_which_on_everything_fails() {
    let found = lapses(&writes(1_250, |_, start| start >= EDGE));
    let [failed] = &found.failed[..] else { panic!("{found:?}") };
    assert_eq!((failed.operation, failed.asked, failed.error), (Op::Write, 1_250, 5));
    assert_eq!((failed.lowest_byte, failed.all_behind_byte), (EDGE * 512, Some(EDGE * 512)));
    assert_eq!((&failed.all_since, &found.silence), (&None, &None));
    // A bad place below it changes nothing.
    let with_bad = lapses(&writes(1_250, |_, start| start >= EDGE || start == 80));
    assert_eq!(
        (with_bad.failed[0].lowest_byte, with_bad.failed[0].all_behind_byte),
        (80 * 512, Some(EDGE * 512))
    );
}

#[test]
fn what_fails_here_and_there_has_no_such_address_and_no_such_time() {
    let [failed] = &lapses(&writes(1_200, |number, _| number % 100 == 99)).failed[..] else { panic!() };
    assert_eq!((failed.failed, failed.all_behind_byte, &failed.all_since), (12, None, &None));
    // Few at the end of the drive are no edge either.
    let [failed] = &lapses(&writes(1_250, |_, start| start >= 1_247 * 8)).failed[..] else { panic!() };
    assert_eq!((failed.failed, failed.all_behind_byte), (3, None));
}

#[test]
fn the_moment_is_found_from_which_on_everything_fails() {
    let mut all = writes(1_000, |number, _| number >= 400);
    all.extend((0..1_000).map(|number| io(Op::Read, number * 8, [number, number + 1], true)));
    let [failed] = &lapses(&all).failed[..] else { panic!("reads did not fail") };
    assert_eq!((failed.asked, failed.failed, failed.all_behind_byte), (1_000, 600, None));
    assert_eq!(failed.all_since, Some(moment(0.4)));
    assert!(failed.reads_went_on, "reads were answered until the end");
    all.truncate(1_000);
    all.push(io(Op::Read, 0, [399, 500], true));
    assert!(!lapses(&all).failed[0].reads_went_on, "the last read was sent before");
    // A phase in which nothing goes well any more does not begin it anew; one in which something does ends it.
    let mut run = run(&writes(1_000, |number, _| number >= 400));
    run.begin_phase(Instant::from_nanos(2_000 * MS), LoopKind::Closed);
    let later = |is_ok| Completion { phase: PhaseId(1), ..io(Op::Write, 0, [2_000, 2_001], is_ok) };
    run.accept(&[later(false)]);
    assert_eq!(found_in(&run).failed[0].all_since, failed.all_since);
    run.accept(&[later(true)]);
    assert_eq!(found_in(&run).failed[0].all_since, None);
}

#[test]
fn a_drive_that_fails_everything_has_neither() {
    let [failed] = &lapses(&writes(100, |_, _| true)).failed[..] else { panic!() };
    assert_eq!((failed.asked, failed.failed), (100, 100));
    assert_eq!((failed.all_behind_byte, &failed.all_since), (None, &None));
}

#[test]
fn the_longest_time_without_an_answer_is_found() {
    let mut all = writes(100, |_, _| false);
    all.push(io(Op::Write, 0, [100, 3_100], true));
    // Nothing was asked for ten seconds; then an I/O woke the drive up, which took two.
    all.push(io(Op::Read, 0, [13_100, 15_100], true));
    // A discard may take its time.
    all.push(io(Op::Discard, 0, [15_100, 25_100], true));
    let found = lapses(&all).silence.expect("3 s");
    assert_eq!(found, LongestSilenceDocument { since: moment(0.1), lasted_s: 3.0, count: 1 });
    // A disk that sleeps is woken up by the first I/O of a phase.
    assert_eq!(lapses(&[io(Op::Read, 0, [0, 5_000], true)]).silence, None);
    // The time in which the program stood still is not the drive's.
    let mut stopped = RunAnalysis::default();
    let at = |ms: u64| Instant::from_nanos(ms * MS);
    let (from, until) = (at(200), at(2_500));
    stopped.note_standstill(Standstill { from, until, queue: None, cause: StandstillCause::Stopped });
    stopped.begin_phase(Instant::ORIGIN, LoopKind::Closed);
    stopped.accept(&all[..101]);
    assert_eq!(found_in(&stopped).silence, None);
}

#[test]
fn a_slow_drive_is_not_silent_between_its_answers() {
    let block = |number: u64, took: u64, mebibytes: u32| Completion {
        extent: Extent { start: Sector::new(0), length: SectorCount::new(mebibytes * 2_048) },
        ..io(Op::Write, 0, [number * took, (number + 1) * took], true)
    };
    // 64 MiB at 10 MB/s, of which the first blocks went into a cache.
    let mut large: Vec<Completion> = (0..100).map(|number| block(number, 67, 64)).collect();
    large.extend((1..9).map(|number| block(number, 6_700, 64)));
    assert_eq!(lapses(&large).silence, None);
    // Small I/Os of which each takes two seconds are slow, and one of 7 s is three times as long.
    let mut small: Vec<Completion> = (0..10).map(|number| block(number, 2_000, 1)).collect();
    assert_eq!(lapses(&small).silence, None);
    small.push(io(Op::Write, 0, [20_000, 27_000], true));
    let silence = LongestSilenceDocument { since: moment(20.0), lasted_s: 7.0, count: 1 };
    assert_eq!(lapses(&small).silence, Some(silence));
}
