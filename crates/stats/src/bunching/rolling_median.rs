//! The median of the latest values.

use crate::histogram::{BUCKETS, bucket_of, bucket_range};

/// Values that the median is taken of.
const WINDOW: usize = 1024;
/// Buckets from mark to median that are not walked twice.
const FAR: usize = 64;

/// The median of the latest 1,024 values, within a bucket of the histogram (1 %).
///
/// The values' buckets are kept in a ring, and how many of them lie below a mark. The mark is put a little below the
/// median, and moved only where it no longer is: that the median is above it settles most questions about a value.
#[derive(Clone, Debug)]
pub struct RollingMedian {
    ring: Vec<u16>,
    next: usize,
    counts: Vec<u16>,
    /// A bucket.
    mark: usize,
    /// How many values lie in buckets below it.
    below: usize,
}

impl Default for RollingMedian {
    fn default() -> RollingMedian {
        RollingMedian {
            ring: Vec::with_capacity(WINDOW),
            next: 0,
            counts: vec![0; BUCKETS],
            mark: 0,
            below: 0,
        }
    }
}

impl RollingMedian {
    /// Takes a value; the oldest one goes where there are enough.
    #[inline]
    pub fn add(&mut self, nanos: u64) {
        let bucket = bucket_of(nanos);
        if self.ring.len() < WINDOW {
            self.ring.push(bucket);
        } else {
            let oldest = usize::from(std::mem::replace(&mut self.ring[self.next], bucket));
            self.next = if self.next + 1 == WINDOW { 0 } else { self.next + 1 };
            self.counts[oldest] -= 1;
            self.below -= usize::from(oldest < self.mark);
        }
        let bucket = usize::from(bucket);
        self.counts[bucket] += 1;
        self.below += usize::from(bucket < self.mark);
    }

    /// A value that the median is not below: exact as the median is, and nearly free where it is at hand.
    #[inline]
    pub fn at_least(&mut self) -> u64 {
        self.hold_mark();
        middle_of(self.mark)
    }

    /// The middle of the median's bucket in nanoseconds; `None` before the first value.
    pub fn median(&mut self) -> Option<u64> {
        if self.ring.is_empty() {
            return None;
        }
        self.hold_mark();
        let (bucket, below) = self.upwards(self.rank());
        if bucket - self.mark > FAR {
            (self.mark, self.below) = (bucket, below);
        }
        Some(middle_of(bucket))
    }

    /// How many values lie in the median's bucket or below, at least.
    fn rank(&self) -> usize {
        self.ring.len().div_ceil(2)
    }

    /// Moves the mark where the median is no longer above it or in its bucket.
    #[inline]
    fn hold_mark(&mut self) {
        if self.below >= self.rank() {
            self.settle();
        }
    }

    /// Moves the mark to where an eighth less than half of the values lie below or in it.
    #[cold]
    fn settle(&mut self) {
        let rank = self.rank() - self.rank() / 8;
        while self.below >= rank && self.mark > 0 {
            self.mark -= 1;
            self.below -= usize::from(self.counts[self.mark]);
        }
        (self.mark, self.below) = self.upwards(rank);
    }

    /// The bucket from the mark on with which `rank` values are reached, and how many lie below it.
    fn upwards(&self, rank: usize) -> (usize, usize) {
        let (mut bucket, mut below) = (self.mark, self.below);
        while below + usize::from(self.counts[bucket]) < rank {
            below += usize::from(self.counts[bucket]);
            bucket += 1;
        }
        (bucket, below)
    }
}

/// The middle of a bucket, in nanoseconds.
fn middle_of(bucket: usize) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 buckets")]
    let (low, high) = bucket_range(bucket as u16);
    low + (high - low) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_median_of_the_latest(values in proptest::collection::vec(0u64..10_000_000, 1..3_000)) {
            let mut rolling = RollingMedian::default();
            for (index, value) in values.iter().enumerate() {
                rolling.add(*value);
                if index % 97 == 0 || index + 1 == values.len() {
                    let mut latest = values[(index + 1).saturating_sub(WINDOW)..=index].to_vec();
                    latest.sort_unstable();
                    let exact = latest[latest.len().div_ceil(2) - 1];
                    let found = rolling.median().expect("there are values");
                    prop_assert!(found.abs_diff(exact) <= exact / 100 + 1, "{found} for {exact}");
                    prop_assert!(rolling.at_least() <= found);
                }
            }
        }
    }

    /// The bucket of 1,000,000 begins at 999,424 and ends at 1,003,519.
    #[test]
    fn the_median_is_the_middle_of_its_bucket_and_settles_what_is_below_it() {
        let mut rolling = RollingMedian::default();
        (0..2_000).for_each(|_| rolling.add(1_000_000));
        assert_eq!(rolling.median(), Some(1_001_471));
        assert_eq!(rolling.at_least(), 1_001_471);
    }
}
