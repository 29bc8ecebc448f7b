//! The latency tail (CCDF), thinned to what a picture can show.

use crate::{Distribution, TailPoint};

/// The I/Os beyond a percentile below which it carries little weight.
pub const FEW_BEYOND: u64 = 10;

/// Neighbours closer than this in both directions are one dot on a logarithmic picture.
const CLOSE: f64 = 0.02;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
