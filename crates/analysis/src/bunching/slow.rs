//! The slow I/Os of one threshold, and what is known of them.

use super::episodes::{Episode, Period};
use super::power::{self, PlantedBursts};
use super::rotation::{self, Rotation};
use super::thresholds::Threshold;
use super::windows::Dispersion;
use super::{Bunching, Tally};

/// Deviations from chance from which on it is no chance: the odds are below one in ten thousand.
pub const NO_CHANCE: f64 = 4.0;
/// The same as a probability.
const HARDLY_EVER: f64 = 1e-4;
/// So many that are expected by chance are counted by deviations; `exp` of more than 745 below 0 is nothing.
const MANY_EXPECTED: f64 = 500.0;

/// The slow I/Os of one threshold.
#[derive(Clone, Copy, Debug)]
pub struct SlowIos<'a> {
    pub(super) bunching: &'a Bunching,
    pub(super) tally: &'a Tally,
    pub(super) place: usize,
}

impl SlowIos<'_> {
    /// From when on an I/O counts as slow.
    pub fn threshold(&self) -> Threshold {
        self.tally.threshold
    }

    /// How many I/Os were slow.
    pub fn slow(&self) -> u64 {
        self.tally.slow
    }

    /// The share of slow I/Os; 0 where there was none at all.
    pub fn p_slow(&self) -> f64 {
        if self.bunching.count == 0 { 0.0 } else { self.slow() as f64 / self.bunching.count as f64 }
    }

    /// The share of slow ones among the I/Os that come right after a slow one; `None` without such.
    pub fn p_slow_after_slow(&self) -> Option<f64> {
        let Tally { followed, slow_after_slow, .. } = *self.tally;
        (followed > 0).then(|| slow_after_slow as f64 / followed as f64)
    }

    /// How many times more likely an I/O is slow after a slow one; 1 is chance.
    pub fn lift(&self) -> Option<f64> {
        Some(self.p_slow_after_slow()? / self.p_slow())
    }

    /// By how many standard deviations more I/Os are slow after a slow one than chance would have it.
    ///
    /// By chance, of n I/Os after a slow one a binomial number is slow.
    pub fn lift_sigmas(&self) -> Option<f64> {
        let p = self.p_slow();
        let scatter = (p * (1.0 - p) / self.tally.followed as f64).sqrt();
        let excess = self.p_slow_after_slow()? - p;
        (scatter > 0.0).then(|| excess / scatter)
    }

    /// Whether more I/Os are slow right after a slow one than chance hardly ever has: by four standard deviations, or where
    /// few are expected, with a probability below 1 in 10,000. Deviations would not do there: two more than are expected
    /// may be four deviations, and come about often.
    ///
    /// Where each I/O is slow or not by itself, their number is nearly a Poisson variate.
    pub fn follow_beyond_chance(&self) -> bool {
        let expected = self.p_slow() * self.tally.followed as f64;
        if expected > MANY_EXPECTED {
            return self.lift_sigmas().is_some_and(|sigmas| sigmas > NO_CHANCE);
        }
        poisson_tail(expected, self.tally.slow_after_slow) < HARDLY_EVER
    }

    /// The index of dispersion, window by window.
    pub fn dispersions(&self) -> Vec<Dispersion> {
        self.bunching.dispersions.indices(self.place)
    }

    /// How many episodes there were.
    pub fn episode_count(&self) -> u64 {
        self.tally.episodes.count()
    }

    /// The first ten thousand episodes.
    pub fn episodes(&self) -> Vec<Episode> {
        self.tally.episodes.list()
    }

    /// The twenty worst episodes, the worst first.
    pub fn worst_episodes(&self) -> Vec<Episode> {
        self.tally.episodes.worst()
    }

    /// Bursts planted in place of these slow I/Os, by the length of the window: what clustering would have been seen. Nothing
    /// where there are too many to keep.
    pub fn planted_bursts(&self) -> Vec<PlantedBursts> {
        let Some(marks) = self.bunching.marks.at(self.place) else { return Vec::new() };
        power::planted_bursts(&marks, &self.bunching.dispersions.loads(), self.bunching.count)
    }

    /// How likely chance alone crowds these slow I/Os as much; `None` where there is too little to rotate, or too much
    /// to keep. Takes up to half a second.
    pub fn rotation(&self) -> Option<Rotation> {
        let marks = self.bunching.marks.at(self.place)?;
        rotation::rotation(&marks, &self.bunching.dispersions.loads(), self.bunching.count)
    }

    /// How likely distances as regular as those of the period are by chance; `None` without a period.
    pub fn period_by_chance(&self) -> Option<f64> {
        self.tally.episodes.period_by_chance()
    }

    /// The place of the threshold among all of them.
    pub fn place(&self) -> usize {
        self.place
    }

    /// What the episodes come back with, where that is regular.
    pub fn period(&self) -> Option<Period> {
        self.tally.episodes.period()
    }

    /// Nanoseconds in which the oldest I/O in flight was older than the threshold.
    pub fn frozen(&self) -> u64 {
        self.tally.frozen
    }
}

/// The probability that a Poisson variate of this mean is at least `least`.
fn poisson_tail(mean: f64, least: u64) -> f64 {
    let mut term = (-mean).exp();
    let mut below = 0.0;
    for count in 0..least {
        below += term;
        term *= mean / (count + 1) as f64;
        if term < f64::MIN_POSITIVE && count as f64 > mean {
            break;
        }
    }
    (1.0 - below).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::poisson_tail;

    #[test]
    fn the_tail_is_that_of_the_formula() {
        let found = poisson_tail(0.25, 2);
        let expected = 1.0 - (-0.25f64).exp() * 1.25;
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert!((poisson_tail(3.0, 0) - 1.0).abs() < 1e-12);
        assert!(poisson_tail(2.0, 100_000) < 1e-12);
    }
}
