//! Steady state in SNIA's sense, over rounds.

/// Consecutive rounds that a verdict looks at.
const WINDOW: usize = 5;
/// Rounds without which nothing can be said about steady state.
pub const ROUNDS_NEEDED: usize = WINDOW;
/// The greatest excursion: maximum - minimum, as a share of the window's mean.
const EXCURSION_MAX: f64 = 0.20;
/// The greatest change of the fitted line over the window (slope x 4), as a share of the window's mean.
const SLOPE_MAX: f64 = 0.10;

/// Whether and from when a series of rounds was steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteadyState {
    /// Steady from this round (counted from 0) to the end.
    Reached {
        /// The first round of the steady part.
        first_round: usize,
    },
    /// Every window of the part is steady by itself, and the part as a whole is not.
    Drifting(Drift),
    /// The last window is not steady, or there are fewer than five rounds.
    NotReached,
}

/// A part of a series, up to its end, that changes slowly. All values are means of five rounds in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The first round of the part.
    pub first_round: usize,
    /// That of its first five rounds.
    pub from: f64,
    /// That of its last five.
    pub to: f64,
    /// The least of all.
    pub least: f64,
    /// The greatest of all.
    pub most: f64,
}

/// Judges rounds by the rule of SNIA's Performance Test Specification: five consecutive rounds are steady
/// where max - min <= 20 % of their mean, and the least-squares line changes by at most 10 % of their mean
/// (slope x 4).
///
/// The specification stops at the first steady window. A fresh drive is steady too until its spare area is
/// used up, so here every later window has to be steady as well.
///
/// Windows that are steady each may drift together, so the limits hold for the part as a whole, too: at the slope of its line,
/// the rate changes by at most 10 % of its mean over as long as the part is; the line through the last half changes by at most
/// 10 %, too; and the means of five rounds in a row differ by at most 20 % of the mean. A drive that settles slowly is steady
/// from the first round on behind which this holds, where at least half of the part lies behind it.
pub fn steady_state(rounds: &[f64]) -> SteadyState {
    let windows = rounds.windows(WINDOW);
    let steady_at_the_end = windows.rev().take_while(|window| is_steady(window)).count();
    if steady_at_the_end == 0 {
        return SteadyState::NotReached;
    }
    let first_round = rounds.len() - WINDOW + 1 - steady_at_the_end;
    let part = &rounds[first_round..];
    let latest = part.len() - WINDOW.max(part.len().div_ceil(2));
    if let Some(left_out) = (0..=latest).find(|left_out| has_settled(&part[*left_out..], part.len())) {
        return SteadyState::Reached { first_round: first_round + left_out };
    }
    let means: Vec<f64> = part.windows(WINDOW).map(mean).collect();
    let Range { least, most } = Range::from_values(&means);
    SteadyState::Drifting(Drift { first_round, from: means[0], to: means[means.len() - 1], least, most })
}

/// Whether a part whose windows are steady is so as a whole, as the end of one of `whole` rounds.
fn has_settled(part: &[f64], whole: usize) -> bool {
    let last_half = &part[part.len() - WINDOW.max(part.len() / 2)..];
    let is_level_at_last = FittedLine::from_rounds(last_half).is_level_over(last_half.len());
    let line = FittedLine::from_rounds(part);
    let means: Vec<f64> = part.windows(WINDOW).map(mean).collect();
    let range = Range::from_values(&means);
    line.is_level_over(whole) && is_level_at_last && range.most - range.least <= EXCURSION_MAX * line.mean
}

fn mean(rounds: &[f64]) -> f64 {
    rounds.iter().sum::<f64>() / rounds.len() as f64
}

struct Range {
    least: f64,
    most: f64,
}

impl Range {
    fn from_values(values: &[f64]) -> Range {
        Range {
            least: values.iter().copied().fold(f64::MAX, f64::min),
            most: values.iter().copied().fold(f64::MIN, f64::max),
        }
    }
}

/// The least-squares line through rounds at equal distances.
struct FittedLine {
    /// Its value in the middle, which is the mean of the rounds.
    mean: f64,
    /// Its change from one round to the next.
    slope: f64,
}

impl FittedLine {
    /// That of at least two rounds.
    fn from_rounds(rounds: &[f64]) -> FittedLine {
        let (count, middle) = (rounds.len() as f64, (rounds.len() - 1) as f64 / 2.0);
        // Places that are counted from the middle one add up to 0.
        let places = (0..rounds.len()).map(|round| round as f64 - middle);
        let slope = rounds.iter().zip(places).map(|(value, place)| place * value).sum::<f64>()
            / ((count * count - 1.0) * count / 12.0);
        FittedLine { mean: mean(rounds), slope }
    }

    /// Whether it changes by at most 10 % of its mean over so many rounds.
    fn is_level_over(&self, rounds: usize) -> bool {
        (self.slope * (rounds - 1) as f64).abs() <= SLOPE_MAX * self.mean
    }
}

fn is_steady(window: &[f64]) -> bool {
    let (line, range) = (FittedLine::from_rounds(window), Range::from_values(window));
    line.mean > 0.0
        && range.most - range.least <= EXCURSION_MAX * line.mean
        && line.is_level_over(window.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_plateau_before_a_cliff_is_not_steady_state() {
        let mut rounds = vec![50_000.0; 8];
        rounds.extend([20_000.0, 9_000.0, 5_000.0, 5_050.0, 4_980.0, 5_020.0, 5_000.0]);
        assert_eq!(steady_state(&rounds), SteadyState::Reached { first_round: 10 });
        assert_eq!(steady_state(&rounds[..12]), SteadyState::NotReached);
    }

    #[test]
    fn the_slope_rule_bites_where_the_excursion_rule_does_not() {
        // 12 % from first to last: within 20 % of the mean, but a line that changes by more than 10 %.
        let rising = [94.0, 97.0, 100.0, 103.0, 106.0];
        assert_eq!(steady_state(&rising), SteadyState::NotReached);
        // The same spread without a trend.
        let level = [94.0, 106.0, 100.0, 106.0, 94.0];
        assert_eq!(steady_state(&level), SteadyState::Reached { first_round: 0 });
    }

    /// The specification's limits themselves are still steady: 20 % between the least and the greatest, 10 % along the line.
    #[test]
    fn a_drive_at_the_limits_of_the_rule_is_steady_and_one_beyond_them_is_not() {
        let is_steady = |window: [f64; 5]| steady_state(&window) == SteadyState::Reached { first_round: 0 };
        assert!(is_steady([90.0, 105.0, 110.0, 105.0, 90.0]), "20 % without a trend");
        assert!(!is_steady([89.0, 105.0, 112.0, 105.0, 89.0]), "23 % without a trend");
        assert!(is_steady([95.0, 97.5, 100.0, 102.5, 105.0]), "a line that rises by 10 %");
        assert!(is_steady([105.0, 102.5, 100.0, 97.5, 95.0]), "a line that falls by 10 %");
        assert!(!is_steady([105.5, 102.75, 100.0, 97.25, 94.5]), "a line that falls by 11 %");
    }

    /// From 5.2 to 6.8 thousand IOPS in 1,400 s: each window rises by 5 % at most, all together by 27 %.
    #[test]
    fn a_rate_that_climbs_slowly_drifts() {
        let rising: Vec<f64> = (0..24).map(|round| 5_200.0 + 1_600.0 * f64::from(round) / 23.0).collect();
        let mut rounds = vec![40_000.0; 3];
        rounds.extend(&rising);
        let SteadyState::Drifting(drift) = steady_state(&rounds) else {
            panic!("{:?}", steady_state(&rounds))
        };
        assert_eq!(drift.first_round, 3);
        // The middle of the first and of the last five.
        let (low, high) = (rising[2], rising[21]);
        assert!((drift.from - low).abs() < 1e-6 && (drift.to - high).abs() < 1e-6, "{drift:?}");
        assert!((drift.least - low).abs() < 1e-6 && (drift.most - high).abs() < 1e-6, "{drift:?}");
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        let SteadyState::Drifting(drift) = steady_state(&falling) else { panic!("it falls") };
        assert!((drift.from - high).abs() < 1e-6 && (drift.to - low).abs() < 1e-6, "{drift:?}");
    }

    #[test]
    fn a_rate_that_falls_and_comes_back_drifts() {
        let depth = |round: i32| 100.0 - 28.5 * (1.0 - f64::from((round - 20).abs()) / 20.0);
        let rounds: Vec<f64> = (0..=40).map(depth).collect();
        let SteadyState::Drifting(drift) = steady_state(&rounds) else {
            panic!("{:?}", steady_state(&rounds))
        };
        assert!((drift.from - drift.to).abs() < 1e-6 && drift.least < 74.0 && drift.most > 97.0, "{drift:?}");
    }

    #[test]
    fn a_rate_that_climbs_at_the_end_only_drifts() {
        let mut rounds = vec![100.0; 28];
        rounds.extend((1..=7).map(|round| 100.0 + 15.0 * f64::from(round) / 7.0));
        assert!(matches!(steady_state(&rounds), SteadyState::Drifting(_)), "{:?}", steady_state(&rounds));
    }

    /// It loses 94 % of its rate, each window less than a tenth.
    #[test]
    fn a_drift_is_between_rates_that_were_had() {
        let rounds: Vec<f64> = (0..120).map(|round| 1_000.0 * 0.977f64.powi(round)).collect();
        let SteadyState::Drifting(drift) = steady_state(&rounds) else { panic!("it falls") };
        assert!(drift.from > 950.0 && (62.0..70.0).contains(&drift.to), "{drift:?}");
    }

    #[test]
    fn a_part_that_moves_by_a_tenth_in_all_is_steady_and_one_that_moves_by_more_is_not() {
        let line = |change: f64| -> Vec<f64> {
            (0..21).map(|round| 100.0 + change * (f64::from(round) / 20.0 - 0.5)).collect()
        };
        assert_eq!(steady_state(&line(10.0)), SteadyState::Reached { first_round: 0 });
        assert!(matches!(steady_state(&line(10.5)), SteadyState::Drifting(_)));
    }

    /// It comes to its level in the first third: what lies before that is none of the steady part.
    #[test]
    fn a_drive_that_settles_slowly_is_steady_from_where_it_has() {
        let rounds: Vec<f64> = (0..30).map(|round| 100.0 - 15.0 * (-f64::from(round) / 4.0).exp()).collect();
        let SteadyState::Reached { first_round } = steady_state(&rounds) else { panic!("it settles") };
        assert!((1..10).contains(&first_round), "{first_round}");
        assert!(rounds[first_round] > rounds[0] && rounds[29] - rounds[first_round] < 12.0, "{first_round}");
    }

    #[test]
    fn fewer_than_five_rounds_say_nothing() {
        assert_eq!(steady_state(&[1.0; 4]), SteadyState::NotReached);
    }

    #[test]
    fn a_drive_that_stands_still_is_in_no_state_to_judge() {
        assert_eq!(steady_state(&[0.0; 5]), SteadyState::NotReached);
    }
}
