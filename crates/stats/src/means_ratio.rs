//! The ratio of two means over runs that were done independently of each other.

use crate::MeanInterval;

/// The ratio of the means of two independent samples of positive figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeansRatio {
    /// The mean of the first over the mean of the second.
    pub ratio: f64,
    /// The ends of its 95 % interval: those of Student's intervals of the means of both samples' logarithms, added up in
    /// quadrature; none below two values of either.
    pub interval: Option<(f64, f64)>,
}

impl MeansRatio {
    /// The ratio of these figures to those; `None` where there are none of either, or one of them is not above zero.
    pub fn compare(above: &[f64], below: &[f64]) -> Option<MeansRatio> {
        if above.iter().chain(below).any(|value| !value.is_finite() || *value <= 0.0) {
            return None;
        }
        let mean = |values: &[f64]| MeanInterval::from_values(values).map(|found| found.mean);
        let logs = |values: &[f64]| {
            let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            MeanInterval::from_values(&logs).and_then(|found| Some((found.mean, found.half_width?)))
        };
        let ends = |((above, one), (below, other)): ((f64, f64), (f64, f64))| {
            let half = one.hypot(other);
            ((above - below - half).exp(), (above - below + half).exp())
        };
        let interval = logs(above).zip(logs(below)).map(ends);
        Some(MeansRatio { ratio: mean(above)? / mean(below)?, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_both_samples_in_quadrature() {
        let found = MeansRatio::compare(&[8.0, 32.0], &[2.0, 4.0, 8.0]).expect("a ratio");
        assert!((found.ratio - 20.0 / (14.0 / 3.0)).abs() < 1e-12);
        // Logarithms of the first to the base of 2 are 3 and 5: mean 4, s / sqrt(n) = 1, t(0.975, 1) = 12.706205. Those of the
        // second are 1, 2 and 3: mean 2, s / sqrt(n) = 1 / sqrt(3), t(0.975, 2) = 4.302653.
        let half = 12.706_205f64.hypot(4.302_653 / 3f64.sqrt());
        let (low, high) = found.interval.expect("an interval");
        assert!((low.log2() - (2.0 - half)).abs() < 1e-9 && (high.log2() - (2.0 + half)).abs() < 1e-9);
    }

    #[test]
    fn one_value_has_no_interval_and_what_is_not_above_zero_no_ratio() {
        assert_eq!(MeansRatio::compare(&[3.0], &[2.0, 2.0]), Some(MeansRatio { ratio: 1.5, interval: None }));
        assert_eq!(MeansRatio::compare(&[3.0, -1.0], &[2.0, 2.0]), None);
        assert_eq!(MeansRatio::compare(&[], &[2.0, 2.0]), None);
    }
}
