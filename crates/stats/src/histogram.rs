//! A log-linear histogram of nanoseconds.

/// Linear steps inside one power of two, as a power of two: 2^7 = 128, so a bucket is at most 1/128 of its
/// value wide and its middle is within 0.4 % of everything in it.
const STEP_BITS: u32 = 7;
const STEPS: u64 = 1 << STEP_BITS;

/// The number of buckets that cover every `u64`.
pub const BUCKETS: usize = bucket_of(u64::MAX) as usize + 1;

/// The bucket of a value: the value itself below 256, then 128 equal steps in every power of two.
///
/// Records keep this number beside each latency, so that `GROUP BY latency_bucket` merges histograms exactly.
pub const fn bucket_of(nanos: u64) -> u16 {
    let highest_bit = (nanos | STEPS).ilog2();
    let shift = highest_bit - STEP_BITS;
    let bucket = ((shift as u64) << STEP_BITS) + (nanos >> shift);
    // At most 56 * 128 + 255, which fits.
    #[expect(clippy::cast_possible_truncation, reason = "see above")]
    let bucket = bucket as u16;
    bucket
}

/// The least and the greatest value of a bucket, both inclusive.
pub const fn bucket_range(bucket: u16) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return (bucket, bucket);
    }
    let shift = (bucket >> STEP_BITS) - 1;
    let low = ((bucket & (STEPS - 1)) + STEPS) << shift;
    (low, low + ((1 << shift) - 1))
}

/// Counts of values by [`bucket_of`].
#[derive(Clone, PartialEq, Eq)]
pub struct LatencyHistogram {
    counts: Box<[u64]>,
}

impl Default for LatencyHistogram {
    fn default() -> LatencyHistogram {
        LatencyHistogram { counts: vec![0; BUCKETS].into_boxed_slice() }
    }
}

impl std::fmt::Debug for LatencyHistogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.occupied()).finish()
    }
}

impl LatencyHistogram {
    /// Counts one value of this many nanoseconds.
    pub fn add(&mut self, nanos: u64) {
        self.counts[usize::from(bucket_of(nanos))] += 1;
    }

    /// Counts the same value so many times.
    pub fn add_many(&mut self, nanos: u64, count: u64) {
        self.counts[usize::from(bucket_of(nanos))] += count;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &LatencyHistogram) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// The buckets that hold something, with their counts, in rising order.
    pub fn occupied(&self) -> impl DoubleEndedIterator<Item = (u16, u64)> + '_ {
        let numbered = self.counts.iter().enumerate();
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 buckets")]
        numbered.filter(|(_, count)| **count > 0).map(|(bucket, count)| (bucket as u16, *count))
    }

    /// The middle of the bucket that holds the value of this rank, counting from 1; `None` past the last.
    pub fn value_of_rank(&self, rank: u64) -> Option<u64> {
        let mut seen = 0;
        for (bucket, count) in self.occupied() {
            seen += count;
            if seen >= rank {
                let (low, high) = bucket_range(bucket);
                return Some(low + (high - low) / 2);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_cover_every_value_without_a_gap() {
        let mut next = 0u64;
        for bucket in 0..BUCKETS {
            let (low, high) = bucket_range(u16::try_from(bucket).expect("fewer than 2^16 buckets"));
            assert_eq!(low, next, "bucket {bucket}");
            assert!((high - low) as f64 <= low as f64 / 128.0);
            next = high.wrapping_add(1);
        }
        assert_eq!(next, 0, "the last bucket ends with the last value");
    }

    #[test]
    fn a_rank_has_the_middle_of_its_bucket() {
        let mut histogram = LatencyHistogram::default();
        histogram.add_many(70, 2);
        histogram.add(1_000_000);
        // The million lies between 999,424 and 1,003,519.
        assert_eq!(
            [1, 2, 3, 4].map(|rank| histogram.value_of_rank(rank)),
            [Some(70), Some(70), Some(1_001_471), None]
        );
        assert_eq!(format!("{histogram:?}"), format!("{{70: 2, {}: 1}}", bucket_of(1_000_000)));
    }

    proptest! {
        #[test]
        fn a_value_lies_in_its_bucket(value: u64) {
            let (low, high) = bucket_range(bucket_of(value));
            prop_assert!(low <= value && value <= high);
        }
    }
}
