//! When a trace's requests are due.

use drivelab_block::{Nanos, TracedIo};

/// How much faster than the trace a replay is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// As fast as the trace.
    pub const ONE: Speed = Speed(1.0);

    /// A factor from a thousandth to a million; `None` for any other.
    pub fn new(factor: f64) -> Option<Speed> {
        (1e-3..=1e6).contains(&factor).then_some(Speed(factor))
    }

    /// The factor.
    pub fn factor(self) -> f64 {
        self.0
    }

    /// A span of the trace in the replay, to the nearest nanosecond: exact at a speed of 1.
    #[inline]
    pub fn scaled(self, nanos: u64) -> u64 {
        if self == Speed::ONE {
            return nanos;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive time; saturates"
        )]
        let scaled = (nanos as f64 / self.0).round() as u64;
        scaled
    }
}

/// An absolute schedule: each due time is counted from the first request, so that errors never add up.
#[derive(Clone, Debug)]
pub struct Timetable {
    speed: Speed,
    max_idle: Option<Nanos>,
    first: Option<u64>,
    /// When everything so far was complete; where durations are not known, the last issue.
    busy_until: u64,
    idle_cut: u64,
    /// How many idle spans were cut.
    pub cuts: u64,
}

impl Timetable {
    /// A schedule at this speed. A span in which nothing was in flight is cut to `max_idle`, both in the trace's own
    /// time.
    pub fn new(speed: Speed, max_idle: Option<Nanos>) -> Timetable {
        Timetable { speed, max_idle, first: None, busy_until: 0, idle_cut: 0, cuts: 0 }
    }

    /// When the next request, in the order of issue, is due, from the first one on.
    #[inline]
    pub fn next(&mut self, io: &TracedIo) -> Nanos {
        let at = io.issued_at.as_nanos();
        let first = *self.first.get_or_insert(at);
        let idle = at.saturating_sub(self.busy_until.max(first));
        let cut = self.max_idle.map_or(0, |most| idle.saturating_sub(most.get()));
        self.idle_cut += cut;
        self.cuts += u64::from(cut > 0);
        let until = io.completed_at().unwrap_or(io.issued_at).as_nanos();
        self.busy_until = self.busy_until.max(until).max(at);
        let due = at.saturating_sub(first).saturating_sub(self.idle_cut);
        Nanos::new(self.speed.scaled(due))
    }

    /// The idle time that was cut so far, in the trace's own time.
    pub fn idle_cut(&self) -> Nanos {
        Nanos::new(self.idle_cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Op};

    fn io(at: u64, service: Option<u64>) -> TracedIo {
        let io = TracedIo::new(Instant::from_nanos(at), Op::Read, Extent::default());
        TracedIo { service: service.map(Nanos::new), ..io }
    }

    fn dues(table: &mut Timetable, ios: &[TracedIo]) -> Vec<u64> {
        ios.iter().map(|io| table.next(io).get()).collect()
    }

    #[test]
    fn only_what_is_idle_and_too_long_is_cut() {
        let ios = [
            io(100, Some(1_000)),
            io(200, Some(10)),
            io(1_600, Some(5)),
            io(9_605, Some(1)),
            io(9_606, None),
        ];
        let mut table = Timetable::new(Speed::ONE, Some(Nanos::new(500)));
        // Idle from 1,100 to 1,600, which is just short enough, and from 1,605 to 9,605, of which 7,500 go.
        assert_eq!(dues(&mut table, &ios), [0, 100, 1_500, 2_005, 2_006]);
        assert_eq!((table.idle_cut(), table.cuts), (Nanos::new(7_500), 1));
    }

    #[test]
    fn a_speed_scales_the_whole_and_not_each_gap() {
        let mut table = Timetable::new(Speed::new(3.0).expect("a speed"), None);
        let ios: Vec<TracedIo> = (0..=3_000).map(|number| io(number * 10, None)).collect();
        assert_eq!(dues(&mut table, &ios).last(), Some(&10_000));
        assert!([0.0, -1.0, f64::NAN, f64::INFINITY].into_iter().all(|factor| Speed::new(factor).is_none()));
    }
}
