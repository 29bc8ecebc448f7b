//! Whether slow I/Os are clustered: shown, consistent with chance, or not shown and why.
//!
//! That clustering was not found is no evidence against it. So "consistent with chance" is only said where bursts of a
//! stated amount are excluded ([`super::power`]), and of the windows for which they are.

use super::power::{ENOUGH_FOR_BURSTS, PlantedBursts};
use super::slow::{NO_CHANCE, SlowIos};
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
        if self.slow() < ENOUGH_SLOW {
            return Clustering::NotShown(NotShown::TooFew { slow: self.slow(), needed: ENOUGH_FOR_BURSTS });
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
        let indices = self.dispersions().into_iter().filter(|found| {
            found.windows >= MANY_WINDOWS
                && found.index > CLUSTERED
                && found.index > 1.0 + NO_CHANCE * found.deviation
        });
        let windows = indices.max_by(|one, other| one.index.total_cmp(&other.index));
        let windows =
            windows.map(|found| ClusteringShown::Windows { window: found.window, index: found.index });
        lift.map(ClusteringShown::Following).or(windows)
    }

    /// How many times as often one is slow after a slow one, where that matters and chance hardly ever does it.
    fn lift_beyond_chance(&self) -> Option<f64> {
        self.lift().filter(|lift| *lift >= CLUSTERED && self.follow_beyond_chance())
    }

    /// What speaks for clustering though chance does as much: an index, of however few windows, or the next I/O.
    fn large(&self, p: f64) -> Option<NotShown> {
        let indices = self.dispersions().into_iter();
        let large = indices
            .filter(|found| found.index > CLUSTERED && found.index > 1.0 + AGAINST_CHANCE * found.deviation);
        let index = large.max_by(|one, other| one.index.total_cmp(&other.index));
        let index = index.map(|found| NotShown::LargeIndex { window: found.window, index: found.index, p });
        let lift = self.lift_beyond_chance();
        index.or(lift.map(|lift| NotShown::LargeLift { lift, p }))
    }

    /// What planted bursts say: where they would have been seen, they are not there.
    fn beside_bursts(&self) -> Clustering {
        if self.slow() < ENOUGH_FOR_BURSTS {
            return Clustering::NotShown(NotShown::TooFew { slow: self.slow(), needed: ENOUGH_FOR_BURSTS });
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
