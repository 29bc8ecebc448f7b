//! Whether slow I/Os are clustered: shown, consistent with chance, or not shown and why.
//!
//! That clustering was not found is no evidence against it. So "consistent with chance" is only said where bursts of a
//! stated amount are excluded ([`super::power`]), and of the windows for which they are.

use super::power::{ENOUGH_FOR_BURSTS, PlantedBursts};
use super::slow::{NO_CHANCE, SlowIos};
use super::windows::Dispersion;
use super::{Chance, ENOUGH_SLOW, MOST_OFTEN};

/// Deviations from which on an index is no evidence for chance, even of few windows.
const AGAINST_CHANCE: f64 = 2.0;
/// Times more than chance from which on it is clustering that matters.
const CLUSTERED: f64 = 2.0;
/// From this probability on, what was seen may be chance, whatever the deviations say.
const MAY_BE_CHANCE: f64 = 0.05;
/// Up to this probability it is no accident, however little it is.
const NO_ACCIDENT: f64 = 0.01;
/// Windows from which on an index of dispersion shows something.
const MANY_WINDOWS: u64 = 20;

/// Whether slow I/Os are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clustering {
    /// They are: more than by chance.
    Shown(ClusteringShown),
    /// They are as chance would have them: bursts that hold one in nine of them would have been seen in windows of these
    /// lengths, in nanoseconds.
    Chance {
        /// The shortest window for which bursts are excluded.
        shortest: u64,
        /// The longest one.
        longest: u64,
    },
    /// Neither is shown.
    NotShown(NotShown),
}

/// How slow I/Os are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClusteringShown {
    /// One is slow so many times as often after a slow one as by chance.
    Following(f64),
    /// Their number in windows of this length varies more than by chance.
    Windows {
        /// The window in nanoseconds.
        window: u64,
        /// The index of dispersion there; 1 is chance.
        index: f64,
    },
    /// More than by chance, with this probability, and by less than a factor of two.
    Slightly(f64),
}

/// Why neither clustering nor chance is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotShown {
    /// There are too few slow I/Os.
    TooFew {
        /// How many there are.
        slow: u64,
        /// How many are needed to exclude bursts.
        needed: u64,
    },
    /// This share of all I/Os is slow: they are no exception.
    TooMany(f64),
    /// There are too few windows of any length, or too few I/Os in each, to tell bursts from chance.
    TooFewWindows,
    /// An index of dispersion is large, and chance does as much this often.
    LargeIndex {
        /// The window in nanoseconds.
        window: u64,
        /// The index there.
        index: f64,
        /// How likely chance alone crowds them as much.
        p: f64,
    },
    /// One is slow more often after a slow one, and chance does as much this often.
    LargeLift {
        /// How many times as often as by chance.
        lift: f64,
        /// How likely chance alone crowds them as much.
        p: f64,
    },
    /// The probability is neither small enough to show clustering nor large enough for chance.
    Borderline(f64),
    /// An index of dispersion is neither large nor small enough to exclude bursts.
    BurstsPossible {
        /// The window in nanoseconds.
        window: u64,
        /// The index there.
        index: f64,
    },
    /// There are too many slow I/Os to keep and to shift, and they are not clustered by much.
    TooManyToShift,
}

impl SlowIos<'_> {
    /// Whether they are clustered, where this is what chance does. Takes up to a second where chance does as much.
    pub fn clustering(&self, chance: &Chance) -> Clustering {
        if self.tally.slow < ENOUGH_SLOW {
            return Clustering::NotShown(NotShown::TooFew {
                slow: self.tally.slow,
                needed: ENOUGH_FOR_BURSTS,
            });
        }
        if self.p_slow() > MOST_OFTEN {
            return Clustering::NotShown(NotShown::TooMany(self.p_slow()));
        }
        match (self.striking(), chance.crowding.map(|found| found.p)) {
            (Some(shown), None) => Clustering::Shown(shown),
            (Some(shown), Some(p)) if p < MAY_BE_CHANCE => Clustering::Shown(shown),
            (None, Some(p)) if p <= NO_ACCIDENT => Clustering::Shown(ClusteringShown::Slightly(p)),
            (None, Some(p)) if p < MAY_BE_CHANCE => Clustering::NotShown(NotShown::Borderline(p)),
            (None, None) => Clustering::NotShown(NotShown::TooManyToShift),
            (_, Some(p)) => self.large(p).map_or_else(|| self.beside_bursts(), Clustering::NotShown),
        }
    }

    /// How they follow each other, or vary from window to window, beyond chance.
    fn striking(&self) -> Option<ClusteringShown> {
        let lift = self.lift_beyond_chance();
        let windows = self
            .most_dispersed(MANY_WINDOWS, NO_CHANCE)
            .map(|found| ClusteringShown::Windows { window: found.window, index: found.index });
        lift.map(ClusteringShown::Following).or(windows)
    }

    /// The largest index that is more than twice that of chance, and above it by more than so many deviations, of at least so
    /// many windows.
    fn most_dispersed(&self, windows_min: u64, deviations: f64) -> Option<Dispersion> {
        let large = self.dispersions().into_iter().filter(|found| {
            found.windows >= windows_min
                && found.index > CLUSTERED
                && found.index > 1.0 + deviations * found.deviation
        });
        large.max_by(|one, other| one.index.total_cmp(&other.index))
    }

    /// How many times as often one is slow after a slow one, where that matters and chance hardly ever does it.
    fn lift_beyond_chance(&self) -> Option<f64> {
        self.lift().filter(|lift| *lift >= CLUSTERED && self.follow_beyond_chance())
    }

    /// What speaks for clustering though chance does as much: an index, of however few windows, or the next I/O.
    fn large(&self, p: f64) -> Option<NotShown> {
        let index = self.most_dispersed(0, AGAINST_CHANCE);
        let index = index.map(|found| NotShown::LargeIndex { window: found.window, index: found.index, p });
        let lift = self.lift_beyond_chance();
        index.or(lift.map(|lift| NotShown::LargeLift { lift, p }))
    }

    /// What planted bursts say: where they would have been seen, they are not there.
    fn beside_bursts(&self) -> Clustering {
        if self.tally.slow < ENOUGH_FOR_BURSTS {
            return Clustering::NotShown(NotShown::TooFew {
                slow: self.tally.slow,
                needed: ENOUGH_FOR_BURSTS,
            });
        }
        let planted = self.planted_bursts();
        let with_power: Vec<&PlantedBursts> = planted.iter().filter(|found| found.has_power).collect();
        if let Some(found) = with_power.iter().find(|found| !found.are_excluded()) {
            let (window, index) = (found.window, found.seen);
            return Clustering::NotShown(NotShown::BurstsPossible { window, index });
        }
        match (with_power.first(), with_power.last()) {
            (Some(first), Some(last)) => Clustering::Chance { shortest: first.window, longest: last.window },
            _ => Clustering::NotShown(NotShown::TooFewWindows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bunching;
    use super::super::rotation::PermutationTest;
    use super::super::thresholds::Threshold;
    use super::*;

    const MS: u64 = 1_000_000;

    /// I/Os that are so many nanoseconds apart: slow where `S` stands.
    fn analysed(gap: u64, pattern: &str) -> Bunching {
        let mut bunching = Bunching::default();
        for (number, letter) in (0..).zip(pattern.chars()) {
            bunching.add(number * gap, if letter == 'S' { 40 * MS } else { 300_000 }, 0);
        }
        bunching
    }

    /// What is said of I/Os a millisecond apart where chance crowds them as much with this probability.
    fn said(pattern: &str, p: Option<f64>) -> Clustering {
        let crowding = p.map(|p| PermutationTest { p, rotations: 999, finest_window: 10 * MS });
        analysed(MS, pattern).at(0).clustering(&Chance { crowding, period: None })
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    const NONE: &str = "----------";

    #[test]
    fn twenty_slow_ios_are_enough_and_a_quarter_is_not_too_many() {
        let burst = |slow: usize| said(&("S".repeat(slow) + &"-".repeat(2_000)), None);
        assert_eq!(burst(19), Clustering::NotShown(NotShown::TooFew { slow: 19, needed: 270 }));
        assert!(matches!(burst(20), Clustering::Shown(ClusteringShown::Following(_))));
        assert_eq!(said(&"S---".repeat(100), None), Clustering::NotShown(NotShown::TooManyToShift));
        let more = said(&("S---".repeat(99) + "S-S-"), None);
        assert!(
            matches!(more, Clustering::NotShown(NotShown::TooMany(share)) if near(share, 0.2525)),
            "{more:?}"
        );
    }

    /// 20 windows of 10 ms with ten I/Os each, p = 0.1: a deviation of sqrt((2 * 2000 + 200 * 0.46 / 0.09) / 200^2) = 0.354.
    /// The two windows of 100 ms have a larger index, and are too few for it to show anything.
    #[test]
    fn crowded_windows_show_clustering_where_there_are_twenty_of_them() {
        let crowded = "S-S-S-S-S-".repeat(4);
        let windows = |count: usize| crowded.clone() + &NONE.repeat(count - 4);
        match said(&windows(20), None) {
            Clustering::Shown(ClusteringShown::Windows { window, index }) => {
                assert!(window == 10 * MS && near(index, 80.0 / 18.0), "{index}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(said(&windows(19), None), Clustering::NotShown(NotShown::TooManyToShift));
        // Chance does as much: what speaks against it is said of any number of windows.
        match said(&windows(20), Some(0.05)) {
            Clustering::NotShown(NotShown::LargeIndex { window, index, p }) => {
                assert!(window == 100 * MS && near(index, 200.0 / 18.0) && near(p, 0.05), "{index}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_index_shows_clustering_where_it_is_both_large_and_far_from_chance() {
        let slightly = Clustering::Shown(ClusteringShown::Slightly(0.01));
        // 38 / 18 = 2.11 is more than two, and less than four deviations of 0.354 above 1.
        let few = "S-S-S-S---".repeat(3) + "S-S-------" + &"S---------".repeat(6) + &NONE.repeat(10);
        assert_eq!(said(&few, Some(0.01)), slightly);
        // 720 / 392 = 1.84 in 2,000 windows is fifteen deviations above 1, and less than two.
        let many = ("S-S-------".to_owned() + &NONE.repeat(9)).repeat(200);
        assert_eq!(said(&many, Some(0.01)), slightly);
        assert_eq!(said(&many, Some(0.011)), Clustering::NotShown(NotShown::Borderline(0.011)));
        // Where chance does as much, bursts are looked for, and such an index does not exclude them.
        match said(&many, Some(0.05)) {
            Clustering::NotShown(NotShown::BurstsPossible { window, index }) => {
                assert!(window == 10 * MS && near(index, 720.0 / 392.0), "{index}");
            }
            other => panic!("{other:?}"),
        }
    }

    /// Seven of 100 slow I/Os in 10,000 come right after one: seven times as many as by chance, in windows that show nothing.
    #[test]
    fn a_lift_that_chance_may_do_is_called_neither() {
        let pairs =
            ("SS".to_owned() + &"-".repeat(98)).repeat(7) + &("S".to_owned() + &"-".repeat(107)).repeat(86);
        let found = said(&(pairs + &"-".repeat(12)), Some(0.06));
        let Clustering::NotShown(NotShown::LargeLift { lift, p }) = found else { panic!("{found:?}") };
        assert!(near(lift, 7.0) && near(p, 0.06), "{lift}");
    }

    /// I/Os that are minutes apart are one in each window, so that bursts could not be seen in any.
    #[test]
    fn chance_is_not_said_where_windows_hold_one_io() {
        let bunching = analysed(101_000 * MS, &"S---------".repeat(300));
        let crowding = Some(PermutationTest { p: 0.5, rotations: 999, finest_window: 10 * MS });
        let slow = bunching.at(0);
        assert_eq!(slow.tally.threshold, Threshold::Fixed(10 * MS));
        let found = slow.clustering(&Chance { crowding, period: None });
        assert_eq!(found, Clustering::NotShown(NotShown::TooFewWindows));
    }

    /// Ten I/Os in each window of 10 ms. Of two windows of 100 ms, 15 and 5 are slow: an index of 50 / 18, which is less than two
    /// deviations of 1.013 above 1. Windows of 10 ms have one of 10 / 18.
    #[test]
    fn an_index_speaks_against_chance_from_two_deviations_on() {
        let few_windows = "S---S-----".repeat(5) + &"S---------".repeat(10) + &NONE.repeat(5);
        let too_few = Clustering::NotShown(NotShown::TooFew { slow: 20, needed: 270 });
        assert_eq!(said(&few_windows, Some(0.05)), too_few);
        // In twenty windows with a deviation of 0.354 an index of 38 / 18 does; those of 100 ms have ten each.
        let crowded = ["S-S-S-S---"; 2].concat() + &"S---------".repeat(2) + &NONE.repeat(6);
        let less = "S-S-S-S---S-S-------".to_owned() + &"S---------".repeat(4) + &NONE.repeat(4);
        assert!(matches!(
            said(&(crowded + &less), Some(0.05)),
            Clustering::NotShown(NotShown::LargeIndex { window, .. }) if window == 10 * MS
        ));
    }

    #[test]
    fn from_270_slow_ios_on_bursts_are_looked_for() {
        let said_of = |slow: usize| said(&"S---------".repeat(slow), Some(0.5));
        assert_eq!(said_of(269), Clustering::NotShown(NotShown::TooFew { slow: 269, needed: 270 }));
        // 270 windows of 10 ms are too few for bursts to be told from chance.
        assert_eq!(said_of(270), Clustering::NotShown(NotShown::TooFewWindows));
    }

    /// An index of exactly two, of 120 or 240 I/Os.
    fn twice_chance(times: usize) -> String {
        let windows = "----------S-S-S-S-S-".repeat(7) + &"S----S----S--S---S--".repeat(5);
        windows.repeat(times)
    }

    #[test]
    fn an_index_of_two_is_not_yet_clustering() {
        assert_eq!(said(&twice_chance(2), Some(0.01)), Clustering::Shown(ClusteringShown::Slightly(0.01)));
        let too_few = Clustering::NotShown(NotShown::TooFew { slow: 60, needed: 270 });
        assert_eq!(said(&twice_chance(1), Some(0.05)), too_few);
    }

    /// What is said of windows of 10 ms, with so many I/Os each, so many of them slow, where chance crowds them as much with this
    /// probability. Slow ones take turns with others as long as there are any.
    fn said_of_windows(windows: &[(u64, u64)], p: f64) -> Clustering {
        let mut bunching = Bunching::default();
        for (place, (all, slow)) in (0..).zip(windows) {
            let is_slow = |number: u64| {
                if 2 * slow > *all { number < *slow } else { number.is_multiple_of(2) && number / 2 < *slow }
            };
            for number in 0..*all {
                let latency = if is_slow(number) { 40 * MS } else { 300_000 };
                bunching.add(place * 10 * MS + number * 100_000, latency, 0);
            }
        }
        let crowding = Some(PermutationTest { p, rotations: 999, finest_window: 10 * MS });
        bunching.at(0).clustering(&Chance { crowding, period: None })
    }

    #[test]
    fn an_index_is_far_from_chance_beyond_four_deviations_and_against_it_beyond_two() {
        // An index of 3, and a deviation of 0.5.
        let four =
            [vec![(32, 15)], vec![(1, 0); 32], vec![(4, 2); 2], vec![(4, 0)], vec![(4, 1); 5]].concat();
        assert_eq!(said_of_windows(&four, 0.01), Clustering::Shown(ClusteringShown::Slightly(0.01)));
        // The same index, and a deviation of 1.
        let two = said_of_windows(&[(60, 18), (32, 2), (4, 4)], 0.05);
        assert_eq!(two, Clustering::NotShown(NotShown::TooFew { slow: 24, needed: 270 }));
    }
}
