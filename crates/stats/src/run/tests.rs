//! A run by hand.

use drivelab_block::{ByteCount, Extent, Nanos, Op, QueueId, Sector, SectorCount, Status};

use super::*;
use crate::{DelayedIos, FailedPlace, StandstillCause};

fn at(micros: u64) -> Instant {
    Instant::from_nanos(micros * 1_000)
}

/// An I/O that was due, submitted and completed so many microseconds after the clock's start.
fn io(op: Op, sectors: u32, [due, submitted, completed]: [u64; 3]) -> Completion {
    Completion {
        intended_at: at(due),
        submitted_at: at(submitted),
        issued_at: None,
        completed_at: at(completed),
        extent: Extent { start: Sector::new(64), length: SectorCount::new(sectors) },
        status: Status::OK,
        queue: QueueId(0),
        op,
        phase: PhaseId(0),
    }
}

fn standstill(from: u64, until: u64) -> Standstill {
    Standstill { from: at(from), until: at(until), queue: None, cause: StandstillCause::Stopped }
}

/// A phase from 1 s on; the program stands still from 1.5 to 1.6 s.
fn completions() -> Vec<Completion> {
    let failed = |io, code| Completion { status: Status::from_code(code), ..io };
    vec![
        io(Op::Read, 8, [1_000_000, 1_000_100, 1_000_300]),
        io(Op::Read, 8, [1_000_000, 1_000_100, 1_000_500]),
        io(Op::Write, 16, [1_000_000, 1_000_000, 1_000_700]),
        io(Op::Write, 16, [1_000_000, 1_000_000, 1_000_900]),
        io(Op::Discard, 32, [1_000_000, 1_000_000, 1_000_050]),
        failed(io(Op::Read, 8, [1_001_000, 1_001_000, 1_001_100]), 5),
        failed(io(Op::Read, 8, [1_001_000, 1_001_000, 1_001_100]), 5),
        failed(io(Op::Write, 8, [1_001_000, 1_001_000, 1_001_100]), 28),
        failed(io(Op::Write, 8, [1_001_000, 1_001_000, 1_001_100]), 28),
        io(Op::Write, 16, [1_450_000, 1_450_000, 1_650_000]),
        failed(io(Op::Write, 8, [2_200_000, 2_200_000, 2_300_000]), 28),
    ]
}

fn analysed(loop_kind: LoopKind) -> RunAnalysis {
    let mut run = RunAnalysis::default();
    run.note_standstill(standstill(1_500_000, 1_600_000));
    run.begin_phase(at(1_000_000), loop_kind);
    run.accept(&completions());
    run
}

#[test]
fn a_phase_has_the_figures_of_its_ios() {
    let run = analysed(LoopKind::Open);
    let phase = run.phase(PhaseId(0)).expect("it began");
    assert_eq!((phase.started_at, phase.loop_kind, run.phases().len()), (at(1_000_000), LoopKind::Open, 1));
    assert_eq!(
        (phase.completed(), phase.moved(), phase.bytes()),
        (6, ByteCount::new(64 * 512), ByteCount::new(96 * 512))
    );
    assert_eq!((phase.failed(), phase.failed_reads), (5, 2));
    assert_eq!(
        phase.failures.iter().map(|(code, count)| (*code, *count)).collect::<Vec<_>>(),
        [(5, 2), (28, 3)]
    );
    let extent = Extent { start: Sector::new(64), length: SectorCount::new(8) };
    let place = |op, code, count| FailedPlace { op, extent, status: Status::from_code(code), count };
    assert_eq!(
        phase.unserved.places.places().collect::<Vec<_>>(),
        [place(Op::Read, 5, 2), place(Op::Write, 28, 3)]
    );
    // The write that the standstill delayed counts, and its times do not.
    let writes = phase.op(Op::Write).expect("three went well");
    assert_eq!((writes.completed, writes.bytes, writes.service.moments().count()), (3, 48 * 512, 2));
    assert_eq!(phase.op(Op::Flush), None);
    // It was out for 200 ms, half of which the program stood still.
    let delayed = DelayedIos { at_least: 0, left_out: 1, longest_left_out: Nanos::from_millis(200) };
    assert_eq!((phase.delayed, run.delayed()), (delayed, delayed));
    let service = phase.service();
    assert_eq!((service.moments().count(), service.moments().sum()), (5, 2_250_000));
    let response = phase.response().expect("an open loop");
    assert_eq!((response.moments().count(), response.moments().sum()), (5, 2_450_000));
    assert_eq!(
        (phase.until_last_success, phase.span()),
        (Nanos::from_millis(650), Nanos::from_millis(1_300))
    );
    let mapped: u32 = phase.heat().columns().flatten().sum();
    assert_eq!((mapped, phase.series().bins().len()), (5, 2));
}

/// A flush waits for all that was written before it: its time is that of no write, and it is none of the writes of a second.
#[test]
fn flushes_among_other_ios_have_figures_of_their_own() {
    let flush = |from, until| io(Op::Flush, 0, [from, from, until]);
    let write = |from, until| io(Op::Write, 8, [from, from, until]);
    let writes = [write(0, 100), write(100, 400), write(400, 600)];
    let flushes = [flush(600, 10_600), flush(11_000, 31_000)];
    let phase_of = |ios: &[Completion]| {
        let mut run = RunAnalysis::default();
        run.begin_phase(at(0), LoopKind::Closed);
        run.accept(ios);
        run
    };
    let mean = |times: &crate::Distribution| times.moments().mean();
    let both = phase_of(&[&writes[..], &flushes].concat());
    let phase = both.phase(PhaseId(0)).expect("it began");
    assert_eq!((phase.completed(), phase.rated()), (5, 3));
    assert_eq!(mean(&phase.service()), Some(200_000.0), "of 100, 300 and 200 us");
    assert_eq!(phase.flushes_among_others().and_then(|flushes| mean(&flushes.service)), Some(15_000_000.0));
    let (seconds, _) = phase.whole_seconds(Nanos::from_secs(1));
    assert_eq!(seconds[0].ios(), 3);
    // Of a load of flushes alone they are the figures.
    let alone = phase_of(&flushes);
    let phase = alone.phase(PhaseId(0)).expect("it began");
    assert_eq!((phase.rated(), mean(&phase.service())), (2, Some(15_000_000.0)));
    assert_eq!(phase.whole_seconds(Nanos::from_secs(1)).0[0].ios(), 2);
    assert!(phase.flushes_among_others().is_none());
}

/// What an open loop had to ask during a standstill is asked after it; a closed loop asks nothing then.
#[test]
fn a_standstill_is_no_time_of_a_closed_loop() {
    let ran = |loop_kind| analysed(loop_kind).phases()[0].ran(Nanos::from_secs(2));
    assert_eq!(
        (ran(LoopKind::Open), ran(LoopKind::Closed)),
        (Nanos::from_secs(2), Nanos::from_millis(1_900))
    );
    assert_eq!(analysed(LoopKind::Closed).phases()[0].response(), None);
    assert_eq!(analysed(LoopKind::Closed).standstills().all(), [standstill(1_500_000, 1_600_000)]);
}

#[test]
fn requests_that_were_never_sent_are_in_the_response_times() {
    let mut run = analysed(LoopKind::Open);
    let mut unsent = Unsent::default();
    [100, 100, 1_000].iter().for_each(|nanos| unsent.add(*nanos));
    run.add_unsent(0, &unsent);
    run.add_unsent(7, &unsent);
    let phase = &run.phases()[0];
    // A wait is kept by the floor of its bucket, 1,000 ns as 1,000.
    assert_eq!((phase.unsent(), unsent.waits().collect::<Vec<_>>()), (3, vec![(100, 2), (1_000, 1)]));
    let response = phase.response().expect("an open loop");
    assert_eq!((response.moments().count(), response.moments().sum()), (8, 2_451_200));
}

#[test]
fn records_that_do_not_belong_to_the_run_are_counted_apart() {
    let mut run = RunAnalysis::default();
    run.begin_phase(Instant::ORIGIN, LoopKind::Closed);
    let days_100 = 100 * 86_400 * 1_000_000;
    run.accept(&[
        io(Op::Read, 8, [0, 0, 5]),
        io(Op::Read, 8, [0, 0, days_100 / 50]),
        io(Op::Read, 8, [0, 0, days_100 + 1]),
        Completion { phase: PhaseId(1), ..io(Op::Read, 8, [0, 0, 5]) },
    ]);
    assert_eq!((run.orphans, run.phases()[0].completed()), (2, 2));
    // A standstill concerns the phase that is under way as well.
    run.note_standstill(standstill(10, 20));
    run.accept(&[io(Op::Read, 8, [11, 11, 20]), io(Op::Read, 8, [12, 12, 20])]);
    let delayed = DelayedIos { at_least: 0, left_out: 2, longest_left_out: Nanos::from_micros(9) };
    assert_eq!((run.phases()[0].delayed, run.delayed()), (delayed, delayed));
}
