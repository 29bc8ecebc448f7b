//! The buffer that a stream needs, for every rate at once.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{StreamWrites, whole};

/// How often the writes are gone through at most: each time finds one window, or that there is none between two others.
const PASSES_MAX: usize = 256;

// `Backlog` replays a run for one rate R. While the drive is busy from write k to write j, the backlog grows to `(2 - n) B + R
// M` bytes, with `n = j - k + 1` writes, blocks of B bytes, and M the time that these writes kept the drive busy. The largest
// backlog is the greatest of these values over all windows of consecutive writes, so for each n only the longest M counts, and
// of these only the ones on the upper convex hull of M over n: few of them hold the answer for every rate that the drive keeps
// up with. It is the backlog bound of a constant rate arrival curve at an empirical service curve (Le Boudec and Thiran, Network
// Calculus, 2001, theorem 1.4.1).
/// What gives the buffer for a stream of any constant rate ([`BufferCurve`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BufferCurveFindings")]
pub struct BufferCurve {
    /// Bytes of a write, which documents do not repeat.
    #[serde(skip)]
    pub block_bytes: u64,
    /// How many writes there were.
    pub writes: u64,
    /// How long they kept the drive busy.
    pub busy_ns: u64,
    /// How many writes at the end are looked at by themselves: those of one pass where the range was written at least twice,
    /// otherwise the last quarter.
    pub late_writes: u64,
    /// How long these kept the drive busy.
    pub late_busy_ns: u64,
    /// How many consecutive writes kept the drive busy for how many nanoseconds at most, for the numbers that decide.
    pub windows: Vec<(u64, u64)>,
}

impl BufferCurve {
    /// The curve that a document holds, of a stream in blocks of so many bytes.
    #[must_use]
    pub fn of_blocks(&self, block_bytes: u64) -> BufferCurve {
        BufferCurve { block_bytes, ..self.clone() }
    }

    /// The curve of a run. Goes through its writes at most 256 times.
    pub fn from_stream(stream: &StreamWrites) -> BufferCurve {
        let service: Vec<u64> = stream.service().collect();
        let late_writes = stream.late_writes();
        let mut curve = BufferCurve {
            block_bytes: stream.block_bytes,
            writes: service.len() as u64,
            busy_ns: service.iter().sum(),
            late_writes: late_writes as u64,
            late_busy_ns: service[service.len() - late_writes..].iter().sum(),
            windows: Vec::new(),
        };
        if curve.busy_ns > 0 {
            curve.find_windows(&service);
        }
        curve
    }

    /// The largest backlog of a stream of `rate` bytes a second in bytes; of a run without a write 0. Where the drive does not
    /// keep up with the stream this is no bound.
    pub fn largest_backlog(&self, rate: f64) -> u64 {
        let largest = self.windows.iter().map(|window| self.backlog(*window, rate)).fold(0.0, f64::max);
        whole(largest.ceil()) as u64
    }

    /// Whether the drive kept up with a stream of `rate` bytes a second on average, over all writes and over the late ones.
    pub fn sustains(&self, rate: f64) -> bool {
        self.sustains_over_all(rate) && self.is_in_time(rate, self.late_busy_ns, self.late_writes)
    }

    /// The same over all writes alone.
    pub fn sustains_over_all(&self, rate: f64) -> bool {
        self.is_in_time(rate, self.busy_ns, self.writes)
    }

    /// Whether so many writes keep the drive busy for no longer than a stream takes to bring them.
    fn is_in_time(&self, rate: f64, busy_ns: u64, writes: u64) -> bool {
        busy_ns as f64 <= writes as f64 * (self.block_bytes as f64 / rate * 1e9)
    }

    /// The greatest rate that [`BufferCurve::sustains`], in bytes a second; none of a run without a write.
    pub fn sustained_rate(&self) -> Option<f64> {
        let rate = |busy: u64, writes: u64| {
            (busy > 0).then(|| writes as f64 * self.block_bytes as f64 * 1e9 / busy as f64)
        };
        let whole = rate(self.busy_ns, self.writes)?;
        Some(rate(self.late_busy_ns, self.late_writes).map_or(whole, |late| late.min(whole)))
    }

    /// The fastest stream for which a buffer of so many bytes is never too small, in bytes a second, at most
    /// [`BufferCurve::sustained_rate`]; none where not even the slowest one has room.
    pub fn fastest_stream(&self, buffer_bytes: u64) -> Option<f64> {
        let room = |(writes, busy): &(u64, u64)| {
            (buffer_bytes as f64 + (*writes as f64 - 2.0) * self.block_bytes as f64) * 1e9 / *busy as f64
        };
        let least = self.windows.iter().map(room).fold(self.sustained_rate()?, f64::min);
        (least > 0.0).then_some(least)
    }

    fn backlog(&self, (writes, busy): (u64, u64), rate: f64) -> f64 {
        (2.0 - writes as f64) * self.block_bytes as f64 + rate * busy as f64 / 1e9
    }

    /// Between two windows lies another one where, at the rate at which both give the same backlog, it gives a larger one.
    fn find_windows(&mut self, service: &[u64]) {
        let fastest = self.block_bytes as f64 * self.writes as f64 * 1e9 / self.busy_ns as f64;
        let shortest = (1, service.iter().copied().max().unwrap_or(0));
        let longest = self.worst(service, fastest);
        let mut open = VecDeque::from([(shortest, longest)]);
        self.windows.extend([shortest, longest]);
        for _ in 0..PASSES_MAX {
            let Some((shorter, longer)) = open.pop_front() else { break };
            if longer.0 <= shorter.0 + 1 || longer.1 <= shorter.1 {
                continue;
            }
            let bytes = (longer.0 - shorter.0) as f64 * self.block_bytes as f64;
            let rate = bytes * 1e9 / (longer.1 - shorter.1) as f64;
            let between = self.worst(service, rate);
            let is_new = shorter.0 < between.0 && between.0 < longer.0;
            if is_new && self.backlog(between, rate) > self.backlog(shorter, rate) + 0.5 {
                self.windows.push(between);
                open.extend([(shorter, between), (between, longer)]);
            }
        }
        self.windows.sort_unstable();
        self.windows.dedup();
    }

    /// The window with the largest backlog at one rate.
    fn worst(&self, service: &[u64], rate: f64) -> (u64, u64) {
        let block = self.block_bytes as f64;
        let (mut window, mut backlog) = ((0, 0), 0.0f64);
        let mut worst = (window, backlog);
        for busy in service {
            // Where the drive was done by the time that the next block was there, a new window begins: of two windows that give
            // the same backlog the shorter one is the corner.
            if backlog <= 2.0 * block {
                (window, backlog) = ((0, 0), 2.0 * block);
            }
            window = (window.0 + 1, window.1 + busy);
            backlog += rate * *busy as f64 / 1e9 - block;
            if backlog > worst.1 {
                worst = (window, backlog);
            }
        }
        worst.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backlog, Standstills};
    use drivelab_block::{
        Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Sector, SectorCount, Status,
    };

    const BLOCK: u64 = 1 << 20;

    /// Writes one after the other that take so many nanoseconds.
    fn stream(times: impl Iterator<Item = u64>) -> StreamWrites {
        let mut stream = StreamWrites::new(PhaseId(0), BLOCK);
        let mut now = Instant::ORIGIN;
        for (number, time) in (0..).zip(times) {
            let submitted_at = now;
            now += Nanos::new(time);
            stream.accept(
                &[Completion {
                    intended_at: submitted_at,
                    submitted_at,
                    issued_at: None,
                    completed_at: now,
                    extent: Extent { start: Sector::new(number * 2048), length: SectorCount::new(2048) },
                    op: Op::Write,
                    status: Status::OK,
                    phase: PhaseId(0),
                    queue: QueueId(0),
                }],
                &Standstills::default(),
            );
        }
        stream
    }

    #[test]
    fn every_rate_has_the_backlog_of_its_own_replay() {
        // Times of a fixed sequence between 5 and 15 ms, with single delays and groups of slow writes.
        let times = (0..4_000_u64).scan(7_u64, |state, number| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let usual = 5_000_000 + (*state >> 40) % 10_000_000;
            let slow = if number % 700 < 9 { 60_000_000 } else { 0 };
            Some(usual + slow + if number % 997 == 500 { 800_000_000 } else { 0 })
        });
        let stream = stream(times);
        let curve = BufferCurve::from_stream(&stream);
        let limit = curve.sustained_rate().expect("writes");
        assert!(curve.sustains(limit * 0.999) && !curve.sustains(limit * 1.001));
        assert!(curve.windows.len() < 100, "{} windows", curve.windows.len());
        for percent in 1..=99_u32 {
            let rate = limit * f64::from(percent) / 100.0;
            let replayed = Backlog::from_stream(&stream, rate);
            assert_eq!(replayed.sustained, curve.sustains(rate));
            assert!(
                replayed.largest.abs_diff(curve.largest_backlog(rate)) <= 2,
                "{percent} %: {} is not {}",
                curve.largest_backlog(rate),
                replayed.largest
            );
            let buffer = curve.largest_backlog(rate);
            let fastest = curve.fastest_stream(buffer).expect("there is room");
            assert!(fastest >= rate * (1.0 - 1e-9) && curve.largest_backlog(fastest) <= buffer + 2);
        }
    }

    #[test]
    fn a_run_without_a_write_has_no_curve() {
        let curve = BufferCurve::from_stream(&stream(std::iter::empty()));
        assert_eq!((curve.largest_backlog(1e9), curve.sustained_rate()), (0, None));
    }

    /// The corners of the upper hull of the longest time over the number of writes, up to the rate that the drive keeps up with,
    /// straight from their definition: each has a rate at which it gives more than all others.
    fn corners(service: &[u64], fastest: f64) -> Vec<(u64, u64)> {
        let longest = |writes: usize| service.windows(writes).map(|all| all.iter().sum()).max().unwrap_or(0);
        let all: Vec<(u64, u64)> =
            (1..=service.len()).map(|writes| (writes as u64, longest(writes))).collect();
        // Blocks for each nanosecond: those at which two windows give the same backlog, and between them.
        let slope = |one: &(u64, u64), other: &(u64, u64)| {
            (other.0 - one.0) as f64 / other.1.saturating_sub(one.1).max(1) as f64
        };
        let is_corner = |(place, window): &(usize, &(u64, u64))| {
            let below = all[..*place].iter().map(|shorter| slope(shorter, window)).fold(0.0, f64::max);
            let above = all[place + 1..].iter().map(|longer| slope(window, longer)).fold(fastest, f64::min);
            below * (1.0 + 1e-9) < above
        };
        all.iter().enumerate().filter(is_corner).map(|(_, window)| *window).collect()
    }

    /// Whole milliseconds, so that many windows lie between two others without adding anything.
    #[test]
    fn the_windows_are_the_corners_of_the_hull() {
        let mut draws = crate::draws::fixture::Draws(1);
        for count in (1..=8).chain([12; 40]).chain([40; 20]).chain([200]) {
            // The first one is odd, so that the rate of all writes is not that of two windows.
            let odd = |number: u64| if number == 0 { 10_007 } else { 0 };
            let times = (0..count).map(|number| match draws.share() {
                0.9.. => 5_000_000 + odd(number),
                0.6.. => 2_000_000 + odd(number),
                _ => 1_000_000 + odd(number),
            });
            let stream = stream(times.collect::<Vec<u64>>().into_iter());
            let service: Vec<u64> = stream.service().collect();
            let curve = BufferCurve::from_stream(&stream);
            let fastest = curve.writes as f64 / curve.busy_ns as f64;
            assert_eq!(curve.windows, corners(&service, fastest), "{service:?}");
        }
    }

    #[test]
    fn a_buffer_of_one_block_has_no_room_for_any_stream() {
        let curve = BufferCurve::from_stream(&stream([10_000_000; 4].into_iter()));
        assert_eq!(curve.fastest_stream(BLOCK), None);
        assert!(curve.fastest_stream(BLOCK + 1).is_some());
    }

    /// The windows of writes of 512 bytes that keep the drive busy so long.
    fn windows(service: &[u64]) -> Vec<(u64, u64)> {
        let mut curve = BufferCurve {
            block_bytes: 512,
            writes: service.len() as u64,
            busy_ns: service.iter().sum(),
            ..BufferCurve::default()
        };
        curve.find_windows(service);
        curve.windows
    }

    #[test]
    fn windows_that_add_nothing_are_left_out() {
        // Half a byte is less than the backlog is told in.
        let late = [&[10_240, 1_025, 1_023][..], &[0; 13]].concat();
        assert_eq!(windows(&late), [(1, 10_240), (3, 12_288)]);
        // At the rate that the drive just keeps up with, longer windows give the same backlog.
        for (service, shortest) in [(&[11, 18, 4][..], 18), (&[30, 10, 10, 0, 0], 30)] {
            assert_eq!(windows(service), [(1, shortest)]);
            let busy: u64 = service.iter().sum();
            assert_eq!(corners(service, service.len() as f64 / busy as f64), [(1, shortest)]);
        }
    }
}
