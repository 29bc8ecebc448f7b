//! Two figures that were taken in the same blocks of runs.

use crate::interval::MeanInterval;

/// The ratio of two rates, paired by block of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// Blocks that have both.
    pub blocks: u64,
    /// The second's rate over the first's: the exponential of the mean difference of logarithms.
    pub ratio: f64,
    /// The ends of its 95 % interval by Student's t; none below two blocks.
    pub interval: Option<(f64, f64)>,
    /// The probability of such a difference where there is none; none below two blocks.
    pub p: Option<f64>,
}

/// Compares pairs of rates; `None` where there is no pair of two rates above zero.
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<PairedRatio> {
    let counted = pairs.iter().filter(|(first, second)| *first > 0.0 && *second > 0.0);
    let differences: Vec<f64> = counted.map(|(first, second)| (second / first).ln()).collect();
    let found = MeanInterval::of(&differences)?;
    let interval = found.half_width.map(|half| ((found.mean - half).exp(), (found.mean + half).exp()));
    Some(PairedRatio {
        blocks: found.count,
        ratio: found.mean.exp(),
        interval,
        p: (differences.len() > 1).then(|| two_sided_p(&differences, found.mean)),
    })
}

/// The two-sided p-value of Student's test of a mean difference of zero.
fn two_sided_p(differences: &[f64], mean: f64) -> f64 {
    let n = differences.len() as f64;
    let squares: f64 = differences.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    // Below the rounding of logarithms there is no difference to be told.
    if mean.abs() < 1e-12 {
        return 1.0;
    }
    if error < 1e-15 { 0.0 } else { 1.0 - within_t(mean.abs() / error, differences.len() - 1) }
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
        let (low, high) = found.interval.expect("an interval");
        // ln 2 times t(0.975, 2) / sqrt(3).
        let half = std::f64::consts::LN_2 * 4.302_653 / 3f64.sqrt();
        assert!(
            (low - (std::f64::consts::LN_2 - half).exp()).abs() < 1e-6 && (low * high - 4.0).abs() < 1e-9
        );
        assert_eq!(paired_ratio(&[(1.0, 0.0)]), None);
        assert_eq!(paired_ratio(&[(1.0, 2.0)]).expect("a ratio").p, None);
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
}
