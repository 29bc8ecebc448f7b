//! Steady state in SNIA's sense, over rounds.

/// Consecutive rounds that a verdict looks at.
const WINDOW: usize = 5;
/// Rounds without which nothing can be said about steady state.
pub const ROUNDS_NEEDED: usize = WINDOW;
/// The greatest excursion: maximum - minimum, as a share of the window's mean.
const EXCURSION_MAX: f64 = 0.20;
/// The greatest change of the fitted line over the window (slope x 4), as a share of the window's mean.
const SLOPE_MAX: f64 = 0.10;
/// The places of a window's rounds, counted from its middle one.
const PLACES: [f64; WINDOW] = [-2.0, -1.0, 0.0, 1.0, 2.0];
/// The sum of their squares.
const SQUARES: f64 = 10.0;

/// Whether and from when a series of rounds was steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteadyState {
    /// Steady from this round (counted from 0) to the end.
    Reached {
        /// The first round of the first window from which every window to the end is steady.
        first_round: usize,
    },
    /// The last window is not steady, or there are fewer than five rounds.
    NotReached,
}

/// Judges rounds by the rule of SNIA's Performance Test Specification: five consecutive rounds are steady
/// where max - min <= 20 % of their mean, and the least-squares line changes by at most 10 % of their mean
/// (slope x 4).
///
/// The specification stops at the first steady window. A fresh drive is steady too until its spare area is
/// used up, so here every later window has to be steady as well.
pub fn steady_state(rounds: &[f64]) -> SteadyState {
    let windows = rounds.windows(WINDOW);
    let steady_at_the_end = windows.rev().take_while(|window| is_steady(window)).count();
    match steady_at_the_end {
        0 => SteadyState::NotReached,
        count => SteadyState::Reached { first_round: rounds.len() - WINDOW + 1 - count },
    }
}

fn is_steady(window: &[f64]) -> bool {
    let mean = window.iter().sum::<f64>() / WINDOW as f64;
    let max = window.iter().copied().fold(f64::MIN, f64::max);
    let min = window.iter().copied().fold(f64::MAX, f64::min);
    // The slope of the least-squares line is the sum of place times value over the sum of squared places: these add up to 0.
    let slope = window.iter().zip(PLACES).map(|(value, place)| place * value).sum::<f64>() / SQUARES;
    let change = slope * (PLACES[WINDOW - 1] - PLACES[0]);
    mean > 0.0 && max - min <= EXCURSION_MAX * mean && change.abs() <= SLOPE_MAX * mean
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

    #[test]
    fn fewer_than_five_rounds_say_nothing() {
        assert_eq!(steady_state(&[1.0; 4]), SteadyState::NotReached);
    }

    #[test]
    fn a_drive_that_stands_still_is_in_no_state_to_judge() {
        assert_eq!(steady_state(&[0.0; 5]), SteadyState::NotReached);
    }
}
