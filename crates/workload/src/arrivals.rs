//! When an open loop wants its I/Os.

use drivelab_block::Nanos;

use crate::{Draw, Seed};

/// How the requests of an open loop are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Equal gaps.
    Regular,
    /// Independent exponential gaps.
    Poisson,
}

/// An absolute schedule: each time is counted from the start of the phase, so that errors never add up.
#[derive(Clone, Debug)]
pub struct Schedule {
    arrivals: Arrivals,
    mean_gap_ns: f64,
    /// When the first request of a regular schedule is due.
    first_ns: f64,
    count: u64,
    /// The running sum is kept in nanoseconds with a fraction: whole microseconds would make a process of
    /// 300 thousand a second a third too fast.
    at_ns: f64,
    draw: Draw,
}

impl Schedule {
    /// The part of worker `worker` of `workers` in a schedule of `rate` I/Os a second, above 0, for all of them: the parts of a
    /// regular schedule take turns, the first beginning at zero; those of a Poisson process are processes of their own, whose
    /// first request is due after one gap.
    pub fn shared(arrivals: Arrivals, rate: f64, worker: u16, workers: u16, seed: Seed) -> Schedule {
        let gap_of_all = 1e9 / rate.max(f64::MIN_POSITIVE);
        Schedule {
            arrivals,
            mean_gap_ns: gap_of_all * f64::from(workers.max(1)),
            first_ns: gap_of_all * f64::from(worker),
            count: 0,
            at_ns: 0.0,
            draw: seed.child("arrivals").draw(),
        }
    }
}

impl Iterator for Schedule {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        match self.arrivals {
            // A product, not a sum: a regular schedule is exact however long it runs.
            Arrivals::Regular => self.at_ns = self.first_ns + self.count as f64 * self.mean_gap_ns,
            Arrivals::Poisson => self.at_ns -= self.draw.unit().ln() * self.mean_gap_ns,
        }
        self.count += 1;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive time; saturates"
        )]
        let at = self.at_ns.round() as u64;
        Some(Nanos::new(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest distance between the empirical distribution of the gaps and the exponential one.
    fn kolmogorov_smirnov(gaps: &mut [f64], mean: f64) -> f64 {
        gaps.sort_unstable_by(f64::total_cmp);
        let n = gaps.len() as f64;
        gaps.iter()
            .enumerate()
            .map(|(index, gap)| {
                let expected = 1.0 - (-gap / mean).exp();
                (expected - index as f64 / n).abs().max(((index + 1) as f64 / n - expected).abs())
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn ten_thousand_poisson_gaps_are_exponential_at_every_rate() {
        for rate in [1_000.0, 5_000.0, 50_000.0, 150_000.0, 300_000.0] {
            let times: Vec<u64> = Schedule::shared(Arrivals::Poisson, rate, 0, 1, Seed::new(42))
                .take(10_001)
                .map(Nanos::get)
                .collect();
            let mut gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
            let distance = kolmogorov_smirnov(&mut gaps, 1e9 / rate);
            // The 1 % point of the Kolmogorov-Smirnov statistic for n = 10,000.
            assert!(distance < 1.6276 / 100.0, "{rate}: {distance}");
        }
    }

    #[test]
    fn a_regular_schedule_does_not_drift() {
        let last =
            Schedule::shared(Arrivals::Regular, 3.0, 0, 1, Seed::new(0)).nth(3_000_000).expect("endless");
        assert_eq!(last, Nanos::from_secs(1_000_000));
    }

    #[test]
    fn workers_take_turns_in_a_regular_schedule() {
        let part = |worker| Schedule::shared(Arrivals::Regular, 4_000.0, worker, 4, Seed::new(1)).take(100);
        let mut times: Vec<u64> = (0..4).flat_map(part).map(Nanos::get).collect();
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 250_000));
    }

    #[test]
    fn a_poisson_process_keeps_its_rate() {
        let last = Schedule::shared(Arrivals::Poisson, 300_000.0, 0, 1, Seed::new(3))
            .nth(2_999_999)
            .expect("endless");
        assert!((last.as_secs_f64() - 10.0).abs() < 0.03, "{last}");
    }
}
