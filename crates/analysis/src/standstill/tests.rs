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

fn closed(standstills: &Standstills, submitted: u64, completed: u64) -> bool {
    standstills.judge(&io(submitted, submitted, completed, 0), LoopKind::Closed)
}

#[test]
fn an_io_is_left_out_where_standstills_take_a_tenth_of_its_time() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, None)]);
    assert!(closed(&one, 0, 1_000), "it was complete when the standstill began");
    assert!(closed(&one, 1_100, 1_101), "it was sent when the standstill had ended");
    assert!(!closed(&one, 999, 1_101));
    assert!(!closed(&one, 1_099, 1_105), "a sixth of its time");
    assert!(!closed(&one, 500, 1_500), "a tenth");
    assert!(closed(&one, 500, 1_501), "less than a tenth: most of this delay is the drive's");
    let two = Standstills::from_iter([standstill(1_200, 1_250, None), standstill(1_000, 1_050, None)]);
    assert!(!closed(&two, 500, 1_500), "two of 50 ms are as much as one of 100 ms");
    assert!(closed(&two, 1_060, 1_190), "between them");
}

#[test]
fn a_worker_that_got_no_processor_says_nothing_against_the_others() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, Some(3))]);
    let judged = |queue| one.judge(&io(990, 990, 1_110, queue), LoopKind::Closed);
    assert_eq!((judged(3), judged(2)), (false, true));
}

#[test]
fn what_an_open_loop_had_to_catch_up_with_is_left_out() {
    let one = Standstills::from_iter([standstill(1_000, 1_100, None)]);
    let judged = |due, submitted, completed| one.judge(&io(due, submitted, completed, 0), LoopKind::Open);
    assert!(!judged(1_090, 1_101, 1_102), "due during the standstill");
    assert!(!judged(1_099, 1_300, 1_301), "due at its end, and far back in the queue");
    assert!(!judged(1_200, 1_300, 1_301), "behind those that were due during it");
    assert!(judged(1_200, 1_200, 1_301), "sent when it was due");
    assert!(!judged(2_099, 2_200, 2_201), "as long as ten standstills after it");
    assert!(judged(2_100, 2_200, 2_201), "later than that the drive is behind");
    assert!(judged(900, 950, 960), "late before the standstill");
    assert!(!judged(1_200, 1_201, 1_302), "a millisecond late");
    assert!(!judged(0, 1_090, 1_110), "a twelfth of the response, and half of the service");
    let two = Standstills::from_iter([standstill(0, 200, None), standstill(10_000, 10_100, None)]);
    let judged = |due| two.judge(&io(due, due + 50, due + 51, 0), LoopKind::Open);
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
