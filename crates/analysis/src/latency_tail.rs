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
