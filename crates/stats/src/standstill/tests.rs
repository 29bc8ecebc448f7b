//! The rule by which I/Os are left out, with exact times.

use super::*;
use drivelab_block::{Extent, Op, PhaseId, Sector, SectorCount, Status};

fn ms(millis: u64) -> Instant {
    Instant::from_nanos(millis * 1_000_000)
}

fn standstill(from: u64, until: u64, queue: Option<u16>) -> Standstill {
    let (from, until, queue) = (ms(from), ms(until), queue.map(QueueId));
    Standstill { from, until, queue, cause: StandstillCause::Stopped }
}

fn io(due: u64, submitted: u64, completed: u64, queue: u16) -> Completion {
    Completion {
        intended_at: ms(due),
        submitted_at: ms(submitted),
        issued_at: None,
        completed_at: ms(completed),
        extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
        status: Status::OK,
        queue: QueueId(queue),
        op: Op::Read,
        phase: PhaseId(0),
    }
}

fn closed(standstills: &Standstills, submitted: u64, completed: u64) -> JudgedTime {
    let judgement = standstills.judge(&io(submitted, submitted, completed, 0), LoopKind::Closed);
    assert_eq!(judgement.response, judgement.service);
    judgement.service
}

fn whole(millis: u64) -> JudgedTime {
    JudgedTime::Whole(Nanos::from_millis(millis))
}

fn at_least(millis: u64) -> JudgedTime {
    JudgedTime::AtLeast(Nanos::from_millis(millis))
}

#[test]
fn a_standstill_is_taken_off_where_it_takes_a_tenth_of_a_time() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, None)]);
    assert_eq!(closed(&one, 0, 1_000), whole(1_000), "it was complete when the standstill began");
    assert_eq!(closed(&one, 1_100, 1_101), whole(1), "it was sent when the standstill had ended");
    assert_eq!(closed(&one, 999, 1_101), JudgedTime::LeftOut);
    assert_eq!(closed(&one, 950, 1_150), JudgedTime::LeftOut, "half of its time");
    assert_eq!(closed(&one, 949, 1_150), at_least(101), "less than half");
    assert_eq!(closed(&one, 1_099, 1_105), at_least(5), "a sixth");
    assert_eq!(closed(&one, 500, 1_500), at_least(900), "a tenth");
    assert_eq!(
        closed(&one, 500, 1_501),
        whole(1_001),
        "less than a tenth: most of this delay is the drive's"
    );
    let two = Standstills::from_iter([standstill(1_200, 1_250, None), standstill(1_000, 1_050, None)]);
    assert_eq!(closed(&two, 500, 1_500), at_least(900), "two of 50 ms are as much as one of 100 ms");
    assert_eq!(closed(&two, 1_060, 1_190), whole(130), "between them");
}

/// A drive that hung for 20 s, in which the program was stopped for 3 s, was silent for 17 s that the program watched.
#[test]
fn a_hang_does_not_vanish_in_a_stop() {
    let stop = Standstills::from_iter([standstill(8_000, 11_000, None)]);
    assert_eq!(closed(&stop, 0, 20_000), at_least(17_000));
    // Stopped for longer than it was watched: 29 s are no less of a hang for that.
    let long = Standstills::from_iter([standstill(8_000, 39_000, None)]);
    assert_eq!(closed(&long, 0, 60_000), at_least(29_000));
    // A busy machine: 50 ms of each 500 are taken away.
    let many: Standstills = (0..40).map(|turn| standstill(turn * 500, turn * 500 + 50, None)).collect();
    assert_eq!(closed(&many, 0, 20_000), at_least(18_000));
    let of_loop = many.judge(&io(0, 500, 20_000, 0), LoopKind::Open);
    assert_eq!((of_loop.service, of_loop.response), (at_least(17_550), at_least(18_000)));
}

proptest::proptest! {
    /// No I/O whose watched time exceeds its standstills may vanish, and none counts with more than it was out.
    #[test]
    fn what_was_watched_for_longer_than_it_stood_still_counts(
        stops in proptest::collection::vec((0_u64..3_000, 1_u64..400, proptest::option::of(0_u16..2)), 0..12),
        due in 0_u64..3_000, wait in 0_u64..600, served in 1_u64..3_000, is_open: bool,
    ) {
        let all: Standstills =
            stops.iter().map(|(from, length, queue)| standstill(*from, from + length, *queue)).collect();
        let one = io(due, due + wait, due + wait + served, 0);
        let (from, kind) = if is_open { (due, LoopKind::Open) } else { (due + wait, LoopKind::Closed) };
        let stands = |milli: u64| stops.iter().any(|(begin, length, queue)| {
            queue.is_none_or(|queue| queue == 0) && (*begin..begin + length).contains(&milli)
        });
        // The wait of a late request is the standstill's at most.
        let stood = (from..due + wait + served).filter(|milli| *milli < due + wait && is_open || stands(*milli)).count() as u64;
        let out = due + wait + served - from;
        let judged = all.judge(&one, kind);
        let counted = judged.response.nanos();
        if out - stood > stood || out - stood >= 1_000 {
            let least = Nanos::from_millis(out - stood);
            proptest::prop_assert!(counted.is_some_and(|time| time >= least), "{judged:?} of {out}, {stood}");
        }
        proptest::prop_assert!(counted.is_none_or(|time| time <= Nanos::from_millis(out)));
        proptest::prop_assert!(judged.service.nanos().is_none_or(|time| time <= Nanos::from_millis(served)));
        let mut delayed = DelayedIos::default();
        delayed.add(&judged, Nanos::from_millis(out));
        proptest::prop_assert_eq!(judged.is_left_out(), delayed.longest_left_out == Nanos::from_millis(out));
        proptest::prop_assert_eq!(delayed.left_out + delayed.at_least, u64::from(!judged.is_whole()));
    }
}

#[test]
fn a_worker_that_got_no_processor_says_nothing_against_the_others() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, Some(3))]);
    let judged = |queue| one.judge(&io(990, 990, 1_110, queue), LoopKind::Closed).service;
    assert_eq!((judged(3), judged(2)), (JudgedTime::LeftOut, whole(120)));
}

#[test]
fn what_an_open_loop_had_to_catch_up_with_is_left_out() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, None)]);
    let of = |due, submitted, completed| one.judge(&io(due, submitted, completed, 0), LoopKind::Open);
    let judged = |due, submitted, completed| of(due, submitted, completed).is_whole();
    assert!(!judged(1_090, 1_101, 1_102), "due during the standstill");
    assert!(!judged(1_099, 1_300, 1_301), "due at its end, and far back in the queue");
    assert!(!judged(1_200, 1_300, 1_301), "behind those that were due during it");
    assert!(judged(1_200, 1_200, 1_301), "sent when it was due");
    assert!(!judged(2_099, 2_200, 2_201), "as long as ten standstills after it");
    assert!(judged(2_100, 2_200, 2_201), "later than that the drive is behind");
    assert!(judged(900, 950, 960), "late before the standstill");
    // The wait behind what the standstill delayed is the standstill's, by the same rule of a tenth.
    assert_eq!(
        of(1_200, 1_201, 1_302),
        JudgedTimes { service: whole(101), response: whole(102) },
        "a hundredth"
    );
    assert_eq!(
        of(1_200, 1_211, 1_310),
        JudgedTimes { service: whole(99), response: at_least(99) },
        "a tenth"
    );
    let mixed = of(0, 1_090, 1_110);
    assert!(!mixed.is_left_out(), "a twelfth of the response, and half of the service");
    assert_eq!((mixed.service, mixed.response), (JudgedTime::LeftOut, at_least(1_010)));
    let hung = of(1_200, 1_300, 21_300);
    assert_eq!(
        (hung.service, hung.response),
        (whole(20_000), whole(20_100)),
        "the drive hung when it was sent: the standstill is a two-hundredth of it"
    );
    let two = Standstills::from_iter([standstill(0, 200, None), standstill(10_000, 10_100, None)]);
    let judged = |due| two.judge(&io(due, due + 50, due + 51, 0), LoopKind::Open).is_whole();
    assert_eq!(
        (judged(11_099), judged(11_100)),
        (false, true),
        "ten times its own length, not that of a longer one"
    );
}

#[test]
fn what_two_standstills_share_is_counted_once() {
    let all = Standstills::from_iter([
        standstill(0, 100, None),
        standstill(50, 200, Some(1)),
        standstill(60, 80, None),
        standstill(300, 400, None),
    ]);
    assert_eq!(all.covered(ms(0), ms(1_000)), Nanos::from_millis(300));
    assert_eq!(all.covered(ms(90), ms(350)), Nanos::from_millis(160));
    assert_eq!(all.covered(ms(200), ms(300)), Nanos::ZERO);
    assert!(all.touch(ms(199), ms(250)) && !all.touch(ms(200), ms(300)));
}
