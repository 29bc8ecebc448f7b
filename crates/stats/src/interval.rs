//! A mean over runs, and how far it is to be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ends of a 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntervalEnds {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl IntervalEnds {
    /// Those of the ratio the other way round.
    #[must_use]
    pub fn inverse(self) -> IntervalEnds {
        IntervalEnds { low: 1.0 / self.high, high: 1.0 / self.low }
    }
}

/// The 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook, 1.3.6.7.2, with more
/// digits).
const T_975: [f64; 30] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
    2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922,
    2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831,
    2.048_407, 2.045_230, 2.042_272,
];

/// The mean of a figure over runs, with its 95 % confidence interval. One run is one value, however many I/Os it had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// Runs.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Half the width of the interval, `t(0.975, n - 1) s / sqrt(n)`; none below two runs.
    pub half_width: Option<f64>,
}

impl MeanInterval {
    /// The mean of these values; `None` where there is none.
    pub fn from_values(values: &[f64]) -> Option<MeanInterval> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let half_width = (values.len() > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            student_t(values.len() - 1) * (squares / (n - 1.0) / n).sqrt()
        });
        Some(MeanInterval { count: values.len() as u64, mean, half_width })
    }

    /// The standard error of the mean, `s / sqrt(n)`; none below two runs.
    pub fn standard_error(&self) -> Option<f64> {
        let freedom = usize::try_from(self.count.saturating_sub(1)).ok()?;
        self.half_width.map(|half| half / student_t(freedom))
    }
}

/// The 97.5 % quantile of Student's t; above 30 degrees of freedom by the expansion of Abramowitz and Stegun, 26.7.5, whose
/// error is below 2e-6 there.
pub(crate) fn student_t(freedom: usize) -> f64 {
    if let Some(t) = freedom.checked_sub(1).and_then(|index| T_975.get(index)) {
        return *t;
    }
    let (z, n) = (1.959_963_985_f64, freedom as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / n + second / n.powi(2) + third / n.powi(3)
}

/// The ratio of the means of two samples of positive figures, over runs that were done independently of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeansRatio {
    /// The mean of the first over the mean of the second.
    pub ratio: f64,
    /// The ends of its 95 % interval: those of Student's intervals of the means of both samples' logarithms, added up in
    /// quadrature; none below two values of either.
    pub interval: Option<IntervalEnds>,
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
            IntervalEnds { low: (above - below - half).exp(), high: (above - below + half).exp() }
        };
        let interval = logs(above).zip(logs(below)).map(ends);
        Some(MeansRatio { ratio: mean(above)? / mean(below)?, interval })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_runs_have_the_interval_of_the_textbook() {
        // Mean 3, deviation sqrt(2.5), t(0.975, 4) = 2.776445.
        let found = MeanInterval::from_values(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("a mean");
        assert!((found.mean - 3.0).abs() < 1e-12);
        assert!((found.half_width.expect("an interval") - 1.963_243).abs() < 1e-5);
        assert!((found.standard_error().expect("an error") - 0.5f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn one_run_has_no_interval_and_none_no_mean() {
        assert_eq!(
            MeanInterval::from_values(&[7.0]),
            Some(MeanInterval { count: 1, mean: 7.0, half_width: None })
        );
        assert_eq!(MeanInterval::from_values(&[]), None);
    }

    /// Quantiles of the NIST/SEMATECH e-Handbook, 1.3.6.7.2, which has three decimal places, with more digits by numerical
    /// integration.
    #[test]
    fn the_expansion_goes_on_where_the_table_ends() {
        for (freedom, quantile, error) in [
            (30, 2.042_272_456, 5e-7),
            (31, 2.039_513_446, 2e-6),
            (60, 2.000_297_822, 2e-7),
            (200, 1.971_896_224, 1e-9),
            (1_000_000, 1.959_966_357, 1e-9),
        ] {
            let found = student_t(freedom);
            assert!((found - quantile).abs() < error, "{found} for {freedom} degrees of freedom");
        }
    }

    #[test]
    fn the_interval_is_that_of_both_samples_in_quadrature() {
        let found = MeansRatio::compare(&[8.0, 32.0], &[2.0, 4.0, 8.0]).expect("a ratio");
        assert!((found.ratio - 20.0 / (14.0 / 3.0)).abs() < 1e-12);
        // Logarithms of the first to the base of 2 are 3 and 5: mean 4, s / sqrt(n) = 1, t(0.975, 1) = 12.706205. Those of the
        // second are 1, 2 and 3: mean 2, s / sqrt(n) = 1 / sqrt(3), t(0.975, 2) = 4.302653.
        let half = 12.706_205f64.hypot(4.302_653 / 3f64.sqrt());
        let IntervalEnds { low, high } = found.interval.expect("an interval");
        assert!((low.log2() - (2.0 - half)).abs() < 1e-9 && (high.log2() - (2.0 + half)).abs() < 1e-9);
    }

    #[test]
    fn one_value_has_no_interval_and_what_is_not_above_zero_no_ratio() {
        assert_eq!(MeansRatio::compare(&[3.0], &[2.0, 2.0]), Some(MeansRatio { ratio: 1.5, interval: None }));
        assert_eq!(MeansRatio::compare(&[3.0, -1.0], &[2.0, 2.0]), None);
        assert_eq!(MeansRatio::compare(&[], &[2.0, 2.0]), None);
    }
}
