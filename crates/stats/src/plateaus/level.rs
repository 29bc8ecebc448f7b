//! The level of a stretch, and how well it is known.

use crate::{median, whole};

/// A median with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MedianInterval {
    /// The median.
    pub median: f64,
    /// The lower and the upper end of its 95 % confidence interval; none of fewer than six values.
    pub interval: Option<(f64, f64)>,
}

/// The 97.5 % quantile of the normal distribution.
const Z_975: f64 = 1.959_964;

impl MedianInterval {
    /// The least number of values that have an interval: of five, both ends of it would lie beyond the smallest and the largest
    /// value in 6 % of cases (2 x 0.5^5).
    pub const VALUES_MIN: usize = 6;

    /// That of values of which none says anything of another.
    pub fn of_independent(values: &[f64]) -> MedianInterval {
        MedianInterval::with_alike(values, 0.0)
    }

    /// That of these values, in their order in time: the values of the ranks n/2 -+ 1.96 sqrt(n)/2 (W. J. Conover, "Practical
    /// Nonparametric Statistics", 3.2), where n is divided, for the width, by (1 + r) / (1 - r) where neighbours are alike, with
    /// r their correlation (that of a sum of a first-order autoregressive series).
    pub fn from_values(values: &[f64]) -> MedianInterval {
        MedianInterval::with_alike(values, correlation_of_neighbours(values).clamp(0.0, 0.98))
    }

    fn with_alike(values: &[f64], alike: f64) -> MedianInterval {
        let mut sorted = values.to_vec();
        let median = median(&sorted).unwrap_or(0.0);
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let half = Z_975 / 2.0 * (n * (1.0 + alike) / (1.0 - alike)).sqrt();
        let is_enough = sorted.len() >= MedianInterval::VALUES_MIN;
        let interval = is_enough.then(|| {
            let low = whole((n / 2.0 - half).floor().max(1.0)).min(sorted.len());
            let high = (whole((n / 2.0 + half).ceil()) + 1).min(sorted.len());
            (sorted[low - 1], sorted[high - 1])
        });
        MedianInterval { median, interval }
    }
}

fn correlation_of_neighbours(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let variance: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let together: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if variance > 0.0 { together / variance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::fixture::Draws;

    #[test]
    fn the_interval_of_a_median_has_it_in_95_of_100_cases() {
        for alike in [0.0, 0.6] {
            let has_it = |seed: u64| {
                let mut draws = Draws(seed * 977 + 5);
                let mut last = draws.normal();
                let spread = f64::sqrt(1.0 - alike * alike);
                let values: Vec<f64> = (0..200)
                    .map(|_| {
                        last = alike * last + spread * draws.normal();
                        100.0 + last
                    })
                    .collect();
                let (low, high) = MedianInterval::from_values(&values).interval.expect("an interval");
                (low..=high).contains(&100.0)
            };
            let found = (0..1_000).filter(|seed| has_it(*seed)).count();
            assert!((925..=995).contains(&found), "{found} of 1,000 with {alike}");
        }
    }

    #[test]
    fn few_values_have_a_median_and_no_interval() {
        let found = MedianInterval::from_values(&[3.0, 1.0, 2.0, 4.0]);
        assert_eq!(found, MedianInterval { median: 2.5, interval: None });
        assert_eq!(MedianInterval::from_values(&[]), MedianInterval::default());
    }
}
