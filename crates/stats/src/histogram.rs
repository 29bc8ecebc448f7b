//! A log-linear histogram of nanoseconds, and its buckets joined to bins of an eighth of an octave.

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

/// Where the bins of an octave begin among its 128 buckets: at the bucket nearest to each eighth, `128 (2^(k/8) - 1)`, so
/// that all are about as wide on a logarithmic axis.
const BIN_STARTS: [u16; 8] = [0, 12, 24, 38, 53, 69, 87, 107];

/// The counts of each bin from the first to the last one that holds something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogBins {
    /// Where each bin begins, and where the last one ends, in nanoseconds.
    pub edges: Vec<u64>,
    /// How many values each bin holds.
    pub counts: Vec<u64>,
}

impl LogBins {
    /// Joins the buckets of a histogram; an empty one gives no bins.
    pub fn from_histogram(histogram: &LatencyHistogram) -> LogBins {
        let mut occupied = histogram.occupied().map(|(bucket, count)| (bin_of(bucket), count)).peekable();
        let Some(first) = occupied.peek().map(|(bin, _)| *bin) else { return LogBins::default() };
        let mut counts = Vec::new();
        for (bin, count) in occupied {
            counts.resize(bin - first + 1, 0);
            counts[bin - first] += count;
        }
        LogBins { edges: (0..=counts.len()).map(|number| edge(first + number)).collect(), counts }
    }
}

fn bin_of(bucket: u16) -> usize {
    let within = bucket % (1 << STEP_BITS);
    let eighth = BIN_STARTS.partition_point(|start| *start <= within) - 1;
    usize::from(bucket >> STEP_BITS) * BIN_STARTS.len() + eighth
}

fn edge(bin: usize) -> u64 {
    let bucket = ((bin / BIN_STARTS.len()) << STEP_BITS) + usize::from(BIN_STARTS[bin % BIN_STARTS.len()]);
    u16::try_from(bucket).map_or(u64::MAX, |bucket| bucket_range(bucket).0)
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

    #[test]
    fn every_value_is_in_the_bin_between_its_edges() {
        let mut histogram = LatencyHistogram::default();
        let values = [300u64, 310, 5_000, 82_000, 82_001, 804_000_000];
        values.iter().for_each(|value| histogram.add(*value));
        let LogBins { edges, counts } = LogBins::from_histogram(&histogram);
        assert_eq!(edges.len(), counts.len() + 1);
        assert!(counts[0] > 0 && counts[counts.len() - 1] > 0, "no empty bin at either end");
        for (bin, count) in counts.iter().enumerate() {
            let within = values.iter().filter(|value| edges[bin] <= **value && **value < edges[bin + 1]);
            assert_eq!(within.count() as u64, *count);
        }
        for pair in edges.windows(2) {
            let eighths = (pair[1] as f64 / pair[0] as f64).log2() * 8.0;
            assert!((eighths - 1.0).abs() < 0.06, "{pair:?} is {eighths:.2} eighths of an octave");
        }
    }

    proptest! {
        #[test]
        fn a_value_lies_in_its_bucket(value: u64) {
            let (low, high) = bucket_range(bucket_of(value));
            prop_assert!(low <= value && value <= high);
        }
    }
}
