//! What clustering would have been seen: bursts planted among the same arrivals.
//!
//! Where slow I/Os are not shown to be clustered, that alone says nothing: there may be too few of them. So as many slow
//! I/Os as were seen are dealt to the same arrivals a few hundred times, a ninth of them in bursts of ten in a row and the
//! others by themselves. That is an index of dispersion of 2 (1 + 9 / 9), twice that of chance. Where the index that was
//! seen lies below that of 95 % of these, such bursts are excluded at a level of 5 % (the inversion of a test: the upper
//! bound of the index's interval lies below that amount of clustering).

use super::arrivals::WindowArrivals;
use super::windows::Loads;
use crate::draws::mixed;

/// I/Os of a burst.
pub const BURST: u64 = 10;
/// One in so many slow I/Os belongs to a burst.
pub const IN_BURSTS: u64 = 9;
/// Slow I/Os from which on three bursts are expected, and none at all comes about in less than 5 % of traces: fewer can
/// exclude nothing.
pub const ENOUGH_FOR_BURSTS: u64 = 3 * BURST * IN_BURSTS;
/// Draws, at least and at most; 39 is the least number of which one in twenty is two.
const DRAWS: (u64, u64) = (39, 199);
/// Steps that all draws together may take, about.
const STEPS: u64 = 20_000_000;
/// Deviations above 1 that chance exceeds in 1 % of cases.
const HARDLY_CHANCE: f64 = 2.33;
/// Where the sequence of these numbers begins, apart from that of the rotations.
const OFFSET: u64 = 3 << 61;

/// The index of dispersion of one length of windows beside that of planted bursts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedBursts {
    /// The window in nanoseconds.
    pub window: u64,
    /// The index that was seen.
    pub seen: f64,
    /// The index that 95 % of draws with bursts exceed.
    pub least: f64,
    /// Whether bursts are told from chance there: that index lies above what chance reaches in 99 % of cases.
    pub has_power: bool,
}

impl PlantedBursts {
    /// Whether such bursts are excluded.
    pub fn are_excluded(&self) -> bool {
        self.has_power && self.seen < self.least
    }
}

/// Plants bursts among `count` I/Os that arrived in `loads`, as many slow ones as there are numbers in `slow`.
pub fn planted_bursts(slow: &[u64], loads: &Loads, count: u64) -> Vec<PlantedBursts> {
    let arrivals = WindowArrivals::new(loads, count);
    let seen = arrivals.dispersions(slow);
    let mut indices = vec![Vec::new(); seen.len()];
    let mut numbers = RandomNumbers(OFFSET);
    for _ in 0..draws(slow.len(), loads.windows.len()) {
        let planted = numbers.planted(slow.len(), count);
        let found = arrivals.dispersions(&planted);
        indices.iter_mut().zip(found).for_each(|(indices, found)| indices.push(found.index));
    }
    let levels = seen.iter().zip(indices);
    let of_level = levels.filter_map(|(seen, mut indices)| {
        indices.sort_by(f64::total_cmp);
        let least = exceeded_by_95_percent(&indices)?;
        let has_power = least > 1.0 + HARDLY_CHANCE * seen.deviation;
        Some(PlantedBursts { window: seen.window, seen: seen.index, least, has_power })
    });
    of_level.collect()
}

/// How many draws are made of so many slow I/Os in so many windows.
fn draws(slow: usize, windows: usize) -> u64 {
    let steps = 8 * slow + windows;
    (STEPS / steps.max(1) as u64).clamp(DRAWS.0, DRAWS.1)
}

/// Of indices in rising order, the one below which the next lies in 5 % of cases; `None` of fewer than 19.
fn exceeded_by_95_percent(sorted: &[f64]) -> Option<f64> {
    sorted.get(((sorted.len() + 1) / 20).checked_sub(1)?).copied()
}

/// Random numbers, the same ones every time.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 += 1;
        mixed(self.0) % limit.max(1)
    }

    /// So many slow I/Os of `count`, in rising order.
    fn planted(&mut self, slow: usize, count: u64) -> Vec<u64> {
        let mut planted = Vec::with_capacity(slow + slow / 8);
        for _ in 0..slow as u64 / BURST {
            if self.below(IN_BURSTS) == 0 {
                let first = self.below(count.saturating_sub(BURST) + 1);
                planted.extend(first..first + BURST);
            }
        }
        // Two may fall on one I/O: what is short of the number is dealt again.
        loop {
            planted.sort_unstable();
            planted.dedup();
            let short = slow - planted.len();
            if short == 0 {
                return planted;
            }
            planted.extend((0..short).map(|_| self.below(count)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_slow_ios_are_planted_as_were_seen_a_ninth_of_them_in_bursts_of_ten() {
        let planted = RandomNumbers(5).planted(9_000, 10_000_000);
        assert_eq!(planted.len(), 9_000);
        assert!(planted.is_sorted_by(|one, next| one < next) && planted[8_999] < 10_000_000);
        let bursts = planted.windows(10).filter(|run| run[9] == run[0] + 9).count();
        // 900 tens, each a burst with a probability of a ninth: 100, with a deviation of 9.4.
        assert!(bursts.abs_diff(100) < 30, "{bursts}");
        // Where most I/Os are slow, many of them fall on each other.
        let dense = RandomNumbers(5).planted(900, 1_000);
        assert!(dense.len() == 900 && dense.is_sorted_by(|one, next| one < next) && dense[899] < 1_000);
    }

    #[test]
    fn a_burst_may_lie_anywhere_from_the_first_io_to_the_last() {
        let mut numbers = RandomNumbers(0);
        let mut begun = [0; 3];
        for _ in 0..2_000 {
            let planted = numbers.planted(10, 12);
            if planted[9] == planted[0] + 9 {
                begun[usize::try_from(planted[0]).expect("0, 1 or 2")] += 1;
            }
        }
        // A third of 222 bursts, and a sixty-sixth of the 1,778 others.
        assert!(begun.iter().all(|count| (70..140).contains(count)), "{begun:?}");
    }

    #[test]
    fn fewer_draws_are_made_where_each_takes_long() {
        assert_eq!(
            (draws(0, 0), draws(300, 90_000), draws(20_000, 40_000), draws(1 << 19, 0)),
            (199, 199, 100, 39)
        );
    }

    #[test]
    fn one_in_twenty_lies_at_the_index_or_below() {
        let of = |count: u32| exceeded_by_95_percent(&(1..=count).map(f64::from).collect::<Vec<f64>>());
        assert_eq!(
            [of(18), of(19), of(38), of(39), of(199)],
            [None, Some(1.0), Some(1.0), Some(2.0), Some(10.0)]
        );
    }

    #[test]
    fn bursts_are_excluded_where_they_would_have_been_seen_and_the_index_lies_below_theirs() {
        let found = |seen, has_power| PlantedBursts { window: 1, seen, least: 1.5, has_power }.are_excluded();
        assert_eq!((found(1.4, true), found(1.4, false), found(1.5, true)), (true, false, false));
    }

    /// Of windows with ten I/Os each, bursts of ten fill one or two: their index is twice that of chance. Of windows with one
    /// I/O each nothing can be told.
    #[test]
    fn bursts_are_told_from_chance_where_windows_hold_several_ios() {
        let slow: Vec<u64> = (0..400).map(|number| number * 100 + mixed(number) % 100).collect();
        let of = |each: u64| {
            let windows = (0..40_000 / each).map(|number| (number, each)).collect();
            planted_bursts(&slow, &Loads { window: 10_000_000, windows }, 40_000)
        };
        let (ten, one) = (of(10)[0], of(1)[0]);
        assert_eq!((ten.window, one.window), (10_000_000, 10_000_000));
        assert!(ten.has_power && ten.are_excluded() && (0.8..1.2).contains(&ten.seen), "{ten:?}");
        assert!((1.2..1.8).contains(&ten.least), "{ten:?}");
        assert!(!one.has_power && !one.are_excluded(), "{one:?}");
    }

    /// One I/O in each window leaves nothing to deviate, and an index of 1 with bursts as well.
    #[test]
    fn bursts_are_not_excluded_by_an_index_that_is_that_of_chance_whatever_is_slow() {
        let loads = Loads { window: 10_000_000, windows: (0..8).map(|number| (number, 1)).collect() };
        let found = planted_bursts(&[0, 1, 2, 3], &loads, 8)[0];
        assert!(!found.has_power && (found.least - 1.0).abs() < 1e-12, "{found:?}");
    }
}
