//! Two figures that were taken in the same blocks of runs.

use crate::IntervalEnds;
use crate::interval::student_t;

/// Fewer blocks than this show nothing of a difference. Two blocks have one degree of freedom: their spread is as often a
/// hundredth of what it should be as not, and an interval made of it is no evidence.
pub const LEAST_BLOCKS: usize = 3;

/// The ratio of two rates, paired by block of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// Blocks that have both.
    pub blocks: u64,
    /// The second's rate over the first's: the exponential of the mean difference of logarithms.
    pub ratio: f64,
    /// The ends of its 95 % interval by Student's t; none below [`LEAST_BLOCKS`] blocks.
    pub interval: Option<IntervalEnds>,
    /// The probability of such a difference where there is none, 0 to 1; none below [`LEAST_BLOCKS`] blocks.
    pub p: Option<f64>,
}

/// The logarithms of the ratios of two rates, one for each block that has both.
#[derive(Clone, Debug)]
pub(super) struct LogRatios {
    blocks: usize,
    mean: f64,
    /// Their sample variance; 0 for one block.
    pub variance: f64,
}

impl LogRatios {
    /// Those of pairs of rates; `None` where there is no pair of two rates above zero.
    pub fn from_pairs(pairs: &[(f64, f64)]) -> Option<LogRatios> {
        let counted = pairs.iter().filter(|(first, second)| *first > 0.0 && *second > 0.0);
        let values: Vec<f64> = counted.map(|(first, second)| (second / first).ln()).collect();
        let blocks = values.len();
        let mean = values.iter().sum::<f64>() / blocks as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = squares / blocks.saturating_sub(1).max(1) as f64;
        (blocks > 0).then_some(LogRatios { blocks, mean, variance })
    }

    /// The degrees of freedom of their variance.
    pub fn freedom(&self) -> usize {
        self.blocks - 1
    }

    /// The ratio, with the interval and the p-value of Student's test of a mean of zero. The variance that both are made of is
    /// at least `least_variance`, which can only widen the interval and raise the p-value.
    pub fn ratio(&self, least_variance: f64) -> PairedRatio {
        let error = (self.variance.max(least_variance) / self.blocks as f64).sqrt();
        let is_judged = self.blocks >= LEAST_BLOCKS;
        let half = is_judged.then(|| student_t(self.freedom()) * error);
        PairedRatio {
            blocks: self.blocks as u64,
            ratio: self.mean.exp(),
            interval: half
                .map(|half| IntervalEnds { low: (self.mean - half).exp(), high: (self.mean + half).exp() }),
            p: is_judged.then(|| two_sided_p(self.mean, error, self.freedom())),
        }
    }
}

/// The two-sided p-value of Student's test of a mean difference of zero.
fn two_sided_p(mean: f64, error: f64, freedom: usize) -> f64 {
    // Below the rounding of logarithms there is no difference to be told.
    if mean.abs() < 1e-12 {
        return 1.0;
    }
    if error < 1e-15 { 0.0 } else { 1.0 - within_t(mean.abs() / error, freedom) }
}

/// The probability that |T| <= t with so many degrees of freedom: the finite sums of Abramowitz and Stegun, 26.7.3 (odd) and
/// 26.7.4 (even).
fn within_t(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let squared = cosine * cosine;
    let odd = freedom % 2 == 1;
    // Each term is the one before it times cos^2 and an even number over the odd one above it, or the other way round.
    let (mut term, mut sum, mut factor) = if odd { (cosine, 0.0, 2.0) } else { (1.0, 0.0, 1.0) };
    for _ in 0..(if odd { (freedom - 1) / 2 } else { freedom / 2 }) {
        sum += term;
        term *= squared * factor / (factor + 1.0);
        factor += 2.0;
    }
    let within = if odd { std::f64::consts::FRAC_2_PI * (angle + sine * sum) } else { sine * sum };
    within.clamp(0.0, 1.0)
}

/// Holm's adjusted p-values (Holm 1979): below 0.05, all of them together claim a difference that is none in at most 5 % of
/// all matrices.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let (mut adjusted, mut most) = (vec![0.0; values.len()], 0.0f64);
    for (rank, index) in order.into_iter().enumerate() {
        most = most.max(values[index] * (values.len() - rank) as f64).min(1.0);
        adjusted[index] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_zero_has_no_ratio() {
        assert!(LogRatios::from_pairs(&[(0.0, 1.0), (1.0, 0.0)]).is_none());
        assert_eq!(
            paired_ratio(&[(1.0, 0.0), (1.0, 2.0)]).map(|found| (found.blocks, found.ratio)),
            Some((1, 2.0))
        );
    }

    /// Compares pairs of rates by their own spread.
    fn paired_ratio(pairs: &[(f64, f64)]) -> Option<PairedRatio> {
        LogRatios::from_pairs(pairs).map(|logs| logs.ratio(0.0))
    }

    #[test]
    fn the_distribution_of_t_is_that_of_the_tables() {
        // The 97.5 % quantiles of the NIST/SEMATECH e-Handbook, 1.3.6.7.2, and t(0.9995) for 4 degrees of freedom.
        for (freedom, t) in
            [(1, 12.706_205), (2, 4.302_653), (3, 3.182_446), (4, 2.776_445), (9, 2.262_157), (30, 2.042_272)]
        {
            assert!((within_t(t, freedom) - 0.95).abs() < 1e-6, "{freedom}: {}", within_t(t, freedom));
        }
        assert!((within_t(8.610, 4) - 0.999).abs() < 1e-5);
        assert!(within_t(0.0, 4).abs() < 1e-12 && within_t(0.0, 5).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_has_the_interval_of_its_logarithms() {
        let pairs = [1.0, 2.0, 4.0].map(|factor| (100.0, 100.0 * factor));
        let found = paired_ratio(&pairs).expect("a ratio");
        assert!((found.ratio - 2.0).abs() < 1e-12);
        let IntervalEnds { low, high } = found.interval.expect("an interval");
        // ln 2 times t(0.975, 2) / sqrt(3).
        let half = std::f64::consts::LN_2 * 4.302_653 / 3f64.sqrt();
        assert!(
            (low - (std::f64::consts::LN_2 - half).exp()).abs() < 1e-6 && (low * high - 4.0).abs() < 1e-9
        );
        assert_eq!(paired_ratio(&[(1.0, 0.0)]), None);
    }

    #[test]
    fn two_blocks_show_nothing_however_close_they_lie() {
        let found = paired_ratio(&[(1_000.0, 1_464.0), (1_000.0, 1_465.0)]).expect("a ratio");
        assert_eq!((found.blocks, found.interval, found.p), (2, None, None));
        assert!((found.ratio - 1.4645).abs() < 1e-6);
    }

    #[test]
    fn a_least_variance_widens_and_never_narrows() {
        let pairs = [1.46, 1.47, 1.465].map(|factor| (100.0, 100.0 * factor));
        let logs = LogRatios::from_pairs(&pairs).expect("ratios");
        let (own, wide) = (logs.ratio(0.0), logs.ratio(0.01));
        // t(0.975, 2) times 0.1 / sqrt(3).
        let IntervalEnds { low, high } = wide.interval.expect("an interval");
        assert!(((high / low).ln() / 2.0 - 4.302_653 * 0.1 / 3f64.sqrt()).abs() < 1e-6);
        assert!(wide.p > own.p && logs.ratio(logs.variance / 2.0) == own);
    }

    #[test]
    fn holm_steps_down() {
        // The textbook's example: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let wanted = [0.03, 0.06, 0.06, 0.02];
        assert!(
            adjusted.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12),
            "{adjusted:?}"
        );
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// Of ratios that are nearly the same in all blocks: with two degrees of freedom, P(|T| > t) is 1 - t / sqrt(2 + t^2).
    #[test]
    fn differences_and_errors_count_from_the_rounding_of_logarithms_on() {
        let near = |found: f64, t: f64| {
            let expected = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        };
        near(two_sided_p(1e-12, 1e-13, 2), 10.0);
        near(two_sided_p(2e-12, 1e-15, 2), 2_000.0);
        let bounds = [two_sided_p(9e-13, 1e-14, 2), two_sided_p(1e-11, 5e-16, 2)];
        assert!((bounds[0] - 1.0).abs() < 1e-12 && bounds[1].abs() < f64::MIN_POSITIVE, "{bounds:?}");
    }
}
