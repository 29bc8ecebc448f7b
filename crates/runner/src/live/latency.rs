//! The bounds of the histogram of a latency.

use drivelab_stats::{LatencyHistogram, bucket_of, bucket_range};

/// The least bound is that of the values below 1,024 ns.
const FIRST_POWER: u32 = 10;
/// The greatest is that of the values below 2^37 ns, 137 s.
const LAST_POWER: u32 = 37;
/// Bounds in each power of two: an estimate from one bucket to the next is within a fifth.
const A_POWER: u16 = 4;
/// The buckets of [`bucket_of`] in each power of two.
const BUCKETS_A_POWER: u16 = 128;

/// The greatest nanoseconds of each bucket, in rising order: every quarter of a power of two from 1,023 ns to 137 s. They are
/// boundaries of [`bucket_of`], so that counts up to them are exact.
pub fn latency_bounds() -> impl Iterator<Item = u64> {
    buckets().map(|bucket| bucket_range(bucket - 1).1)
}

/// The first bucket behind each bound.
fn buckets() -> impl Iterator<Item = u16> {
    let first = bucket_of(1 << FIRST_POWER);
    let last = bucket_of(1 << LAST_POWER);
    (first..=last).step_by(usize::from(BUCKETS_A_POWER / A_POWER))
}

/// How many values lie at or below each of the bounds.
pub fn cumulated(histogram: &LatencyHistogram) -> Vec<u64> {
    let mut occupied = histogram.occupied().peekable();
    let mut count = 0;
    let up_to = |end: u16| {
        while let Some((_, more)) = occupied.next_if(|(bucket, _)| *bucket < end) {
            count += more;
        }
        count
    };
    buckets().map(up_to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bounds_are_a_quarter_of_a_power_apart() {
        let bounds: Vec<u64> = latency_bounds().collect();
        assert_eq!(bounds.len(), 27 * 4 + 1);
        assert_eq!(bounds[..5], [1_023, 1_279, 1_535, 1_791, 2_047]);
        assert_eq!(bounds.last(), Some(&((1 << 37) - 1)));
    }

    proptest! {
        #[test]
        fn counts_up_to_a_bound_are_exact(values in prop::collection::vec(0u64..1 << 40, 0..200)) {
            let mut histogram = LatencyHistogram::default();
            values.iter().for_each(|value| histogram.add(*value));
            for (bound, count) in latency_bounds().zip(cumulated(&histogram)) {
                let below = values.iter().filter(|value| **value <= bound).count() as u64;
                prop_assert_eq!(count, below, "up to {}", bound);
            }
        }
    }
}
