//! Distributions in bins of an eighth of an octave.

use crate::{LatencyHistogram, bucket_range};

/// Where the bins of an octave begin among its 128 buckets: at the bucket nearest to each eighth, `128 (2^(k/8) - 1)`, so
/// that all are about as wide on a logarithmic axis.
const STARTS: [u16; 8] = [0, 12, 24, 38, 53, 69, 87, 107];
/// Buckets of an octave, as a power of two.
const OCTAVE_BITS: u32 = 7;

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
    let within = bucket % (1 << OCTAVE_BITS);
    let eighth = STARTS.partition_point(|start| *start <= within) - 1;
    usize::from(bucket >> OCTAVE_BITS) * STARTS.len() + eighth
}

fn edge(bin: usize) -> u64 {
    let bucket = ((bin / STARTS.len()) << OCTAVE_BITS) + usize::from(STARTS[bin % STARTS.len()]);
    u16::try_from(bucket).map_or(u64::MAX, |bucket| bucket_range(bucket).0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
