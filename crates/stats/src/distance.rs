//! How far two latencies are apart.

use std::collections::BTreeMap;

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
        let mut counts: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
        for (side, distribution) in [first, second].into_iter().enumerate() {
            for (bucket, count) in distribution.histogram().occupied() {
                counts.entry(bucket).or_default()[side] = count;
            }
        }
        let (mut seen, mut kolmogorov_smirnov) = ([0, 0], 0.0f64);
        for [of_first, of_second] in counts.into_values() {
            seen = [seen[0] + of_first, seen[1] + of_second];
            let gap = seen[0] as f64 / one.count() as f64 - seen[1] as f64 / other.count() as f64;
            kolmogorov_smirnov = kolmogorov_smirnov.max(gap.abs());
        }
        Some(Distance { kolmogorov_smirnov, ratio_of_means })
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
