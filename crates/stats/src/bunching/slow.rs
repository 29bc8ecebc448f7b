//! The slow I/Os of one threshold, and what is known of them.

use super::power::{self, PlantedBursts};
use super::rotation::{self, PermutationTest};
use super::windows::Dispersion;
use super::{Bunching, SlowTally};

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
    /// What was counted of them.
    pub tally: &'a SlowTally,
    /// The place of the threshold among all of them.
    pub place: usize,
}

impl SlowIos<'_> {
    /// The share of slow I/Os; 0 where there was none at all.
    pub fn p_slow(&self) -> f64 {
        if self.bunching.count == 0 { 0.0 } else { self.tally.slow as f64 / self.bunching.count as f64 }
    }

    /// The share of slow ones among the I/Os that come right after a slow one; `None` without such.
    pub fn p_slow_after_slow(&self) -> Option<f64> {
        let SlowTally { followed, slow_after_slow, .. } = *self.tally;
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

    /// Bursts planted in place of these slow I/Os, by the length of the window: what clustering would have been seen. Nothing
    /// where there are too many to keep.
    pub fn planted_bursts(&self) -> Vec<PlantedBursts> {
        let Some(marks) = self.bunching.marks.at(self.place) else { return Vec::new() };
        power::planted_bursts(&marks, &self.bunching.dispersions.loads(), self.bunching.count)
    }

    /// How likely chance alone crowds these slow I/Os as much; `None` where there is too little to rotate, or too much
    /// to keep. Takes up to half a second.
    pub fn rotation(&self) -> Option<PermutationTest> {
        let marks = self.bunching.marks.at(self.place)?;
        rotation::rotation(&marks, &self.bunching.dispersions.loads(), self.bunching.count)
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
    use super::super::{Bunching, Period, Threshold};
    use super::*;

    /// I/Os of 300 us, and of 40 ms where `S` stands.
    fn analysed(pattern: impl Iterator<Item = char>) -> Bunching {
        let mut bunching = Bunching::default();
        for (number, letter) in (0..).zip(pattern) {
            bunching.add(number * 1_000_000, if letter == 'S' { 40_000_000 } else { 300_000 }, 0);
        }
        bunching
    }

    #[test]
    fn the_lift_is_that_of_the_counts() {
        let bunching = analysed("SS-S-----S".chars());
        let slow = bunching.at(1);
        // The last one has none after it; of the three others one is followed by a slow one.
        assert_eq!((slow.tally.threshold, slow.tally.slow, slow.place), (Threshold::Fixed(16_700_000), 4, 1));
        let near = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?} {expected}");
        };
        near(Some(slow.p_slow()), 0.4);
        near(slow.p_slow_after_slow(), 1.0 / 3.0);
        near(slow.lift(), 1.0 / 1.2);
        // Three I/Os that are each slow with a probability of 0.4: a mean of 0.4, and a deviation of sqrt(0.24 / 3).
        near(slow.lift_sigmas(), (1.0 / 3.0 - 0.4) / 0.08f64.sqrt());
        let (none, all) = (Bunching::default(), analysed("SSSS".chars()));
        assert!((none.at(0).p_slow(), none.at(0).lift(), none.at(0).lift_sigmas()) == (0.0, None, None));
        assert_eq!(all.at(0).lift_sigmas(), None, "nothing scatters where all are slow");
    }

    /// 5,000 of 20,000 are slow, so that 1,250 are expected after a slow one, with a deviation of 30.6. A Poisson variate, which
    /// is what few are compared with, scatters more.
    #[test]
    fn many_that_follow_each_other_are_no_chance_from_four_deviations_on() {
        let with_pairs = |pairs: usize| {
            let slow = ["SS-"].repeat(pairs).into_iter().chain(["S-"].repeat(5_000 - 2 * pairs));
            let quick = "-".repeat(20_000 - 3 * pairs - 2 * (5_000 - 2 * pairs));
            analysed(slow.flat_map(str::chars).chain(quick.chars())).at(0).follow_beyond_chance()
        };
        assert!(!with_pairs(1_370), "3.9 deviations");
        assert!(with_pairs(1_376), "4.1 deviations");
    }

    /// 3,072 of 12,288 are slow: 768 are expected after a slow one, with a deviation of 24.
    #[test]
    fn four_deviations_themselves_may_be_chance() {
        let pattern = "SS-".repeat(864) + &"S-".repeat(3_072 - 2 * 864) + &"-".repeat(7_008);
        let bunching = analysed(pattern.chars());
        let slow = bunching.at(0);
        assert_eq!((slow.lift_sigmas(), slow.follow_beyond_chance()), (Some(4.0), false));
    }

    /// 2,500 of 12,500 are slow. 581 are 4.05 deviations more than 500 are expected, and as a Poisson variate 3.6.
    #[test]
    fn up_to_500_that_are_expected_are_compared_with_a_poisson_variate() {
        let with_pairs = |pairs: usize| {
            let slow = ["SS-"].repeat(pairs).into_iter().chain(["S-"].repeat(2_500 - 2 * pairs));
            let quick = "-".repeat(12_500 - 3 * pairs - 2 * (2_500 - 2 * pairs));
            analysed(slow.flat_map(str::chars).chain(quick.chars())).at(0).follow_beyond_chance()
        };
        assert_eq!((with_pairs(581), with_pairs(591)), (false, true));
    }

    #[test]
    fn of_few_that_follow_each_other_more_are_needed_than_deviations_would_have() {
        // 100 of 10,000 are slow, and one is expected after a slow one. P(X >= 7) is 8.3e-5, P(X >= 6) is 5.9e-4, and six are
        // five deviations from one.
        let with_pairs = |pairs: usize| {
            let slow = ["SS-"].repeat(pairs).into_iter().chain(["S-"].repeat(100 - 2 * pairs));
            let quick = "-".repeat(10_000 - 3 * pairs - 2 * (100 - 2 * pairs));
            analysed(slow.flat_map(str::chars).chain(quick.chars())).at(0).follow_beyond_chance()
        };
        assert_eq!((with_pairs(6), with_pairs(7)), (false, true));
    }

    #[test]
    fn the_tail_is_that_of_the_formula() {
        let found = poisson_tail(0.25, 2);
        let expected = 1.0 - (-0.25f64).exp() * 1.25;
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert!((poisson_tail(3.0, 0) - 1.0).abs() < 1e-12);
        assert!(poisson_tail(2.0, 100_000) < 1e-12);
    }

    /// A quarter of a second apart each is an episode of its own.
    #[test]
    fn slow_ios_have_the_episodes_and_the_period_of_their_threshold() {
        let regular = analysed(("S".to_owned() + &"-".repeat(249)).repeat(30).chars());
        let slow = regular.at(0);
        assert_eq!(
            (slow.tally.episodes.count, slow.tally.episodes.list().len(), slow.tally.episodes.worst().len()),
            (30, 30, 20)
        );
        assert_eq!(
            (slow.tally.episodes.period(), slow.tally.episodes.period_by_chance()),
            (Some(Period::Nanos(250e6)), Some(0.001))
        );
        assert_eq!(
            (regular.at(6).tally.episodes.count, regular.at(6).tally.episodes.period_by_chance()),
            (0, None)
        );
    }
}
