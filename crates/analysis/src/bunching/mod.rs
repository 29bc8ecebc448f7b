//! Do slow I/Os come in bunches that a person feels?
//!
//! One pass over I/Os in the order of their beginning, for one direction. Memory is bounded: ten thousand episodes a
//! threshold, half a million slow I/Os and 131,072 windows are kept, and the sums of all.

mod episodes;
mod marks;
mod rolling_median;
mod rotation;
mod windows;

pub use episodes::{Episode, Period};
pub use rotation::Rotation;
pub use windows::{Dispersion, WINDOWS};

use episodes::Episodes;
use marks::Marks;
use rolling_median::RollingMedian;
use windows::{COUNTED, Dispersions};

/// From when on an I/O is slow, in nanoseconds. 16.7 ms is a frame of a picture that moves, 100 ms feels instant,
/// 1 s breaks a train of thought.
pub const THRESHOLDS: [u64; 7] =
    [10_000_000, 16_700_000, 33_000_000, 50_000_000, 100_000_000, 500_000_000, 1_000_000_000];

const _: () = assert!(THRESHOLDS.len() + 1 == COUNTED, "a bit for each threshold and the relative one");

/// An I/O that takes at least this many medians of the latest 1,024 is slow for that drive.
const MEDIANS: u64 = 10;

/// From when on an I/O is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// At least this many nanoseconds.
    Fixed(u64),
    /// At least ten times the median of the latest 1,024 I/Os, and at least a nanosecond.
    TenMedians,
}

/// What is counted of the slow I/Os of one threshold.
#[derive(Clone, Debug)]
struct Tally {
    threshold: Threshold,
    slow: u64,
    slow_after_slow: u64,
    /// Slow I/Os that had one after them.
    followed: u64,
    episodes: Episodes,
    frozen: u64,
    frozen_until: u64,
}

impl Tally {
    fn new(threshold: Threshold) -> Tally {
        let nanos = match threshold {
            Threshold::Fixed(nanos) => nanos,
            Threshold::TenMedians => 0,
        };
        Tally {
            threshold,
            slow: 0,
            slow_after_slow: 0,
            followed: 0,
            episodes: Episodes::new(nanos),
            frozen: 0,
            frozen_until: 0,
        }
    }

    /// Adds to the union of the times when the oldest I/O in flight was older than the threshold.
    fn freeze(&mut self, from: u64, until: u64) {
        self.frozen += until.saturating_sub(from.max(self.frozen_until));
        self.frozen_until = self.frozen_until.max(until);
    }
}

/// How likely chance alone does what slow I/Os were seen to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chance {
    /// That they crowd as much; `None` where there is too little to rotate, or too much to keep.
    pub crowding: Option<Rotation>,
    /// That they come back as regularly; `None` where they do not.
    pub period: Option<f64>,
}

/// The place of the relative threshold, behind the fixed ones.
const RELATIVE: usize = THRESHOLDS.len();

/// Slow I/Os at every threshold.
#[derive(Clone, Debug)]
pub struct Bunching {
    median: RollingMedian,
    tallies: Vec<Tally>,
    dispersions: Dispersions,
    marks: Marks,
    count: u64,
    written: u64,
    /// At which thresholds the last I/O was slow, a bit each.
    last: u8,
}

impl Default for Bunching {
    fn default() -> Bunching {
        let fixed = THRESHOLDS.iter().map(|nanos| Threshold::Fixed(*nanos));
        Bunching {
            median: RollingMedian::default(),
            tallies: fixed.chain([Threshold::TenMedians]).map(Tally::new).collect(),
            dispersions: Dispersions::default(),
            marks: Marks::default(),
            count: 0,
            written: 0,
            last: 0,
        }
    }
}

impl Bunching {
    /// Counts bytes that were written beside the I/Os that are looked at: a cause inside the drive goes by all it writes.
    pub fn wrote(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// Takes the next I/O: when it began, its latency, and the bytes it wrote. Gives a bit for each threshold at
    /// which it is slow, in the order of [`Bunching::thresholds`].
    #[inline]
    pub fn add(&mut self, start: u64, latency: u64, written: u64) -> u8 {
        self.count += 1;
        // Most I/Os are quick and follow a quick one: nothing but their number counts then.
        let is_quick = latency < ten_medians(self.median.at_least()).min(THRESHOLDS[0]);
        let slow = if is_quick && self.last == 0 { 0 } else { self.tally(start, latency) };
        self.dispersions.add(start, slow);
        self.last = slow;
        self.written += written;
        self.median.add(latency);
        slow
    }

    /// Counts an I/O that is slow, or follows one that was. Gives a bit for each threshold at which it is slow.
    fn tally(&mut self, start: u64, latency: u64) -> u8 {
        let median = self.median.median().unwrap_or(latency);
        let slow = slow_at(latency, ten_medians(median));
        if slow != 0 {
            self.marks.add(self.count - 1, slow);
        }
        for (place, tally) in self.tallies.iter_mut().enumerate() {
            let is_slow = slow >> place & 1 == 1;
            if self.last >> place & 1 == 1 {
                tally.followed += 1;
                tally.slow_after_slow += u64::from(is_slow);
            }
            if is_slow {
                let limit = match tally.threshold {
                    Threshold::Fixed(nanos) => nanos,
                    Threshold::TenMedians => ten_medians(median),
                };
                tally.slow += 1;
                tally.episodes.slow(start, latency, median, self.written);
                tally.freeze(start.saturating_add(limit), start.saturating_add(latency));
            }
        }
        slow
    }

    /// I/Os seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All thresholds, the relative one last.
    pub fn thresholds(&self) -> impl Iterator<Item = SlowIos<'_>> {
        (0..self.tallies.len()).map(|place| self.at(place))
    }

    fn at(&self, place: usize) -> SlowIos<'_> {
        SlowIos { bunching: self, tally: &self.tallies[place], place }
    }

    /// The threshold that says most: the least fixed one at which slow I/Os are an exception (1 % at most) and
    /// there are enough of them (20) to say anything; else the relative one, where its slow I/Os are enough and
    /// at most a quarter. `None` where no threshold has that.
    pub fn telling(&self) -> Option<SlowIos<'_>> {
        const ENOUGH: u64 = 20;
        let tells = |slow: &SlowIos<'_>, most: f64| slow.slow() >= ENOUGH && slow.p_slow() <= most;
        let fixed = (0..RELATIVE).map(|place| self.at(place)).find(|slow| tells(slow, 0.01));
        fixed.or_else(|| Some(self.relative()).filter(|slow| tells(slow, 0.25)))
    }

    /// What chance makes of the slow I/Os of the telling threshold. Takes up to half a second.
    pub fn chance(&self) -> Chance {
        let telling = self.telling();
        Chance {
            crowding: telling.and_then(|slow| slow.rotation()),
            period: telling.and_then(|slow| slow.period_by_chance()),
        }
    }

    /// The relative threshold.
    pub fn relative(&self) -> SlowIos<'_> {
        self.at(RELATIVE)
    }
}

/// The relative threshold; at least a nanosecond, so that not everything is slow where the median is nothing.
#[inline]
fn ten_medians(median: u64) -> u64 {
    median.saturating_mul(MEDIANS).max(1)
}

/// A bit for each threshold that a latency reaches, the relative one's last.
#[inline]
fn slow_at(latency: u64, relative: u64) -> u8 {
    let mut slow = u8::from(latency >= relative) << RELATIVE;
    if latency >= THRESHOLDS[0] {
        for (place, limit) in THRESHOLDS.iter().enumerate() {
            slow |= u8::from(latency >= *limit) << place;
        }
    }
    slow
}

/// The slow I/Os of one threshold.
#[derive(Clone, Copy, Debug)]
pub struct SlowIos<'a> {
    bunching: &'a Bunching,
    tally: &'a Tally,
    place: usize,
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

#[cfg(test)]
mod tests;
