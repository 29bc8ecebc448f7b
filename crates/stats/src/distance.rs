//! How far two latencies are apart.

use std::collections::BTreeSet;

use crate::Distribution;

/// How far one latency is from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The Kolmogorov-Smirnov distance, `max |F(x) - G(x)|` over the bounds of the histogram's buckets: 0 where the
    /// two are distributed alike, 1 where every value of one lies below every value of the other. A bucket is at most
    /// 1/128 of its value wide, and differences within one are not seen.
    pub kolmogorov_smirnov: f64,
    /// The second mean / the first; exact.
    pub ratio_of_means: f64,
}

impl Distance {
    /// The distance of `second` from `first`; `None` where one has no value, or the first has only zeros.
    pub fn between(first: &Distribution, second: &Distribution) -> Option<Distance> {
        let (one, other) = (first.moments(), second.moments());
        let ratio_of_means = Some(other.mean()? / one.mean()?).filter(|ratio| ratio.is_finite())?;
        let counts = |distribution: &Distribution| distribution.histogram().occupied().collect::<Vec<_>>();
        let (left, right) = (counts(first), counts(second));
        let buckets: BTreeSet<u16> = left.iter().chain(&right).map(|(bucket, _)| *bucket).collect();
        let (mut left, mut right) = (ShareUpTo::new(left, one.count()), ShareUpTo::new(right, other.count()));
        let gaps = buckets.into_iter().map(|bucket| (left.up_to(bucket) - right.up_to(bucket)).abs());
        Some(Distance { kolmogorov_smirnov: gaps.fold(0.0, f64::max), ratio_of_means })
    }
}

/// The share of values up to a bucket, for rising buckets.
struct ShareUpTo {
    counts: std::iter::Peekable<std::vec::IntoIter<(u16, u64)>>,
    seen: u64,
    all: u64,
}

impl ShareUpTo {
    fn new(counts: Vec<(u16, u64)>, all: u64) -> ShareUpTo {
        ShareUpTo { counts: counts.into_iter().peekable(), seen: 0, all: all.max(1) }
    }

    fn up_to(&mut self, bucket: u16) -> f64 {
        while let Some((_, count)) = self.counts.next_if(|(next, _)| *next <= bucket) {
            self.seen += count;
        }
        self.seen as f64 / self.all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(values: &[u64]) -> Distribution {
        let mut distribution = Distribution::default();
        values.iter().for_each(|value| distribution.add(*value));
        distribution
    }

    #[test]
    fn the_distance_is_the_greatest_gap_between_the_shares() {
        let first = new(&[100, 200, 300, 400]);
        let distance = |values: &[u64]| Distance::between(&first, &new(values)).expect("values");
        assert_eq!(distance(&[100, 200, 300, 400]).kolmogorov_smirnov.to_bits(), 0.0f64.to_bits());
        assert_eq!(distance(&[200, 300, 400, 500]).kolmogorov_smirnov.to_bits(), 0.25f64.to_bits());
        let far = distance(&[1_000, 1_500]);
        assert_eq!((far.kolmogorov_smirnov, far.ratio_of_means), (1.0, 5.0));
        assert_eq!(Distance::between(&first, &Distribution::default()), None);
    }
}
