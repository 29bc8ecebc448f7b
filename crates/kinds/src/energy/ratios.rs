//! The energies of two results as ratios, where both were run several times.

use drivelab_stats::{IntervalEnds, MeansRatio};
use drivelab_view::format::digits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EnergyFindings, EnergyRun};

/// The first of two results to the second, of which both have at least two runs; none of what is not known of two runs each, or
/// is not above zero in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyRatios {
    /// The time of the task.
    pub time: Option<RatioOverRuns>,
    /// All of its energy.
    pub joules: Option<RatioOverRuns>,
    /// The energy above idle.
    pub joules_above_idle: Option<RatioOverRuns>,
    /// All of its energy for each decimal gigabyte.
    pub joules_per_gb: Option<RatioOverRuns>,
}

/// The ratio of two means over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatioOverRuns {
    /// The ratio.
    pub ratio: f64,
    /// Its 95 % interval: Student's intervals of the logarithms of both, added up in quadrature.
    pub interval: IntervalEnds,
}

impl EnergyRatios {
    /// The first to the second; `None` where either has fewer than two runs that are counted. Where they moved different
    /// amounts, only the energy for each gigabyte is compared.
    pub fn compare(
        first: &EnergyFindings,
        second: &EnergyFindings,
        is_same_work: bool,
    ) -> Option<EnergyRatios> {
        let both = [first, second].map(|findings| findings.counted().collect::<Vec<&EnergyRun>>());
        let [one, other] = both.each_ref().map(Vec::as_slice);
        if one.len() < 2 || other.len() < 2 {
            return None;
        }
        let of_work = |of| RatioOverRuns::compare(one, other, of).filter(|_| is_same_work);
        Some(EnergyRatios {
            time: of_work(|run| run.duration_s),
            joules: of_work(|run| Some(run.joules?.value)),
            joules_above_idle: of_work(|run| Some(run.joules_above_idle?.value)),
            joules_per_gb: RatioOverRuns::compare(one, other, |run| Some(run.joules_per_gb?.value)),
        })
    }
}

impl RatioOverRuns {
    fn compare(
        first: &[&EnergyRun],
        second: &[&EnergyRun],
        of: fn(&EnergyRun) -> Option<f64>,
    ) -> Option<RatioOverRuns> {
        let [first, second] =
            [first, second].map(|runs| runs.iter().filter_map(|run| of(run)).collect::<Vec<f64>>());
        let found = MeansRatio::compare(&first, &second)?;
        Some(RatioOverRuns { ratio: found.ratio, interval: found.interval? })
    }

    /// Whether a difference is shown: 1 is not in the interval.
    fn is_shown(&self) -> bool {
        self.interval.low > 1.0 || self.interval.high < 1.0
    }

    fn inverse(self) -> RatioOverRuns {
        RatioOverRuns { ratio: 1.0 / self.ratio, interval: self.interval.inverse() }
    }

    fn interval_text(&self) -> String {
        format!("95 % interval {} to {}", digits(self.interval.low), digits(self.interval.high))
    }

    /// How many times one of two is as fast as the other, by the ratio of their times, in a sentence.
    pub(super) fn speed_sentence(self, first: &str, second: &str) -> String {
        if !self.is_shown() {
            return format!(
                "No difference in the time of {first} and {second} is shown: the first took {} times as long ({}).",
                digits(self.ratio),
                self.interval_text()
            );
        }
        let is_first_faster = self.ratio < 1.0;
        let (fast, slow) = if is_first_faster { (first, second) } else { (second, first) };
        let times = if is_first_faster { self.inverse() } else { self };
        format!("{fast} is {} times as fast as {slow} ({}).", digits(times.ratio), times.interval_text())
    }

    /// How much of `what` the first takes by that of the second, in a sentence.
    pub(super) fn energy_sentence(self, what: &str, first: &str, second: &str) -> String {
        let (times, interval) = (digits(self.ratio), self.interval_text());
        if self.is_shown() {
            format!("{first} uses {times} times the {what} of {second} ({interval}).")
        } else {
            format!(
                "No difference in the {what} of {first} and {second} is shown: the first used {times} times that of the second \
                 ({interval})."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_documents::EstimateDocument;

    use super::*;

    fn findings(joules: &[f64], seconds: f64) -> EnergyFindings {
        let run = |joules: &f64| EnergyRun {
            exit_code: Some(0),
            duration_s: Some(seconds),
            joules: Some(EstimateDocument::exact(*joules)),
            joules_above_idle: Some(EstimateDocument::exact(joules - 10.0)),
            ..EnergyRun::default()
        };
        EnergyFindings { exit_code: Some(0), runs: joules.iter().map(run).collect() }
    }

    #[test]
    fn results_with_different_numbers_of_runs_are_compared_by_those_that_are_counted() {
        let mut less = findings(&[20.0, 20.0, 90.0], 1.0);
        less.runs[2].exit_code = Some(1);
        let more = findings(&[40.0, 40.0, 40.0], 4.0);
        let ratios = EnergyRatios::compare(&less, &more, true).expect("two runs of each");
        let joules = ratios.joules.expect("an energy");
        assert!((joules.ratio - 0.5).abs() < 1e-12 && joules.is_shown());
        assert_eq!(ratios.joules_per_gb, None);
        let time = ratios.time.expect("a time").speed_sentence("ssd", "disk");
        assert_eq!(time, "ssd is 4.00 times as fast as disk (95 % interval 4.00 to 4.00).");
        let only = EnergyRatios::compare(&less, &more, false).expect("two runs of each");
        assert_eq!((only.time, only.joules), (None, None));
        assert_eq!(EnergyRatios::compare(&findings(&[20.0], 1.0), &more, true), None);
    }

    #[test]
    fn an_interval_that_holds_one_shows_no_difference() {
        let (one, other) = (findings(&[20.0, 30.0], 1.0), findings(&[22.0, 29.0], 1.0));
        let ratios = EnergyRatios::compare(&one, &other, true).expect("two runs of each");
        let sentence = ratios.joules.expect("an energy").energy_sentence("energy", "a", "b");
        assert!(sentence.starts_with("No difference in the energy of a and b is shown"), "{sentence}");
        // An energy above idle of zero has no logarithm.
        let none =
            EnergyRatios::compare(&findings(&[10.0, 30.0], 1.0), &other, true).expect("two runs of each");
        assert_eq!(none.joules_above_idle, None);
    }
}
