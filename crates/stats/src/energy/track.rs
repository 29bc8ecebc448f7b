//! What a meter said over time, and what that comes to between two moments.

/// What a meter's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerKind {
    /// The power at a moment, in watts, as an instrument answers it: the energy between two is the trapezoid below them. One
    /// that now and then answers what it answered before is taken to measure only as often as it says something new.
    Watts,
    /// The same as a gauge shows it, which may be slower than its readings: a repetition is no further measurement.
    Gauge,
    /// The energy since some moment, in joules: the energy between two readings is their difference.
    Joules,
}

/// One reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerPoint {
    /// When, in seconds.
    pub at_s: f64,
    /// In watts or joules.
    pub value: f64,
}

/// The mean power from one reading to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerInterval {
    /// The first reading, in seconds.
    pub from_s: f64,
    /// The second.
    pub to_s: f64,
    /// The mean, in watts.
    pub mean_watts: f64,
}

/// The readings of one meter in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerTrack {
    /// What the values are.
    pub kind: PowerKind,
    points: Vec<PowerPoint>,
    /// The longest time between two readings over which the power is taken for known.
    longest_known_s: f64,
    /// When the meter had no power to say, in the order of time.
    failures_s: Vec<f64>,
}

/// Readings that are further apart than so many usual intervals have a gap between them, about which nothing is known.
const GAP_INTERVALS: f64 = 10.0;
/// The least part of a window that has to be known.
const LEAST_COVERED: f64 = 0.95;
/// The fewest readings that make a mean with an error.
const LEAST_READINGS: usize = 3;
/// Fewer readings that say something new tell nothing of how often the meter measures.
const FEW_DISTINCT: usize = 3;

/// The power between two moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerWindow {
    /// How long it is, in seconds.
    pub seconds: f64,
    /// The mean power where it is known, in watts.
    pub mean_watts: f64,
    /// The standard error of that mean where the power was steady: `s / sqrt(m)`, with s the deviation of all readings.
    pub steady_error: f64,
    /// The standard error of that mean where the power may have moved, by how far readings that follow each other are
    /// apart (von Neumann, 1941). Of a gauge `s / sqrt(m)` with `s^2 = sum (x(i+1) - x(i))^2 / 2 (m - 1)`. Where each
    /// reading is a measurement, `sum ((x(i+1) - x(i)) t(i))^2 / 2` is the square of the energy's, with t(i) the part of the
    /// time between the two that lies in the window: the same for even readings, and it knows the window's edges, where
    /// the power may step. Where only one reading of k is, the time between measurements, and so the error, is k times as
    /// long. None is left where a counter of energy was read: it misses nothing in between.
    pub moving_error: f64,
    /// Readings in the window.
    pub readings: usize,
    /// Readings that differ from the one before, and the first: m, but for an instrument that never said anything new.
    pub distinct: usize,
    /// The part of the window in which the power is known.
    pub covered: f64,
}

impl PowerWindow {
    /// Whether the meter said next to nothing new: how often it measures is not known, nor whether it still does.
    pub fn stood_still(&self) -> bool {
        self.distinct < FEW_DISTINCT
    }
}

/// Why there is no power of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoPower {
    /// Fewer readings than make a mean.
    FewReadings(usize),
    /// The meter had nothing to say for too long; the part of the window in which it had.
    NotCovered(f64),
}

impl PowerTrack {
    /// A track of readings, each later than the one before; those that are not are left out.
    pub fn new(kind: PowerKind, points: impl IntoIterator<Item = PowerPoint>) -> PowerTrack {
        let mut kept: Vec<PowerPoint> = Vec::new();
        for point in points {
            if kept.last().is_none_or(|last| point.at_s > last.at_s) && point.value.is_finite() {
                kept.push(point);
            }
        }
        let mut intervals: Vec<f64> = kept.windows(2).map(|pair| pair[1].at_s - pair[0].at_s).collect();
        intervals.sort_by(f64::total_cmp);
        let usual = intervals.get(intervals.len() / 2).copied().unwrap_or(0.0);
        PowerTrack { kind, points: kept, longest_known_s: usual * GAP_INTERVALS, failures_s: Vec::new() }
    }

    /// The same track of a meter that was asked at these times, in seconds, and had no power to say: of the time between the
    /// readings around them nothing is known, since what overloads a meter does so at the peaks. A counter misses nothing.
    #[must_use]
    pub fn with_failures(mut self, mut failures_s: Vec<f64>) -> PowerTrack {
        failures_s.sort_by(f64::total_cmp);
        if self.kind != PowerKind::Joules {
            self.failures_s = failures_s;
        }
        self
    }

    /// The same track on a clock whose zero is at `zero_s` of this one, in seconds.
    #[must_use]
    pub fn shifted(mut self, zero_s: f64) -> PowerTrack {
        self.points.iter_mut().for_each(|point| point.at_s -= zero_s);
        self.failures_s.iter_mut().for_each(|failure| *failure -= zero_s);
        self
    }

    /// The readings.
    pub fn points(&self) -> &[PowerPoint] {
        &self.points
    }

    /// The power over time, in watts, in stretches without a gap: as it was read, or the mean between two readings of a
    /// counter, at their middle.
    pub fn stretches(&self) -> impl Iterator<Item = Vec<PowerPoint>> + '_ {
        let stretches = self.points.chunk_by(|first, second| self.follows(first, second)).map(|stretch| {
            match self.kind {
                PowerKind::Watts | PowerKind::Gauge => stretch.to_vec(),
                PowerKind::Joules => stretch.windows(2).map(mean_between).collect(),
            }
        });
        stretches.filter(|stretch| !stretch.is_empty())
    }

    /// The mean power between readings that follow each other; gaps are left out.
    pub fn intervals(&self) -> impl Iterator<Item = PowerInterval> + '_ {
        self.known().map(|pair| PowerInterval {
            from_s: pair[0].at_s,
            to_s: pair[1].at_s,
            mean_watts: self.between(pair[0], pair[1], pair[0].at_s, pair[1].at_s)
                / (pair[1].at_s - pair[0].at_s),
        })
    }

    /// Readings that follow each other without a gap.
    fn known(&self) -> impl Iterator<Item = &[PowerPoint]> {
        self.points.windows(2).filter(|pair| self.follows(&pair[0], &pair[1]))
    }

    /// Whether the power between two readings is known.
    fn follows(&self, first: &PowerPoint, second: &PowerPoint) -> bool {
        let next = self.failures_s.partition_point(|failure| *failure < first.at_s);
        let has_failed = self.failures_s.get(next).is_some_and(|failure| *failure < second.at_s);
        !has_failed && second.at_s - first.at_s <= self.longest_known_s
    }

    /// The power from `from_s` to `to_s`.
    ///
    /// # Errors
    /// Where the meter said too little: nothing is filled in.
    pub fn window(&self, from_s: f64, to_s: f64) -> Result<PowerWindow, NoPower> {
        let (mut known_s, mut joules, mut squares) = (0.0, 0.0, 0.0);
        for pair in self.known() {
            let (begin, end) = (pair[0].at_s.max(from_s), pair[1].at_s.min(to_s));
            if begin < end {
                known_s += end - begin;
                joules += self.between(pair[0], pair[1], begin, end);
                squares += ((pair[1].value - pair[0].value) * (end - begin)).powi(2) / 2.0;
            }
        }
        let points = self.stretches().flatten();
        let values: Vec<f64> =
            points.filter(|point| (from_s..=to_s).contains(&point.at_s)).map(|point| point.value).collect();
        let seconds = to_s - from_s;
        let covered = (known_s / seconds).min(1.0);
        if values.len() < LEAST_READINGS {
            return Err(NoPower::FewReadings(values.len()));
        }
        if covered.is_nan() || covered < LEAST_COVERED {
            return Err(NoPower::NotCovered(covered.max(0.0)));
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let steps: Vec<f64> =
            values.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step != 0.0).collect();
        let distinct = steps.len() + 1;
        let (measured, moving_error) = match self.kind {
            PowerKind::Watts => {
                let measured = if distinct < FEW_DISTINCT { values.len() } else { distinct };
                (measured, squares.sqrt() / known_s * n / measured as f64)
            }
            PowerKind::Joules => (distinct, 0.0),
            PowerKind::Gauge => {
                let squares: f64 = steps.iter().map(|step| step * step).sum();
                (distinct, (squares / (2.0 * steps.len().max(1) as f64) / distinct as f64).sqrt())
            }
        };
        Ok(PowerWindow {
            seconds,
            mean_watts: joules / known_s,
            steady_error: (variance / measured as f64).sqrt(),
            moving_error,
            readings: values.len(),
            distinct,
            covered,
        })
    }

    /// The power from the first reading to the last between `from_s` and `to_s`: what a reading beyond says is of another
    /// time, as where a task begins or ends there.
    ///
    /// # Errors
    /// Where the meter said too little.
    pub fn window_within(&self, from_s: f64, to_s: f64) -> Result<PowerWindow, NoPower> {
        let mut points = self.points.iter().filter(|point| (from_s..=to_s).contains(&point.at_s));
        let (first, last) = (points.next(), points.next_back());
        let (Some(first), Some(last)) = (first, last) else { return self.window(from_s, to_s) };
        let is_silent = |one: f64, other: f64| other - one > self.longest_known_s;
        if is_silent(from_s, first.at_s) || is_silent(last.at_s, to_s) {
            return self.window(from_s, to_s);
        }
        self.window(first.at_s, last.at_s)
    }

    /// The energy between two moments within a pair of readings, in joules.
    fn between(&self, one: PowerPoint, next: PowerPoint, begin: f64, end: f64) -> f64 {
        let slope = (next.value - one.value) / (next.at_s - one.at_s);
        match self.kind {
            PowerKind::Joules => slope * (end - begin),
            PowerKind::Watts | PowerKind::Gauge => {
                (one.value + slope * (f64::midpoint(begin, end) - one.at_s)) * (end - begin)
            }
        }
    }
}

/// The mean power between two readings of a counter, at their middle.
fn mean_between(pair: &[PowerPoint]) -> PowerPoint {
    let (one, next) = (pair[0], pair[1]);
    PowerPoint {
        at_s: f64::midpoint(one.at_s, next.at_s),
        value: (next.value - one.value) / (next.at_s - one.at_s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(kind: PowerKind, values: &[(f64, f64)]) -> PowerTrack {
        PowerTrack::new(kind, values.iter().map(|(at_s, value)| PowerPoint { at_s: *at_s, value: *value }))
    }

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }

    #[test]
    fn nothing_is_drawn_through_silence() {
        let values: Vec<(f64, f64)> =
            (0..20).chain(60..80).map(|tenth| (f64::from(tenth) / 10.0, 4.0)).collect();
        for (kind, counts) in [(PowerKind::Watts, vec![20, 20]), (PowerKind::Joules, vec![19, 19])] {
            let found: Vec<usize> = track(kind, &values).stretches().map(|stretch| stretch.len()).collect();
            assert_eq!(found, counts, "{kind:?}");
        }
    }

    #[test]
    fn a_ramp_has_the_energy_of_its_trapezoid_between_any_two_moments() {
        // P(t) = 2 t, so the energy from a to b is b^2 - a^2.
        let ramp = track(PowerKind::Watts, &[(0.0, 0.0), (1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (4.0, 8.0)]);
        let found = ramp.window(0.5, 3.5).expect("known");
        close(found.mean_watts * found.seconds, 3.5 * 3.5 - 0.5 * 0.5);
        assert_eq!((found.readings, found.distinct, found.covered), (3, 3, 1.0));
        // Values 2, 4, 6: variance 4. Steps of 2 W over 0.5, 1, 1 and 0.5 s: (1 + 4 + 4 + 1) / 2 = 5 J^2.
        close(found.steady_error, (4.0_f64 / 3.0).sqrt());
        close(found.moving_error, 5.0_f64.sqrt() / 3.0);
    }

    #[test]
    fn a_counter_gives_its_difference_whatever_lies_between() {
        let counter =
            track(PowerKind::Joules, &[(0.0, 5.0), (1.0, 6.0), (2.0, 16.0), (3.0, 17.0), (4.0, 18.0)]);
        let found = counter.window(0.0, 4.0).expect("known");
        close(found.mean_watts * found.seconds, 13.0);
        close(found.moving_error, 0.0);
        assert_eq!(found.readings, 4);
    }

    #[test]
    fn a_gauge_that_repeats_itself_is_no_better_known_for_it() {
        let once = track(PowerKind::Gauge, &[(0.0, 4.0), (1.0, 6.0), (2.0, 4.0), (3.0, 6.0)]);
        let often: Vec<(f64, f64)> =
            (0..40).map(|i| (f64::from(i) / 10.0, if i / 10 % 2 == 0 { 4.0 } else { 6.0 })).collect();
        let often = track(PowerKind::Gauge, &often).window(0.0, 3.9).expect("known");
        let once = once.window(0.0, 3.0).expect("known");
        assert_eq!((once.distinct, often.distinct), (4, 4));
        assert!((once.steady_error / often.steady_error - 1.0).abs() < 0.2);
    }

    #[test]
    fn an_instrument_that_repeats_itself_is_as_uncertain_as_one_that_is_asked_less_often() {
        // Plateaus of 2, 9, 4 and 7 W in turn, for 5 s each, as the meter says them: once a second.
        let watts =
            |second: u32| [2.0, 9.0, 4.0, 7.0][(second / 5 % 4) as usize] + f64::from(second % 3) / 100.0;
        let asked = |each_second: u32| {
            let times = (0..=40 * each_second).map(|i| (i, f64::from(i) / f64::from(each_second)));
            let values: Vec<_> = times.map(|(i, at)| (at, watts(i / each_second))).collect();
            track(PowerKind::Watts, &values).window(0.0, 40.0).expect("known")
        };
        let (once, often) = (asked(1), asked(10));
        for (once, often) in
            [(once.steady_error, often.steady_error), (once.moving_error, often.moving_error)]
        {
            assert!((often / once - 1.0).abs() < 0.1, "{once} {often}");
        }
    }

    #[test]
    fn a_step_at_the_edges_of_a_task_is_as_uncertain_as_the_time_between_readings() {
        // 2 W, from 3.03 s to 8.03 s 9 W, then 2 W again.
        let step = |period: u32| {
            let times = (0..=110).step_by(period as usize).map(|tenth| f64::from(tenth) / 10.0);
            let watts = |at: f64| if (3.03..8.03).contains(&at) { 9.0 } else { 2.0 };
            track(PowerKind::Watts, &times.map(|at| (at, watts(at))).collect::<Vec<_>>())
        };
        for period in [1, 10] {
            let found = step(period).window(3.03, 8.03).expect("known");
            let (off, error) = (found.mean_watts * 5.0 - 45.0, found.moving_error * 5.0);
            assert!(off.abs() < 2.0 * error && error < 0.7 * f64::from(period), "{off} of {error}");
            // What is read in the task is no part of the idle time beside it.
            for idle in [(0.0, 3.03), (8.03, 11.0)] {
                let found = step(period).window_within(idle.0, idle.1).expect("known");
                assert_eq!((found.mean_watts, found.steady_error), (2.0, 0.0));
            }
        }
    }

    #[test]
    fn what_overloads_a_meter_is_not_bridged() {
        let values: Vec<(f64, f64)> =
            (0..=100).filter(|i| i % 10 != 5).map(|i| (f64::from(i), 1.0)).collect();
        let peaks: Vec<f64> = (0..10).map(|ten| f64::from(ten * 10 + 5)).collect();
        let of = |kind| track(kind, &values).with_failures(peaks.clone()).window(0.0, 100.0);
        assert_eq!(of(PowerKind::Watts), Err(NoPower::NotCovered(0.8)));
        let counted = track(PowerKind::Joules, &values).with_failures(peaks.clone());
        close(counted.window(0.0, 100.0).expect("a counter misses nothing").covered, 1.0);
    }

    #[test]
    fn silence_is_not_bridged() {
        let readings = |silent: std::ops::Range<u32>| {
            let times = (0..=100).filter(|i| !silent.contains(i));
            track(PowerKind::Watts, &times.map(|i| (f64::from(i) / 10.0, 1.0)).collect::<Vec<_>>())
        };
        close(readings(50..53).window(0.0, 10.0).expect("a few are missing").covered, 1.0);
        let found = readings(20..80).window(0.0, 10.0);
        assert!(matches!(found, Err(NoPower::NotCovered(part)) if (part - 0.39).abs() < 0.01), "{found:?}");
        assert_eq!(readings(0..0).window(20.0, 30.0), Err(NoPower::FewReadings(0)));
        assert!(matches!(readings(0..0).window(5.0, 15.0), Err(NoPower::NotCovered(_))));
        assert!(matches!(track(PowerKind::Watts, &[]).window(0.0, 1.0), Err(NoPower::FewReadings(0))));
    }
}
