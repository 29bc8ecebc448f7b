//! The median of the latest values.

use crate::histogram::{BUCKETS, bucket_of, bucket_range};

/// Values that the median is taken of.
const WINDOW: usize = 1024;

/// The median of the latest 1,024 values, within a bucket of the histogram (1 %).
///
/// The values' buckets are kept in a ring, and the median's place is moved by what comes and goes: a few steps
/// a value, whatever the window.
#[derive(Clone, Debug)]
pub struct RollingMedian {
    ring: Vec<u16>,
    next: usize,
    counts: Vec<u16>,
    /// The bucket that holds the median.
    middle: usize,
    /// How many values lie in buckets below it.
    below: usize,
}

impl Default for RollingMedian {
    fn default() -> RollingMedian {
        RollingMedian {
            ring: Vec::with_capacity(WINDOW),
            next: 0,
            counts: vec![0; BUCKETS],
            middle: 0,
            below: 0,
        }
    }
}

impl RollingMedian {
    /// Takes a value; the oldest one goes where there are enough.
    pub fn add(&mut self, nanos: u64) {
        let bucket = bucket_of(nanos);
        if self.ring.len() < WINDOW {
            self.ring.push(bucket);
        } else {
            let oldest = usize::from(std::mem::replace(&mut self.ring[self.next], bucket));
            self.next = if self.next + 1 == WINDOW { 0 } else { self.next + 1 };
            self.counts[oldest] -= 1;
            self.below -= usize::from(oldest < self.middle);
        }
        let bucket = usize::from(bucket);
        self.counts[bucket] += 1;
        self.below += usize::from(bucket < self.middle);
        self.settle();
    }

    /// The middle of the median's bucket in nanoseconds; `None` before the first value.
    pub fn median(&self) -> Option<u64> {
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 buckets")]
        let (low, high) = bucket_range(self.middle as u16);
        (!self.ring.is_empty()).then_some(low + (high - low) / 2)
    }

    /// Moves the middle to where half of the values are below or in it.
    fn settle(&mut self) {
        let rank = self.ring.len().div_ceil(2);
        while self.below >= rank {
            self.middle -= 1;
            self.below -= usize::from(self.counts[self.middle]);
        }
        while self.below + usize::from(self.counts[self.middle]) < rank {
            self.below += usize::from(self.counts[self.middle]);
            self.middle += 1;
        }
    }
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
                }
            }
        }
    }
}
