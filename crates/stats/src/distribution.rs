//! How a latency is distributed, and how far two latencies are apart.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LatencyHistogram, Moments, bucket_of, bucket_range, whole};

/// The I/Os beyond a percentile below which it carries little weight.
pub const FEW_BEYOND: u64 = 10;

/// Neighbours closer than this in both directions are one dot on a logarithmic picture.
const CLOSE: f64 = 0.02;

/// One point of a latency tail (CCDF).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailPoint {
    /// A latency in nanoseconds.
    pub nanos: u64,
    /// How many values were at least as long, within the histogram's resolution.
    pub at_least: u64,
}

/// A latency's exact moments and its histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    moments: Moments,
    histogram: LatencyHistogram,
    /// The shortest value that stands for a time which was at least so long: the mean, the greatest value and each quantile that
    /// is not below it are lower bounds. None where every value is a time.
    pub shortest_bound: Option<u64>,
}

impl Distribution {
    /// Adds one value of this many nanoseconds.
    pub fn add(&mut self, nanos: u64) {
        self.moments.add(nanos);
        self.histogram.add(nanos);
    }

    /// Adds the same value so many times.
    pub fn add_many(&mut self, nanos: u64, count: u64) {
        self.moments.add_many(nanos, count);
        self.histogram.add_many(nanos, count);
    }

    /// Adds the same lower bound, in nanoseconds, `count` times.
    pub fn add_many_at_least(&mut self, nanos: u64, count: u64) {
        self.add_many(nanos, count);
        if count > 0 {
            self.shortest_bound = self.shortest_bound.into_iter().chain([nanos]).min();
        }
    }

    /// Adds the values that another part has seen.
    pub fn merge(&mut self, other: &Distribution) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
        self.shortest_bound = self.shortest_bound.into_iter().chain(other.shortest_bound).min();
    }

    /// Count, mean, deviation, least and greatest: all exact.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The counts by bucket.
    pub fn histogram(&self) -> &LatencyHistogram {
        &self.histogram
    }

    /// The nearest-rank quantile in nanoseconds, `q` between 0 and 1, within 0.4 %; `None` without a value.
    ///
    /// Rank `ceil(q n)`; the least and the greatest value are exact and bound the answer.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let (min, max) = (self.moments.min()?, self.moments.max()?);
        let rank = self.rank(q).max(1);
        if rank == self.moments.count() {
            return Some(max);
        }
        self.histogram.value_of_rank(rank).map(|value| value.clamp(min, max))
    }

    /// How many values lie beyond the quantile: a tail of fewer than ten carries no weight and is marked.
    pub fn tail_count(&self, q: f64) -> u64 {
        self.moments.count() - self.rank(q)
    }

    fn rank(&self, q: f64) -> u64 {
        let count = self.moments.count();
        (whole((q.clamp(0.0, 1.0) * count as f64).ceil()) as u64).min(count)
    }

    /// The latency tail (CCDF) down to the last value: a point a bucket, in rising order; the last is the exact
    /// greatest value, but where all values of its bucket are that.
    pub fn latency_tail(&self) -> Vec<TailPoint> {
        let Some(max) = self.moments.max() else { return Vec::new() };
        let mut at_least = self.moments.count();
        let mut curve = Vec::new();
        for (bucket, count) in self.histogram.occupied() {
            curve.push(TailPoint { nanos: bucket_range(bucket).0, at_least });
            at_least -= count;
        }
        if curve.last().is_none_or(|last| last.nanos < max) {
            curve.push(TailPoint { nanos: max, at_least: 1 });
        }
        curve
    }
}

/// Whether a quantile or a greatest value, in nanoseconds, is a lower bound, where the shortest value that is one is
/// `shortest_bound`: below that, all values are times, and in the same bucket it is not known which come first.
pub fn is_lower_bound(nanos: u64, shortest_bound: u64) -> bool {
    bucket_of(nanos) >= bucket_of(shortest_bound)
}

/// The curve without points that could not be told apart; the first and every point of the tail of fewer
/// than ten I/Os stay.
pub fn thinned_tail(distribution: &Distribution) -> Vec<TailPoint> {
    let mut kept: Vec<TailPoint> = Vec::new();
    for point in distribution.latency_tail() {
        let stays = match kept.last() {
            None => true,
            Some(_) if point.at_least < FEW_BEYOND => true,
            Some(last) => {
                let right = point.nanos as f64 > last.nanos as f64 * (1.0 + CLOSE);
                let down = (point.at_least as f64) < last.at_least as f64 * (1.0 - CLOSE);
                right && down || point.nanos as f64 > last.nanos as f64 * (1.0 + 4.0 * CLOSE)
            }
        };
        if stays && kept.last() != Some(&point) {
            kept.push(point);
        }
    }
    kept
}

/// How far two latencies are apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyDistance {
    /// Kolmogorov-Smirnov: the greatest difference between the shares of values up to any bound, 0 to 1.
    pub ks: f64,
    /// The replay's mean / the trace's.
    pub ratio_of_means: f64,
}

impl LatencyDistance {
    /// The distance of a replay from its trace; `None` where one has no value, or the trace has only
    /// zeros. The Kolmogorov-Smirnov distance is `max |F(x) - G(x)|` over the bounds of the histogram's buckets: a bucket is at
    /// most 1/128 of its value wide, and differences within one are not seen. The ratio of the means is exact.
    pub fn between(trace: &Distribution, replay: &Distribution) -> Option<LatencyDistance> {
        let (one, other) = (trace.moments(), replay.moments());
        let ratio_of_means = Some(other.mean()? / one.mean()?).filter(|ratio| ratio.is_finite())?;
        let mut counts: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
        for (side, distribution) in [trace, replay].into_iter().enumerate() {
            for (bucket, count) in distribution.histogram().occupied() {
                counts.entry(bucket).or_default()[side] = count;
            }
        }
        let (mut seen, mut ks) = ([0, 0], 0.0f64);
        for [of_first, of_second] in counts.into_values() {
            seen = [seen[0] + of_first, seen[1] + of_second];
            let gap = seen[0] as f64 / one.count() as f64 - seen[1] as f64 / other.count() as f64;
            ks = ks.max(gap.abs());
        }
        Some(LatencyDistance { ks, ratio_of_means })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact_quantile(sorted: &[u64], q: f64) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let rank = ((q * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
        sorted[rank - 1]
    }

    proptest! {
        #[test]
        fn quantiles_are_within_one_percent(
            mut values in proptest::collection::vec(0u64..1 << 40, 1..400),
            q in 0.0..=1.0f64,
        ) {
            let mut distribution = Distribution::default();
            values.iter().for_each(|value| distribution.add(*value));
            values.sort_unstable();
            let exact = exact_quantile(&values, q) as f64;
            let found = distribution.quantile(q).expect("there are values") as f64;
            prop_assert!((found - exact).abs() <= exact * 0.004, "{found} for {exact}");
        }

        #[test]
        fn merged_parts_equal_one_pass(values in proptest::collection::vec(any::<u64>(), 0..200), cut in 0usize..200) {
            let cut = cut.min(values.len());
            let (mut whole, mut left, mut right) = Default::default();
            for (index, value) in values.iter().enumerate() {
                Distribution::add(&mut whole, *value);
                Distribution::add(if index < cut { &mut left } else { &mut right }, *value);
            }
            left.merge(&right);
            prop_assert_eq!(left, whole);
        }
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let (mut many, mut each) = (Distribution::default(), Distribution::default());
        for (nanos, count) in [(70_000, 5), (1, 0), (9_000_000_000, 3)] {
            many.add_many(nanos, count);
            (0..count).for_each(|_| each.add(nanos));
        }
        assert_eq!(many, each);
    }

    /// A median of a million I/Os is known, though the drive never answered the last four.
    #[test]
    fn a_quantile_is_a_bound_from_the_shortest_value_on_that_is_one() {
        let mut distribution = Distribution::default();
        distribution.add_many(80_000, 96);
        distribution.add(9_000_000_000);
        assert_eq!(distribution.shortest_bound, None);
        let mut given_up = Distribution::default();
        given_up.add_many_at_least(5_000_000_000, 1);
        given_up.add_many_at_least(7_000_000_000, 2);
        given_up.add_many_at_least(1, 0);
        distribution.merge(&given_up);
        let shortest = distribution.shortest_bound.expect("three are bounds");
        let is_bound = |q: f64| is_lower_bound(distribution.quantile(q).expect("values"), shortest);
        assert_eq!((shortest, distribution.moments().count()), (5_000_000_000, 100));
        assert_eq!([0.5, 0.96, 0.97, 0.99, 1.0].map(is_bound), [false, false, true, true, true]);
    }

    #[test]
    fn of_1234_values_twelve_lie_beyond_the_99th_percentile() {
        let mut distribution = Distribution::default();
        assert_eq!((distribution.quantile(0.5), distribution.tail_count(0.99)), (None, 0));
        (1..=1_234).for_each(|value| distribution.add(value));
        // Rank 1222 is the first not below 0.99 times 1234.
        assert_eq!([0.0, 0.99, 0.999, 1.0].map(|q| distribution.tail_count(q)), [1_234, 12, 1, 0]);
    }

    #[test]
    fn a_curve_of_equal_values_is_one_point() {
        let mut distribution = Distribution::default();
        assert_eq!(distribution.latency_tail(), []);
        distribution.add_many(100, 3);
        assert_eq!(distribution.latency_tail(), [TailPoint { nanos: 100, at_least: 3 }]);
        distribution.add(200);
        let points = [(100, 4), (200, 1)].map(|(nanos, at_least)| TailPoint { nanos, at_least });
        assert_eq!(distribution.latency_tail(), points);
    }

    #[test]
    fn the_exceedance_curve_ends_with_the_longest_value() {
        let mut distribution = Distribution::default();
        [100, 100, 804_000_000].iter().for_each(|value| distribution.add(*value));
        let curve = distribution.latency_tail();
        assert_eq!(curve[0], TailPoint { nanos: 100, at_least: 3 });
        assert_eq!(curve.last(), Some(&TailPoint { nanos: 804_000_000, at_least: 1 }));
    }

    /// Buckets hold one value each below 256 ns, so every point is exact. Without the rule a picture loses a step that can be
    /// seen, or shows each of them many times over.
    #[test]
    fn a_point_stays_where_it_is_apart_in_both_directions_or_far_to_the_right() {
        let thinned = |counts: &[(u64, u64)]| -> Vec<u64> {
            let mut distribution = Distribution::default();
            counts.iter().for_each(|(nanos, count)| distribution.add_many(*nanos, *count));
            thinned_tail(&distribution).iter().map(|point| point.nanos).collect()
        };
        // Of 1,000 values 980 lie beyond 100 ns: that is 2 % lower, and 979 are more than that.
        assert_eq!(thinned(&[(100, 20), (103, 980)]), [100]);
        assert_eq!(thinned(&[(100, 21), (103, 979)]), [100, 103]);
        assert_eq!(thinned(&[(100, 21), (102, 979)]), [100], "2 % to the right");
        assert_eq!(thinned(&[(100, 1), (108, 999)]), [100], "8 % to the right, and as high");
        assert_eq!(thinned(&[(100, 1), (109, 999)]), [100, 109], "more than 8 %");
        // The last nine stay however near they lie, the tenth does not.
        assert_eq!(thinned(&[(200, 991), (201, 1), (202, 8)]), [200, 201, 202]);
        assert_eq!(thinned(&[(200, 990), (201, 1), (202, 9)]), [200, 202]);
    }

    #[test]
    fn a_long_curve_is_thinned_and_its_tail_is_whole() {
        let mut distribution = Distribution::default();
        for step in 0..100_000u64 {
            distribution.add(50_000 + step * 13);
        }
        for tail in 1..=5u64 {
            distribution.add(tail * 100_000_000);
        }
        let curve = thinned_tail(&distribution);
        assert!(curve.len() < 400, "{}", curve.len());
        assert!(curve.iter().filter(|point| point.at_least <= 5).count() >= 5);
        assert_eq!(curve.last().map(|point| point.nanos), Some(500_000_000));
    }

    fn distribution_of(values: &[u64]) -> Distribution {
        let mut distribution = Distribution::default();
        values.iter().for_each(|value| distribution.add(*value));
        distribution
    }

    #[test]
    fn the_distance_is_the_greatest_gap_between_the_shares() {
        let first = distribution_of(&[100, 200, 300, 400]);
        let distance =
            |values: &[u64]| LatencyDistance::between(&first, &distribution_of(values)).expect("values");
        assert_eq!(distance(&[100, 200, 300, 400]).ks.to_bits(), 0.0f64.to_bits());
        assert_eq!(distance(&[200, 300, 400, 500]).ks.to_bits(), 0.25f64.to_bits());
        let far = distance(&[1_000, 1_500]);
        assert_eq!((far.ks, far.ratio_of_means), (1.0, 5.0));
        assert_eq!(LatencyDistance::between(&first, &Distribution::default()), None);
    }
}
