//! Whether a TRIM made a used drive fast again: ratios of rates over rounds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CurvePoint, MeanInterval, total_rate};

/// A change of rates that is worth a word: one part in twenty.
const WORTH: f64 = 1.05;

/// The three curves of a round, span by span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrimRound {
    /// After the fill.
    pub fresh: Vec<CurvePoint>,
    /// After random writes: the control.
    pub used: Vec<CurvePoint>,
    /// After random writes and a TRIM.
    pub trimmed: Vec<CurvePoint>,
}

// A round's value is that of the rates at which its spans were passed.
/// A ratio of rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpeedRatio {
    /// Rounds.
    pub rounds: u64,
    /// Geometric mean over rounds.
    pub ratio: f64,
    /// Lower end of the 95 % interval over rounds; none below two rounds.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl SpeedRatio {
    fn over(
        rounds: &[TrimRound],
        of: fn(&TrimRound) -> &[CurvePoint],
        to: fn(&TrimRound) -> &[CurvePoint],
    ) -> Option<SpeedRatio> {
        SpeedRatio::of_logs(rounds.iter().filter_map(|round| log_ratio(of(round), to(round))))
    }

    fn of_logs(logs: impl Iterator<Item = f64>) -> Option<SpeedRatio> {
        let mean = MeanInterval::from_values(&logs.collect::<Vec<f64>>())?;
        let low = mean.half_width.map(|half| (mean.mean - half).exp());
        let high = mean.half_width.map(|half| (mean.mean + half).exp());
        Some(SpeedRatio { rounds: mean.count, ratio: mean.mean.exp(), low, high })
    }

    /// Whether it is above a value beyond doubt.
    fn is_above(&self, value: f64) -> bool {
        self.low.is_some_and(|low| low > value)
    }

    /// Whether it is below a value beyond doubt.
    fn is_below(&self, value: f64) -> bool {
        self.high.is_some_and(|high| high < value)
    }
}

/// The logarithm of the ratio of the rates at which two curves were passed, over the spans that both have. A used drive
/// may be fast at most spans and stand still at a few: those count by their time.
fn log_ratio(of: &[CurvePoint], to: &[CurvePoint]) -> Option<f64> {
    let shared = |curve: &[CurvePoint], other: &[CurvePoint]| -> Vec<CurvePoint> {
        let has = |point: &&CurvePoint| other.iter().any(|another| another.start == point.start);
        curve.iter().filter(has).copied().collect()
    };
    let ratio = total_rate(&shared(of, to))? / total_rate(&shared(to, of))?;
    (ratio.is_finite() && ratio > 0.0).then(|| ratio.ln())
}

/// What rounds show of a drive's TRIM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrimVerdict {
    /// Trimmed, the drive is faster than used, beyond doubt, and not beyond doubt by less than half of what was lost.
    Effective,
    /// It got slower by use, and a TRIM did not make good half of that, beyond doubt.
    Ineffective,
    /// Nothing was won, and it is not shown that anything was lost by use; or the rounds differ too much.
    Undecided,
}

/// What rounds come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrimFigures {
    /// Fresh against used: what use has cost, and a TRIM could win back.
    pub lost: Option<SpeedRatio>,
    /// Trimmed against used: what the TRIM has won.
    pub won: Option<SpeedRatio>,
    /// What they show.
    pub verdict: TrimVerdict,
}

impl TrimFigures {
    /// Judges rounds of a drive that took its TRIMs. A change counts from one part in twenty on; half of what was lost is
    /// half on a logarithmic scale.
    pub fn from_rounds(rounds: &[TrimRound]) -> TrimFigures {
        let lost = SpeedRatio::over(rounds, |round| &round.fresh, |round| &round.used);
        let won = SpeedRatio::over(rounds, |round| &round.trimmed, |round| &round.used);
        // Round by round, since what was lost is as uncertain as what was won.
        let beyond_half = SpeedRatio::of_logs(rounds.iter().filter_map(|round| {
            let (lost, won) =
                (log_ratio(&round.fresh, &round.used)?, log_ratio(&round.trimmed, &round.used)?);
            Some(won - lost / 2.0)
        }));
        let is_less_than_half = beyond_half.is_some_and(|ratio| ratio.is_below(1.0));
        let verdict = match (lost, won) {
            (Some(lost), Some(_)) if lost.is_above(WORTH) && is_less_than_half => TrimVerdict::Ineffective,
            // The used drive is the control: whatever the fresh one was, the TRIM has made the difference.
            (Some(_), Some(won)) if won.is_above(WORTH) => TrimVerdict::Effective,
            _ => TrimVerdict::Undecided,
        };
        TrimFigures { lost, won, verdict }
    }

    /// Whether use has cost anything, beyond doubt.
    pub fn was_something_lost(&self) -> bool {
        self.lost.is_some_and(|lost| lost.is_above(WORTH))
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, Nanos, Sector};

    use super::*;

    /// A curve whose rates differ from span to span, and all by a factor.
    fn curve(factor: f64) -> Vec<CurvePoint> {
        (1..=8u32)
            .map(|span| CurvePoint {
                start: Sector::new(u64::from(span) * 1000),
                bytes: ByteCount::new(1_000_000),
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "microseconds")]
                elapsed: Nanos::new((1e9 * f64::from(span) / factor) as u64),
            })
            .collect()
    }

    fn rounds(factors: &[(f64, f64, f64)]) -> Vec<TrimRound> {
        let round = |(fresh, used, trimmed): &(f64, f64, f64)| TrimRound {
            fresh: curve(*fresh),
            used: curve(*used),
            trimmed: curve(*trimmed),
        };
        factors.iter().map(round).collect()
    }

    fn verdict(factors: &[(f64, f64, f64)]) -> TrimVerdict {
        TrimFigures::from_rounds(&rounds(factors)).verdict
    }

    #[test]
    fn verdicts_follow_from_what_was_lost_and_won() {
        assert_eq!(verdict(&[(4.0, 1.0, 4.0), (4.1, 1.0, 3.9), (4.0, 1.1, 4.0)]), TrimVerdict::Effective);
        assert_eq!(verdict(&[(4.0, 1.0, 1.0), (4.1, 1.0, 1.05), (4.0, 1.1, 1.1)]), TrimVerdict::Ineffective);
        // It wins something beyond doubt, and as surely not half of what was lost.
        assert_eq!(verdict(&[(4.0, 1.0, 1.2), (4.1, 1.0, 1.25), (4.0, 1.1, 1.3)]), TrimVerdict::Ineffective);
        assert_eq!(verdict(&[(1.0, 1.0, 1.0), (1.02, 1.0, 1.0), (1.0, 1.01, 1.0)]), TrimVerdict::Undecided);
        // A fill that left a full cache behind, or a drive without free blocks: fresh is as slow as used, at times.
        assert_eq!(verdict(&[(1.0, 1.0, 2.0), (1.0, 1.01, 2.0), (1.01, 1.0, 2.0)]), TrimVerdict::Effective);
        assert_eq!(verdict(&[(1.0, 1.0, 8.0), (8.0, 1.01, 8.0)]), TrimVerdict::Effective);
        // One round has no interval, and rounds that contradict each other a wide one.
        assert_eq!(verdict(&[(4.0, 1.0, 4.0)]), TrimVerdict::Undecided);
        assert_eq!(verdict(&[(4.0, 1.0, 4.0), (4.0, 1.0, 1.0), (4.0, 1.0, 1.0)]), TrimVerdict::Undecided);
        assert_eq!(verdict(&[]), TrimVerdict::Undecided);
    }

    #[test]
    fn more_than_half_of_what_was_lost_is_enough() {
        assert_eq!(verdict(&[(4.0, 1.0, 2.5), (4.1, 1.0, 2.6), (4.0, 1.02, 2.6)]), TrimVerdict::Effective);
        let figures = |fresh| TrimFigures::from_rounds(&rounds(&[(fresh, 1.0, 1.0), (fresh, 1.0, 1.0)]));
        assert_eq!([1.04, 1.06].map(|fresh| figures(fresh).was_something_lost()), [false, true]);
    }

    #[test]
    fn a_ratio_at_the_limit_is_not_beyond_it() {
        let ratio = SpeedRatio { rounds: 2, ratio: 1.5, low: Some(1.0), high: Some(2.0) };
        assert_eq!((ratio.is_above(1.0), ratio.is_above(0.9)), (false, true));
        assert_eq!((ratio.is_below(2.0), ratio.is_below(2.1)), (false, true));
    }

    #[test]
    fn only_spans_that_both_curves_have_are_compared() {
        let (whole, mut half) = (curve(1.0), curve(2.0));
        half.truncate(4);
        let found = log_ratio(&half, &whole).expect("four spans");
        assert!((found - 2f64.ln()).abs() < 1e-9, "{found}");
        assert_eq!(log_ratio(&whole, &[]), None);
        // A drive that moved nothing has no rate to compare.
        let still: Vec<CurvePoint> =
            whole.iter().map(|point| CurvePoint { bytes: ByteCount::new(0), ..*point }).collect();
        assert_eq!((log_ratio(&still, &whole), log_ratio(&whole, &still)), (None, None));
    }

    #[test]
    fn a_ratio_is_that_of_the_rates_and_its_interval_that_of_the_rounds() {
        let won =
            TrimFigures::from_rounds(&rounds(&[(1.0, 1.0, 2.0), (1.0, 1.0, 8.0)])).won.expect("a ratio");
        assert!((won.ratio - 4.0).abs() < 1e-5, "{won:?}");
        // ln 2 and ln 8: mean ln 4, deviation ln 4 / sqrt 2, t(0.975, 1) = 12.706205.
        let half = 12.706_205 * 4.0_f64.ln() / 2.0;
        let (low, high) = won.low.zip(won.high).expect("two rounds");
        assert!(
            (low.ln() - (4.0_f64.ln() - half)).abs() < 1e-4
                && (high.ln() - (4.0_f64.ln() + half)).abs() < 1e-4
        );
    }
}
