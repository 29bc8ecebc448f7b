//! How even the rates of single seconds are, and whether they are of two kinds.

use crate::median::median;

/// A second counts as near the median within this share of it.
pub const NEAR_MEDIAN: f64 = 0.1;
/// Fewer seconds than this are not divided.
const SECONDS_MIN: usize = 20;
/// Each of two modes has at least this share of the seconds ...
const MODE_SHARE_MIN: f64 = 0.1;
/// ... the middle third between their means at most this one, since a second in which the rate changes lies there ...
const BETWEEN_SHARE_MAX: f64 = 0.1;
/// ... and at most this share of what the rarer mode has, as the thin end of one kind is no second kind ...
const BETWEEN_TO_RARER_MAX: f64 = 0.5;
/// ... and the faster has at least this many times the rate of the slower: what differs by less is no change that a user notices.
const RATIO_MIN: f64 = 1.2;

/// How even the rates of single seconds are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evenness {
    /// The median.
    pub median: f64,
    /// The share of seconds within 10 % of the median, 0 to 1; 0 where that is 0, of which nothing is a share.
    pub near_median_share: f64,
    /// The slower and the faster mode, where the seconds are of two kinds with hardly any between.
    pub modes: Option<[Mode; 2]>,
}

/// Seconds of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The mean of their rates.
    pub mean: f64,
    /// The median of their rates: where a graph shows them.
    pub median: f64,
    /// Their share of all seconds, 0 to 1.
    pub share: f64,
}

impl Mode {
    /// That of some of `all` seconds, in ascending order; none of no seconds.
    fn from_sorted(sorted: &[f64], all: f64) -> Option<Mode> {
        let count = sorted.len() as f64;
        // Of an even number the lower one of the two: a rate that some second had.
        let median = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
        Some(Mode { mean: sorted.iter().sum::<f64>() / count, median, share: count / all })
    }
}

impl Evenness {
    /// That of these rates; zeros of none.
    pub fn from_rates(rates: &[f64]) -> Evenness {
        let mut sorted = rates.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let Some(median) = median(&sorted) else { return Evenness::default() };
        let is_near = |rate: &&f64| median > 0.0 && (**rate - median).abs() <= NEAR_MEDIAN * median;
        let near = sorted.iter().filter(is_near).count();
        Evenness { median, near_median_share: near as f64 / sorted.len() as f64, modes: two_modes(&sorted) }
    }
}

/// The two groups of ascending rates whose means lie the farthest apart, weighted by how many each has: those with the largest
/// variance between groups (N. Otsu, "A threshold selection method from gray-level histograms", 1979). They are modes where each
/// is large enough, and the middle between them is nearly empty: any rates can be divided in two.
fn two_modes(sorted: &[f64]) -> Option<[Mode; 2]> {
    if sorted.len() < SECONDS_MIN {
        return None;
    }
    let (n, sum) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let mut below = 0.0;
    let mut best = None;
    for (index, rate) in sorted.iter().enumerate().take(sorted.len().saturating_sub(1)) {
        below += rate;
        let count = (index + 1) as f64;
        let (slow, fast) = (below / count, (sum - below) / (n - count));
        let between = count * (n - count) * (fast - slow).powi(2);
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, index + 1));
        }
    }
    let (_, divided) = best?;
    let (below, above) = sorted.split_at(divided);
    let modes = [Mode::from_sorted(below, n)?, Mode::from_sorted(above, n)?];
    let [slow, fast] = modes;
    let third = (fast.mean - slow.mean) / 3.0;
    let middle = sorted.iter().filter(|rate| (slow.mean + third..=fast.mean - third).contains(rate)).count();
    let is_large = modes.iter().all(|mode| mode.share >= MODE_SHARE_MIN);
    let between_max = BETWEEN_SHARE_MAX.min(slow.share.min(fast.share) * BETWEEN_TO_RARER_MAX);
    let is_apart = fast.mean > slow.mean * RATIO_MIN && middle as f64 / n <= between_max;
    (is_large && is_apart).then_some(modes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn seconds_near_the_median_are_counted() {
        let of = |rates: &[f64]| {
            let found = Evenness::from_rates(rates);
            (found.median, found.near_median_share)
        };
        assert_eq!(of(&[90.0, 100.0, 100.0, 110.0, 111.0, 89.0, 0.0, 100.0]), (100.0, 5.0 / 8.0));
        assert_eq!(of(&[10.0, 20.0]), (15.0, 0.0));
        assert_eq!(of(&[0.0, 0.0, 0.0]), (0.0, 0.0), "a drive that did nothing is not even");
        assert_eq!(Evenness::from_rates(&[]), Evenness::default());
    }

    #[test]
    fn seconds_of_two_kinds_are_two_modes() {
        // Three slow seconds, then one fast one, with a few per cent of noise.
        let rates: Vec<f64> = (0..400)
            .map(|second| if second % 4 == 3 { 9_000.0 } else { 1_000.0 } + f64::from(second % 7))
            .collect();
        let [slow, fast] = Evenness::from_rates(&rates).modes.expect("two modes");
        assert!((slow.share - 0.75).abs() < 1e-9 && (fast.share - 0.25).abs() < 1e-9);
        assert!((slow.mean - 1_003.0).abs() < 0.1 && (fast.mean - 9_003.0).abs() < 0.1, "{slow:?} {fast:?}");
    }

    /// A few seconds between two rates move a mean to where a graph shows nothing.
    #[test]
    fn a_mode_is_at_the_median_of_its_seconds() {
        let kinds = [(180, 2_200.0), (15, 14_000.0), (20, 38_000.0), (185, 47_600.0)];
        let rates: Vec<f64> = kinds.iter().flat_map(|(seconds, rate)| vec![*rate; *seconds]).collect();
        let [slow, fast] = Evenness::from_rates(&rates).modes.expect("two modes");
        assert_eq!((slow.median, fast.median), (2_200.0, 47_600.0));
        assert!(slow.mean > 3_000.0 && fast.mean < 47_000.0, "{slow:?} {fast:?}");
    }

    /// The shares and the means of the two modes.
    fn modes(kinds: &[(usize, f64)]) -> Option<[(f64, f64); 2]> {
        let rates: Vec<f64> = kinds.iter().flat_map(|(seconds, rate)| vec![*rate; *seconds]).collect();
        Evenness::from_rates(&rates).modes.map(|modes| modes.map(|mode| (mode.share, mode.mean)))
    }

    #[test]
    fn a_single_second_hides_no_two_modes() {
        for kinds in
            [[(1, 0.0), (200, 8_000.0), (199, 16_000.0)], [(200, 1_000.0), (199, 9_000.0), (1, 60_000.0)]]
        {
            let found = modes(&kinds).expect("two modes");
            assert!(found.iter().all(|(share, _)| (share - 0.5).abs() < 0.01), "{found:?}");
        }
    }

    #[test]
    fn modes_of_other_shares_are_divided_between_their_kinds() {
        assert_eq!(modes(&[(80, 1_000.0), (320, 1_300.0)]), Some([(0.2, 1_000.0), (0.8, 1_300.0)]));
    }

    #[test]
    fn a_tenth_of_the_seconds_and_a_fifth_more_suffice() {
        assert!(modes(&[(360, 1_000.0), (40, 9_000.0)]).is_some());
        assert!(modes(&[(200, 1_000.0), (200, 1_205.0)]).is_some());
    }

    #[test]
    fn a_few_seconds_between_two_kinds_are_allowed() {
        let with = |between: usize| modes(&[(200, 1_000.0), (between, 5_000.0), (200 - between, 9_000.0)]);
        assert!(with(40).is_some(), "10 % of the seconds");
        assert_eq!(with(41), None);
        let with_rare =
            |between: usize| modes(&[(360 - between, 1_000.0), (between, 4_000.0), (40, 9_000.0)]);
        assert!(with_rare(20).is_some(), "half of what the rarer mode has");
        assert_eq!(with_rare(21), None);
    }

    /// Seconds that are as often slower as faster: the slower ones are those that a user notices.
    #[test]
    fn of_two_divisions_that_are_as_good_that_at_the_slower_seconds_is_taken() {
        let [slow, fast] = modes(&[(3, 1_000.0), (14, 5_000.0), (3, 9_000.0)]).expect("two modes");
        assert!((slow.0 - 0.15).abs() < 1e-9 && (fast.0 - 0.85).abs() < 1e-9, "{slow:?} {fast:?}");
    }

    #[test]
    fn rates_without_a_gap_are_no_two_modes() {
        let even: Vec<f64> = (0..400).map(|second| 1_000.0 + f64::from(second) * 20.0).collect();
        assert_eq!(Evenness::from_rates(&even).modes, None, "spread evenly");
        let few: Vec<f64> = (0..400).map(|second| if second < 39 { 9_000.0 } else { 1_000.0 }).collect();
        assert_eq!(Evenness::from_rates(&few).modes, None, "39 of 400 are no kind of their own");
        let near: Vec<f64> = (0..400).map(|second| if second % 2 == 0 { 1_000.0 } else { 1_200.0 }).collect();
        assert_eq!(Evenness::from_rates(&near).modes, None, "a fifth more is no other kind");
        assert_eq!(Evenness::from_rates(&[7.0; 90]).modes, None);
        let of = |seconds: usize| {
            Evenness::from_rates(&[vec![1.0; seconds / 2], vec![9.0; seconds / 2]].concat()).modes
        };
        assert!(of(18).is_none() && of(20).is_some(), "too few seconds to tell");
    }

    proptest! {
        /// A sum of twelve even numbers is nearly normal: one mode, whatever the mean and the deviation.
        #[test]
        fn noise_around_one_rate_is_one_mode(seed in 0_u64.., deviation in 0.01..0.3) {
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            let rates: Vec<f64> =
                (0..600).map(|_| 1_000.0 * (1.0 + deviation * ((0..12).map(|_| next()).sum::<f64>() - 6.0))).collect();
            prop_assert_eq!(Evenness::from_rates(&rates).modes, None);
        }
    }
}
