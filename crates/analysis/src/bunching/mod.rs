//! Do slow I/Os come in bunches that a person feels?
//!
//! One pass over I/Os in the order of their beginning, for one direction. Nothing here needs more memory than
//! the episodes that are kept.

mod episodes;
mod rolling_median;
mod windows;

pub use episodes::{Episode, Period};
pub use windows::{Dispersion, WINDOWS};

use episodes::Episodes;
use rolling_median::RollingMedian;
use windows::Dispersions;

/// From when on an I/O is slow, in nanoseconds. 16.7 ms is a frame of a picture that moves, 100 ms feels instant,
/// 1 s breaks a train of thought.
pub const THRESHOLDS: [u64; 7] =
    [10_000_000, 16_700_000, 33_000_000, 50_000_000, 100_000_000, 500_000_000, 1_000_000_000];

/// Slower than this many medians of the time is slow for that drive.
const MEDIANS: u64 = 10;

/// From when on an I/O is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// At least this many nanoseconds.
    Fixed(u64),
    /// More than ten times the median of the latest 1,024 I/Os.
    TenMedians,
}

/// The slow I/Os of one threshold.
#[derive(Clone, Debug)]
pub struct SlowIos {
    threshold: Threshold,
    all: u64,
    slow: u64,
    slow_after_slow: u64,
    /// Slow I/Os that had one after them.
    followed: u64,
    was_slow: bool,
    dispersions: Dispersions,
    episodes: Episodes,
    frozen: u64,
    frozen_until: u64,
}

impl SlowIos {
    fn new(threshold: Threshold) -> SlowIos {
        let nanos = match threshold {
            Threshold::Fixed(nanos) => nanos,
            Threshold::TenMedians => 0,
        };
        SlowIos {
            threshold,
            all: 0,
            slow: 0,
            slow_after_slow: 0,
            followed: 0,
            was_slow: false,
            dispersions: Dispersions::default(),
            episodes: Episodes::new(nanos),
            frozen: 0,
            frozen_until: 0,
        }
    }

    #[inline]
    fn add(&mut self, start: u64, latency: u64, median: u64) {
        let limit = match self.threshold {
            Threshold::Fixed(nanos) => nanos,
            Threshold::TenMedians => median.saturating_mul(MEDIANS).max(1),
        };
        let is_slow = latency >= limit;
        self.all += 1;
        self.dispersions.add(start, is_slow);
        if self.was_slow {
            self.followed += 1;
            self.slow_after_slow += u64::from(is_slow);
        }
        self.was_slow = is_slow;
        if is_slow {
            self.slow += 1;
            self.episodes.slow(start, latency, median);
            self.freeze(start.saturating_add(limit), start.saturating_add(latency));
        }
    }

    /// Adds to the union of the times when the oldest I/O in flight was older than the threshold.
    fn freeze(&mut self, from: u64, until: u64) {
        self.frozen += until.saturating_sub(from.max(self.frozen_until));
        self.frozen_until = self.frozen_until.max(until);
    }

    /// From when on an I/O counts as slow.
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// How many I/Os were slow.
    pub fn slow(&self) -> u64 {
        self.slow
    }

    /// The share of slow I/Os; 0 where there was none at all.
    pub fn p_slow(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.slow as f64 / self.all as f64 }
    }

    /// The share of slow ones among the I/Os that come right after a slow one; `None` without such.
    pub fn p_slow_after_slow(&self) -> Option<f64> {
        (self.followed > 0).then(|| self.slow_after_slow as f64 / self.followed as f64)
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
        let scatter = (p * (1.0 - p) / self.followed as f64).sqrt();
        let excess = self.p_slow_after_slow()? - p;
        (scatter > 0.0).then(|| excess / scatter)
    }

    /// The index of dispersion, window by window.
    pub fn dispersions(&self) -> Vec<Dispersion> {
        self.dispersions.indices()
    }

    /// How many episodes there were.
    pub fn episode_count(&self) -> u64 {
        self.episodes.count()
    }

    /// The first ten thousand episodes.
    pub fn episodes(&self) -> Vec<Episode> {
        self.episodes.list()
    }

    /// What the episodes come back with, where that is regular.
    pub fn period(&self) -> Option<Period> {
        self.episodes.period()
    }

    /// Nanoseconds in which the oldest I/O in flight was older than the threshold.
    pub fn frozen(&self) -> u64 {
        self.frozen
    }
}

/// Slow I/Os at every threshold.
#[derive(Clone, Debug)]
pub struct Bunching {
    median: RollingMedian,
    fixed: Vec<SlowIos>,
    relative: SlowIos,
    count: u64,
}

impl Default for Bunching {
    fn default() -> Bunching {
        Bunching {
            median: RollingMedian::default(),
            fixed: THRESHOLDS.iter().map(|nanos| SlowIos::new(Threshold::Fixed(*nanos))).collect(),
            relative: SlowIos::new(Threshold::TenMedians),
            count: 0,
        }
    }
}

impl Bunching {
    /// Takes the next I/O: when it began, its latency, and the bytes it wrote.
    #[inline]
    pub fn add(&mut self, start: u64, latency: u64, written: u64) {
        let median = self.median.median().unwrap_or(latency);
        self.count += 1;
        for slow in self.fixed.iter_mut().chain([&mut self.relative]) {
            slow.add(start, latency, median);
            slow.episodes.wrote(written);
        }
        self.median.add(latency);
    }

    /// I/Os seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All thresholds, the relative one last.
    pub fn thresholds(&self) -> impl Iterator<Item = &SlowIos> {
        self.fixed.iter().chain([&self.relative])
    }

    /// The threshold that says most: the least fixed one at which slow I/Os are an exception (1 % at most) and
    /// there are enough of them (20) to say anything; else the relative one, where its slow I/Os are enough and
    /// at most a quarter. `None` where no threshold has that.
    pub fn telling(&self) -> Option<&SlowIos> {
        const ENOUGH: u64 = 20;
        let tells = |slow: &&SlowIos, most: f64| slow.slow() >= ENOUGH && slow.p_slow() <= most;
        let fixed = self.fixed.iter().find(|slow| tells(slow, 0.01));
        fixed.or_else(|| Some(&self.relative).filter(|slow| tells(slow, 0.25)))
    }
}

#[cfg(test)]
mod tests;
