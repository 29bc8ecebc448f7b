//! Are slow I/Os clustered (bursty), so that a user meets several as one wait?
//!
//! One pass over I/Os in the order of their beginning, for one direction. Memory is bounded: ten thousand episodes a
//! threshold, half a million slow I/Os and 131,072 windows are kept, and the sums of all.

mod arrivals;
mod clustering;
mod episodes;
mod judged;
mod marks;
mod power;
mod rolling_median;
mod rotation;
mod slow;
mod thresholds;
mod windows;

pub use clustering::{Clustering, ClusteringShown, NotShown};
pub use episodes::{Episode, Period};
pub use judged::{Judgement, SlowThreshold, ThresholdOrigin};
pub use power::{BURST, IN_BURSTS};
pub use rotation::PermutationTest;
pub use slow::SlowIos;
pub use thresholds::{THRESHOLDS, Threshold, Thresholds};
pub use windows::{Dispersion, WINDOWS};

use episodes::Episodes;
use marks::SlowMarks;
use rolling_median::RollingMedian;
use thresholds::{RELATIVE, ten_medians};
use windows::{COUNTED, Dispersions};

const _: () = assert!(THRESHOLDS.len() + 1 == COUNTED, "a bit for each threshold and the relative one");

/// What is counted of the slow I/Os of one threshold.
#[derive(Clone, Debug)]
pub struct SlowTally {
    /// From when on an I/O counts as slow.
    pub threshold: Threshold,
    pub slow: u64,
    slow_after_slow: u64,
    /// Slow I/Os that had one after them.
    followed: u64,
    pub episodes: Episodes,
    /// Nanoseconds in which the oldest I/O in flight was older than the threshold.
    pub frozen: u64,
    frozen_until: u64,
}

impl SlowTally {
    fn new(threshold: Threshold) -> SlowTally {
        let nanos = match threshold {
            Threshold::Fixed(nanos) => nanos,
            Threshold::TenMedians => 0,
        };
        SlowTally {
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

/// Slow I/Os from which on anything is said of them.
const ENOUGH_SLOW: u64 = 20;
/// The share up to which slow I/Os are an exception.
const EXCEPTION: f64 = 0.01;
/// The share from which on slow I/Os are so many that they are no exception by any measure.
const MOST_OFTEN: f64 = 0.25;

/// How likely chance alone does what slow I/Os were seen to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chance {
    /// That they crowd as much; `None` where there is too little to rotate, or too much to keep.
    pub crowding: Option<PermutationTest>,
    /// That they come back as regularly; `None` where they do not.
    pub period: Option<f64>,
}

/// Slow I/Os at every threshold.
#[derive(Clone, Debug)]
pub struct Bunching {
    thresholds: Thresholds,
    median: RollingMedian,
    tallies: Vec<SlowTally>,
    dispersions: Dispersions,
    marks: SlowMarks,
    count: u64,
    written: u64,
    /// At which thresholds the last I/O was slow, a bit each.
    last: u8,
}

impl Default for Bunching {
    fn default() -> Bunching {
        Bunching::new(Thresholds::default())
    }
}

impl Bunching {
    /// Counts slow I/Os at these thresholds, and at the relative one.
    pub fn new(thresholds: Thresholds) -> Bunching {
        Bunching {
            thresholds,
            median: RollingMedian::default(),
            tallies: thresholds.all().map(SlowTally::new).collect(),
            dispersions: Dispersions::default(),
            marks: SlowMarks::default(),
            count: 0,
            written: 0,
            last: 0,
        }
    }

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
        let is_quick = latency < ten_medians(self.median.at_least()).min(self.thresholds.least());
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
        let slow = self.thresholds.slow_at(latency, ten_medians(median));
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

    /// The place of a threshold, where it is one of those that are counted.
    fn place(&self, threshold: Threshold) -> Option<usize> {
        match threshold {
            Threshold::Fixed(nanos) => self.thresholds.place(nanos),
            Threshold::TenMedians => Some(RELATIVE),
        }
    }
}

#[cfg(test)]
mod tests;
