//! Which times can be believed: one damaged digit makes a trace of hours a trace of years.

use drivelab_block::TracedIo;

use crate::reject_reason::RejectReason;

/// What lies no further than this from the others is among them: 30 days. Idle weeks are common, and sources are
/// not sorted.
const NEAR: u64 = 30 * 86_400 * 1_000_000_000;
/// So many near each other are a time of their own, however far from the others: a damaged row is alone.
const ENOUGH: usize = 16;
/// I/Os that are held until they are judged.
const MAX_HELD: usize = 4096;

/// The first and the last of some times.
type TimeSpan = (u64, u64);

/// Tells I/Os whose time is far from that of all others, in the order of the source.
#[derive(Debug, Default)]
pub struct Times {
    /// The times that are believed; none until there are enough.
    believed: Option<TimeSpan>,
    /// I/Os far from those, not yet judged.
    held: Vec<TracedIo>,
    /// The times of the last of them, which are near each other, and how many those are.
    group: Option<(TimeSpan, usize)>,
}

impl Times {
    /// Believes every time: the source is a clock, and not somebody's file.
    pub fn of_a_clock() -> Times {
        Times { believed: Some((0, u64::MAX)), ..Times::default() }
    }

    /// Takes the next I/O, and hands on what can be judged now.
    #[inline]
    pub fn judge(&mut self, io: TracedIo, mut on: impl FnMut(Result<TracedIo, RejectReason>)) {
        let at = io.issued_at.as_nanos();
        match &mut self.believed {
            Some(span) if is_near(*span, at) => {
                *span = with(*span, at);
                if !self.held.is_empty() {
                    self.settle(&mut on);
                }
                on(Ok(io));
            }
            _ => self.hold(io, &mut on),
        }
    }

    /// At the end of the source. Where there were never enough to tell, all are believed.
    pub fn end(&mut self, mut on: impl FnMut(Result<TracedIo, RejectReason>)) {
        if self.believed.is_none() {
            self.believed = Some((0, u64::MAX));
        }
        self.settle(&mut on);
    }

    fn hold(&mut self, io: TracedIo, on: &mut impl FnMut(Result<TracedIo, RejectReason>)) {
        let at = io.issued_at.as_nanos();
        if self.held.len() == MAX_HELD {
            self.settle(on);
        }
        let (span, count) = match self.group {
            Some((span, count)) if is_near(span, at) => (with(span, at), count + 1),
            _ => ((at, at), 1),
        };
        self.group = Some((span, count));
        self.held.push(io);
        if count == ENOUGH {
            let whole = self.believed.map_or(span, |(first, last)| (first.min(span.0), last.max(span.1)));
            self.believed = Some(whole);
            self.settle(on);
        }
    }

    /// Judges what is held by what is believed now.
    fn settle(&mut self, on: &mut impl FnMut(Result<TracedIo, RejectReason>)) {
        for io in self.held.drain(..) {
            let is_among = self.believed.is_some_and(|span| is_near(span, io.issued_at.as_nanos()));
            on(if is_among { Ok(io) } else { Err(RejectReason::STRAY_TIME) });
        }
        self.group = None;
    }
}

fn is_near((first, last): TimeSpan, at: u64) -> bool {
    at >= first.saturating_sub(NEAR) && at <= last.saturating_add(NEAR)
}

fn with((first, last): TimeSpan, at: u64) -> TimeSpan {
    (first.min(at), last.max(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Op, Sector, SectorCount};

    const DAY: u64 = 86_400_000_000_000;

    /// The times that are believed of these, and how many are not.
    fn judged(times: &[u64]) -> (Vec<u64>, usize) {
        let (mut believed, mut rejected) = (Vec::new(), 0);
        let mut on = |io: Result<TracedIo, RejectReason>| match io {
            Ok(io) => believed.push(io.issued_at.as_nanos()),
            Err(_) => rejected += 1,
        };
        let mut judge = Times::default();
        for at in times {
            let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
            judge.judge(TracedIo::new(Instant::from_nanos(*at), Op::Read, extent), &mut on);
        }
        judge.end(&mut on);
        (believed, rejected)
    }

    #[test]
    fn a_stray_time_is_told_wherever_it_stands() {
        let sane: Vec<u64> = (1_000..1_100).map(|day| day * DAY / 10).collect();
        for place in [0, 1, 15, 16, 50, 99, 100] {
            for stray in [0, 400 * DAY, u64::MAX] {
                let mut times = sane.clone();
                times.insert(place, stray);
                assert_eq!(judged(&times), (sane.clone(), 1), "{stray} at {place}");
            }
        }
    }

    #[test]
    fn idle_months_short_traces_and_unsorted_ones_are_believed() {
        let months: Vec<u64> = (0..64).map(|row| row / 16 * 200 * DAY + row % 16).collect();
        assert_eq!(judged(&months), (months.clone(), 0));
        let unsorted: Vec<u64> = (0..100).map(|row| (row * 37 % 100) * DAY).collect();
        assert_eq!(judged(&unsorted), (unsorted.clone(), 0));
        let few = [0, 100 * DAY, 5, 300 * DAY];
        assert_eq!(judged(&few), (few.to_vec(), 0));
    }
}
