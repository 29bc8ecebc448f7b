//! The backlog of a stream, against a computation of its own.

use drivelab_analysis::{Backlog, StreamWrites};
use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use proptest::prelude::*;

const BLOCK: u64 = 1 << 20;

/// A stream of one write after the other, from pauses and completion times in microseconds.
fn stream(writes: &[(u64, u64)]) -> StreamWrites {
    let mut stream = StreamWrites::new(PhaseId(0), BLOCK);
    let mut now = 0;
    for (number, (pause, takes)) in (0..).zip(writes) {
        now += pause * 1_000;
        let submitted_at = Instant::from_nanos(now);
        now += takes * 1_000;
        stream.accept(&[Completion {
            intended_at: submitted_at,
            submitted_at,
            issued_at: None,
            completed_at: Instant::from_nanos(now),
            extent: Extent { start: Sector::new(number * 2048), length: SectorCount::new(2048) },
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Write,
            phase: PhaseId(0),
        }]);
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

proptest! {
    #[test]
    fn the_largest_backlog_is_that_of_the_worst_stretch(
        writes in prop::collection::vec((0u64..3_000, 1u64..50_000), 1..60),
        megabytes in 1u64..400,
    ) {
        let rate = megabytes as f64 * 1e6;
        let (found, largest) = (Backlog::of(&stream(&writes), rate), largest_backlog(&writes, rate));
        prop_assert!((found.largest() as f64 - largest).abs() <= 2.0, "{} is not {largest}", found.largest());
        prop_assert!(found.overflow(found.largest()) <= 0.0);
        prop_assert!(found.overflow(found.largest() - 1) > 0.0);
        prop_assert!(found.overflow(0) >= 1.0);
    }
}
