//! The backlog of a stream, against a computation of its own.

use drivelab_block::{Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use drivelab_stats::{Backlog, DelayFigures, Standstill, StandstillCause, Standstills, StreamWrites};
use proptest::prelude::*;

const BLOCK: u64 = 1 << 20;

/// A stream of one write after the other, from pauses and completion times in microseconds.
fn stream(writes: &[(u64, u64)]) -> StreamWrites {
    stream_beside(writes, &Standstills::default())
}

/// The same of a program that stood still at times.
fn stream_beside(writes: &[(u64, u64)], standstills: &Standstills) -> StreamWrites {
    let mut stream = StreamWrites::new(PhaseId(0), BLOCK);
    let mut now = 0;
    for (number, (pause, takes)) in (0..).zip(writes) {
        now += pause * 1_000;
        let submitted_at = Instant::from_nanos(now);
        now += takes * 1_000;
        stream.accept(
            &[Completion {
                intended_at: submitted_at,
                submitted_at,
                issued_at: None,
                completed_at: Instant::from_nanos(now),
                extent: Extent { start: Sector::new(number * 2048), length: SectorCount::new(2048) },
                status: Status::OK,
                queue: QueueId(0),
                op: Op::Write,
                phase: PhaseId(0),
            }],
            standstills,
        );
    }
    stream
}

/// Lindley's recursion in its closed form: a write ends when the worst of all stretches before it is over,
/// `e(i) = max over j <= i of (when block j is there + all work from j to i)`.
fn largest_backlog(writes: &[(u64, u64)], rate: f64) -> f64 {
    let there = |block: usize| (block + 1) as f64 * BLOCK as f64 / rate * 1e9;
    let work =
        |from: usize, to: usize| writes[from..=to].iter().map(|(_, takes)| *takes as f64 * 1e3).sum::<f64>();
    let waiting = |last: usize| {
        let end = (0..=last).map(|first| there(first) + work(first, last)).fold(0.0, f64::max);
        rate * end / 1e9 - last as f64 * BLOCK as f64
    };
    (0..writes.len()).map(waiting).fold(0.0, f64::max)
}

#[test]
fn a_write_that_waited_for_the_program_is_no_delay_and_one_that_waited_for_the_drive_is() {
    // Writes of 10 ms; number 50 takes 600 ms for the drive, number 150 1,510 ms since the program was stopped.
    let takes = |number: u64| match number {
        50 => 600_000,
        150 => 1_510_000,
        _ => 10_000,
    };
    let writes: Vec<(u64, u64)> = (0..200).map(|number| (0, takes(number))).collect();
    let from = Instant::from_nanos((149 * 10 + 600) * 1_000_000 + 5_000_000);
    let until = from + Nanos::from_millis(1_500);
    let stopped = Standstill { from, until, queue: None, cause: StandstillCause::Stopped };
    let judged = stream_beside(&writes, &Standstills::from_iter([stopped]));
    let figures = DelayFigures::from_stream(&judged);
    let found: Vec<(usize, u64)> = figures.delays.iter().map(|one| (one.write, one.duration)).collect();
    assert_eq!(found, [(50, 600_000_000)]);
    assert_eq!((judged.delayed.left_out, judged.stood_still()), (1, 1_500_000_000));
    assert_eq!((judged.bytes(), figures.all.moments().count()), (200 * BLOCK, 199));
    // 200 blocks in 198 times 10 ms, 600 ms and the 10 ms of the delayed write itself.
    let rate = judged.rate().expect("a rate");
    assert!((rate - 200.0 * BLOCK as f64 / 2.590).abs() < 1.0, "{rate}");
    assert_eq!(DelayFigures::from_stream(&stream(&writes)).delays.len(), 2);
}

proptest! {
    #[test]
    fn the_largest_backlog_is_that_of_the_worst_stretch(
        writes in prop::collection::vec((0u64..3_000, 1u64..50_000), 1..60),
        megabytes in 1u64..400,
    ) {
        let rate = megabytes as f64 * 1e6;
        let (found, largest) = (Backlog::from_stream(&stream(&writes), rate), largest_backlog(&writes, rate));
        prop_assert!((found.largest as f64 - largest).abs() <= 2.0, "{} is not {largest}", found.largest);
        prop_assert!(found.overflow(found.largest) <= 0.0);
        prop_assert!(found.overflow(found.largest - 1) > 0.0);
        prop_assert!(found.overflow(0) >= 1.0);
    }
}
