//! Streams whose delays, backlog and times are known.

use drivelab_block::{
    Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Sector, SectorCount, Status, TracedIo,
};

use super::*;
use crate::{Standstill, StandstillCause, Standstills};

const BLOCK: u64 = 1 << 20;
const MS: u64 = 1_000_000;

/// The n-th write of a stream: when it was submitted and completed, in milliseconds.
fn write(number: u64, submitted: u64, completed: u64) -> Completion {
    let submitted_at = Instant::from_nanos(submitted * MS);
    Completion {
        intended_at: submitted_at,
        submitted_at,
        issued_at: None,
        completed_at: Instant::from_nanos(completed * MS),
        extent: Extent { start: Sector::new(number * 2048), length: SectorCount::new(2048) },
        op: Op::Write,
        status: Status::OK,
        phase: PhaseId(0),
        queue: QueueId(0),
    }
}

fn stream(writes: &[Completion]) -> StreamWrites {
    let mut stream = StreamWrites::new(PhaseId(0), BLOCK);
    stream.accept(writes, &Standstills::default());
    stream
}

/// Writes one after the other that take so many milliseconds.
fn in_turn(times: &[u64]) -> StreamWrites {
    in_passes(times.len() as u64, times)
}

/// The same over a range of a number of blocks, again and again.
fn in_passes(blocks: u64, times: &[u64]) -> StreamWrites {
    let mut now = 0;
    let writes = (0..).zip(times).map(|(number, time)| {
        now += time;
        write(number % blocks, now - time, now)
    });
    stream(&writes.collect::<Vec<_>>())
}

/// A hundred writes of 10 ms each. Numbers 60 to 62 are in flight at the same time, and 62 takes longest; 70 takes 200 ms, and
/// 71, which is submitted when 70 has ended, 150 ms.
#[test]
fn writes_that_waited_together_are_one_delay_and_its_longest_tells_how_long_it_was() {
    let mut writes: Vec<Completion> =
        (0..60).map(|number| write(number, number * 10, number * 10 + 10)).collect();
    writes.extend([write(60, 600, 900), write(61, 610, 905), write(62, 620, 1_000)]);
    let mut now = 1_000;
    for number in 63..100 {
        let takes = match number {
            70 => 200,
            71 => 150,
            _ => 10,
        };
        writes.push(write(number, now, now + takes));
        now += takes;
    }
    let figures = DelayFigures::from_stream(&stream(&writes));
    let delay = |write: usize, at: u64, duration: u64| Delay {
        write,
        longest: write,
        writes: 1,
        at: at * MS,
        duration: duration * MS,
        sector: write as u64 * 2048,
        bytes_since_previous: None,
    };
    let expected = [
        Delay { writes: 3, ..delay(62, 620, 380) },
        Delay { bytes_since_previous: Some(8 * BLOCK), ..delay(70, 1_070, 200) },
        Delay { bytes_since_previous: Some(BLOCK), ..delay(71, 1_270, 150) },
    ];
    assert_eq!(figures.delays, expected);
    // The geometric middle of 10 and 150 ms.
    assert_eq!(figures.threshold, Some(38_729_833));
    assert_eq!((figures.all.moments().count(), figures.rest.moments().count()), (100, 95));
    assert_eq!((figures.durations.count(), figures.durations.sum()), (3, 730 * u128::from(MS)));
    assert_eq!((figures.between.count(), figures.between.sum()), (2, 9 * u128::from(BLOCK)));
}

#[test]
fn of_writes_that_waited_together_the_first_may_be_the_longest() {
    let mut writes: Vec<Completion> =
        (0..60).map(|number| write(number, number * 10, number * 10 + 10)).collect();
    writes.extend([write(60, 600, 900), write(61, 605, 904), write(62, 610, 910)]);
    let found = DelayFigures::from_stream(&stream(&writes)).delays;
    let told: Vec<_> =
        found.iter().map(|one| (one.write, one.longest, one.writes, one.duration / MS)).collect();
    assert_eq!(told, [(62, 60, 3, 300)], "the first of two that are equally long");
}

/// Blocks come every 10 ms, and the third write takes 40 ms, so that five blocks have come together at its end.
#[test]
fn the_backlog_of_a_stream_is_that_of_a_replay_by_hand() {
    let stream = in_turn(&[5, 5, 40, 5, 5, 5, 5, 5]);
    let rate = BLOCK as f64 * 100.0;
    let mut told = Vec::new();
    let backlog =
        Backlog::follow(&stream, rate, |at, bytes| told.push((at / 1e6, bytes as f64 / BLOCK as f64)));
    let expected = [
        (15.0, 1.5),
        (25.0, 1.5),
        (70.0, 5.0),
        (75.0, 4.5),
        (80.0, 4.0),
        (85.0, 3.5),
        (90.0, 3.0),
        (95.0, 2.5),
    ];
    for ((at, blocks), (expected_at, expected_blocks)) in told.iter().zip(expected) {
        assert!((at - expected_at).abs() < 1e-6 && (blocks - expected_blocks).abs() < 1e-5, "{told:?}");
    }
    assert_eq!((told.len(), backlog.lasted, backlog.sustained), (8, 95 * MS, true));
    assert!(backlog.largest.abs_diff(5 * BLOCK) <= 1 && (backlog.rate - rate).abs() < 1e-9);
    // Two of eight writes ended with more than 4.2 blocks, and one with more than 4.9.
    let buffer = |tenths: u64| BLOCK * tenths / 10;
    assert_eq!((backlog.overflow(buffer(42)), backlog.overflow(buffer(49))), (0.25, 0.125));
    // Four blocks are no more than four blocks.
    assert_eq!((backlog.overflow(buffer(40)), backlog.overflow(buffer(49))), (0.25, 0.125));
    assert_eq!((backlog.overflow(buffer(51)), backlog.overflow(0)), (0.0, 1.0));
}

#[test]
fn a_drive_keeps_up_where_it_does_on_average_and_over_the_last_quarter() {
    let keeps_up = |times: &[u64]| {
        let (stream, rate) = (in_turn(times), BLOCK as f64 * 100.0);
        let curve = BufferCurve::from_stream(&stream);
        assert_eq!(curve.sustains(rate), Backlog::from_stream(&stream, rate).sustained, "{times:?}");
        curve.sustains(rate)
    };
    assert!(keeps_up(&[10; 8]), "exactly as fast");
    assert!(!keeps_up(&[75, 1, 1, 1, 1, 1, 1, 1]), "slower in all");
    assert!(!keeps_up(&[1, 1, 1, 1, 1, 1, 12, 12]), "slower in the last quarter");
    assert!(keeps_up(&[1, 1, 1, 1, 1, 12, 10, 10]), "slower just before");
}

/// A disk is slower at its end: whether it keeps up for long does not depend on where in a pass the run ended.
#[test]
fn a_drive_that_was_written_twice_keeps_up_where_it_does_over_the_last_pass() {
    let keeps_up = |pass: &[u64], writes: usize, slower: u64| {
        let times: Vec<u64> =
            (0..writes).map(|at| pass[at % pass.len()] + if at < pass.len() { 0 } else { slower }).collect();
        let stream = in_passes(pass.len() as u64, &times);
        let rate = BLOCK as f64 * 100.0;
        let curve = BufferCurve::from_stream(&stream);
        assert_eq!(curve.sustains(rate), Backlog::from_stream(&stream, rate).sustained, "{times:?}");
        curve.sustains(rate)
    };
    let pass = [6, 6, 8, 8, 10, 10, 12, 12];
    for writes in 16..=40 {
        assert!(keeps_up(&pass, writes, 0), "{writes} writes at 9 ms for each pass");
        assert!(!keeps_up(&pass, writes, 2), "{writes} writes at 11 ms for each pass but the first");
    }
    assert!(!keeps_up(&pass, 8, 0), "what follows the one pass is not known");
}

#[test]
fn only_writes_of_the_streams_own_phase_count_from_its_begin() {
    let mut stream = StreamWrites::new(PhaseId(1), BLOCK);
    assert_eq!((stream.rate(), stream.busy_share(), stream.span()), (None, None, 0));
    stream.begin(PhaseId(1), Instant::from_nanos(100 * MS));
    stream.begin(PhaseId(2), Instant::from_nanos(900 * MS));
    let own = |number, submitted, completed| Completion {
        phase: PhaseId(1),
        ..write(number, submitted, completed)
    };
    stream.accept(
        &[
            write(0, 100, 110),
            own(1, 100, 110),
            Completion { op: Op::Read, ..own(2, 110, 120) },
            Completion { status: Status::from_code(5), ..own(3, 110, 120) },
            Completion { status: Status::from_code(5), ..own(3, 120, 125) },
            own(4, 130, 150),
        ],
        &Standstills::default(),
    );
    let writes: Vec<_> =
        stream.writes().iter().map(|one| (one.submitted_at, one.completed_at, one.sector)).collect();
    assert_eq!(writes, [(0, 10 * MS, 2048), (30 * MS, 50 * MS, 4 * 2048)]);
    assert_eq!(
        (stream.failed, stream.bytes(), stream.span(), stream.delayed.left_out),
        (2, 2 * BLOCK, 50 * MS, 0)
    );
    // 30 of 50 ms.
    assert_eq!((stream.busy_share(), stream.rate()), (Some(0.6), Some(BLOCK as f64 * 40.0)));
}

/// Three blocks in 100 ms, of which the program stood still for 50: what was due then is written after it where the stream has a
/// rate of its own.
#[test]
fn a_standstill_is_no_time_of_a_stream_without_a_rate_of_its_own() {
    let at = |ms: u64| Instant::from_nanos(ms * MS);
    let stopped = Standstill { from: at(25), until: at(75), queue: None, cause: StandstillCause::Stopped };
    let rate = |is_paced: bool| {
        let mut stream = StreamWrites::new(PhaseId(0), BLOCK).paced(is_paced);
        let writes = [write(0, 0, 10), write(1, 10, 20), write(2, 90, 100)];
        stream.accept(&writes, &Standstills::from_iter([stopped]));
        stream.rate()
    };
    assert_eq!((rate(true), rate(false)), (Some(BLOCK as f64 * 30.0), Some(BLOCK as f64 * 60.0)));
}

/// Of two that overlap, the second adds what it took beyond the first.
#[test]
fn time_in_which_two_writes_were_in_flight_counts_once() {
    let found = stream(&[write(0, 0, 10), write(1, 5, 20), write(2, 30, 40)]);
    assert_eq!(found.service().collect::<Vec<u64>>(), [10 * MS, 10 * MS, 10 * MS]);
    assert_eq!(found.busy_share(), Some(0.75));
}

#[test]
fn a_request_belongs_to_the_write_whose_place_and_time_it_has() {
    // The fourth write goes to the place of the first once more.
    let again = Completion { extent: write(0, 0, 0).extent, ..write(3, 30, 40) };
    let stream = stream(&[write(0, 0, 10), write(1, 10, 20), write(2, 20, 30), again]);
    let request = |issued_us: i64, sector: u64, service_us: Option<u64>, op: Op| {
        let extent = Extent { start: Sector::new(5_000 + sector), length: SectorCount::new(1024) };
        let io = TracedIo::new(Instant::ORIGIN, op, extent);
        (issued_us * 1_000, TracedIo { service: service_us.map(|service| Nanos::new(service * 1_000)), ..io })
    };
    let requests = [
        // The first write in two halves, of which the second is issued first.
        request(1_500, 1024, Some(3_000), Op::Write),
        request(2_000, 0, Some(7_000), Op::Write),
        // The kernel's clock is behind by less than 0.2 ms at the second write's submission, and ahead at the third's end.
        request(9_800, 2048, Some(1_000), Op::Write),
        request(30_200, 2 * 2048, Some(2_000), Op::Write),
        request(31_000, 0, Some(4_000), Op::Write),
        // Somebody else's: too late, too early, elsewhere, before the stream; and reads are none.
        request(30_201, 2 * 2048 + 1024, Some(1_000), Op::Write),
        request(9_799, 2048 + 1024, Some(1_000), Op::Write),
        request(9_000, 4 * 2048, Some(1_000), Op::Write),
        request(-1, 0, Some(1_000), Op::Write),
        request(5_000, 0, None, Op::Write),
        request(5_000, 0, Some(9_000), Op::Read),
    ];
    let times = DeviceTimes::match_requests(&stream, 5_000, requests.into_iter());
    let found: Vec<_> = (0..5).map(|place| times.of_write(place).map(|nanos| nanos / 1_000)).collect();
    assert_eq!(found, [Some(7_500), Some(1_000), Some(2_000), Some(4_000), None]);
    assert_eq!(times.unmatched, 5);
    let all = times.distribution();
    assert_eq!((all.moments().count(), all.moments().sum()), (4, 14_500_000));
}
