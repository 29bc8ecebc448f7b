//! The energies of any two results side by side, whatever kinds they are of, and as ratios where both were run several times.

use drivelab_record::{EnergyDocument, EstimateDocument, Notice, Severity};
use drivelab_stats::{Estimate, MeansRatio, battery_minutes};
use drivelab_view::format::digits;
use drivelab_view::{Block, Figures, Ranking, Section, Subject, View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{moved_other_amounts, saved, savings, verdict};
use super::{Energy, EnergyFindings, EnergyRun};
use crate::{IntervalEnds, ResultKind, shown};

/// The name and version of the document.
pub const ENERGY_COMPARISON_SCHEMA: &str = "drivelab.energy-comparison/1";

/// Two tasks: the first compared with the second.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EnergyComparisonDocument {
    /// [`ENERGY_COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// Both, in the order in which they were named.
    pub sides: [EnergySideDocument; 2],
    /// The share of the second's energy that the first saves; negative where it takes more. None where its error is above a
    /// half: then one of the energies is not told from none; and where they moved different amounts.
    pub share_saved: Option<EstimateDocument>,
    /// The same of the energy above idle.
    pub share_saved_above_idle: Option<EstimateDocument>,
    /// The same of the energy for each gigabyte, where both amounts are known.
    pub share_saved_per_gb: Option<EstimateDocument>,
    /// The first to the second with 95 % intervals, where both are commands that were run at least twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratios: Option<EnergyRatios>,
    /// What stands against comparing them.
    pub notices: Vec<String>,
}

/// One of two.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EnergySideDocument {
    /// Where it is kept.
    pub folder: String,
    /// The meter.
    pub meter: String,
    /// The mean power.
    pub watts: Option<EstimateDocument>,
    /// How long it lasted; of several runs their mean.
    pub duration_s: f64,
    /// Over how many runs the figures are means; absent of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u64>,
    /// All of the energy.
    pub joules: Option<EstimateDocument>,
    /// The energy above idle.
    pub joules_above_idle: Option<EstimateDocument>,
    /// All of the energy for each decimal gigabyte.
    pub joules_per_gb: Option<EstimateDocument>,
    /// How long the battery lasts at the mean power.
    pub battery_minutes: Option<EstimateDocument>,
}

/// A kept result that has an energy.
#[derive(Clone, Debug)]
pub struct EnergySide {
    /// Where it is kept.
    pub folder: String,
    /// What was measured, for a reader: the command, or the kind of test and its target.
    pub task: String,
    /// The kind of test and what was asked of it; two sides did the same task where these are equal.
    pub asked: (String, serde_json::Value),
    /// How the command ended, where it was one.
    pub findings: Option<EnergyFindings>,
    /// What it took.
    pub energy: EnergyDocument,
}

impl EnergyComparisonDocument {
    /// Two kept tasks; a battery of `battery_wh`, or of what each says.
    pub fn from_sides(sides: &[EnergySide; 2], battery_wh: Option<f64>) -> EnergyComparisonDocument {
        let [first, second] = sides.each_ref().map(|side| &side.energy);
        let of_both = |of: fn(&EnergyDocument) -> Option<EstimateDocument>| saved(of(first)?, of(second)?);
        let in_all = |of| of_both(of).filter(|_| !moved_other_amounts(first, second));
        EnergyComparisonDocument {
            schema: ENERGY_COMPARISON_SCHEMA,
            sides: sides.each_ref().map(|side| side_of(side, battery_wh)),
            share_saved: in_all(|energy| energy.joules),
            share_saved_above_idle: in_all(|energy| energy.joules_above_idle),
            share_saved_per_gb: of_both(|energy| energy.joules_per_gb),
            ratios: ratios(sides),
            notices: notices(sides),
        }
    }
}

/// The first to the second, where both were run several times.
fn ratios([first, second]: &[EnergySide; 2]) -> Option<EnergyRatios> {
    let (one, other) = (first.findings.as_ref()?, second.findings.as_ref()?);
    EnergyRatios::compare(one, other, !moved_other_amounts(&first.energy, &second.energy))
}

/// How long a battery lasts: the one of the comparison, or else the one that was given when the energy was measured.
fn minutes(energy: &EnergyDocument, battery_wh: Option<f64>) -> Option<EstimateDocument> {
    let Some(hours) = battery_wh else { return energy.battery_minutes };
    battery_minutes(hours, Estimate::from(energy.watts?)).map(EstimateDocument::from)
}

fn side_of(EnergySide { folder, energy, .. }: &EnergySide, battery_wh: Option<f64>) -> EnergySideDocument {
    EnergySideDocument {
        folder: folder.clone(),
        meter: energy.meter.name.clone(),
        watts: energy.watts,
        duration_s: energy.duration_s,
        runs: Some(energy.runs).filter(|runs| *runs > 1),
        joules: energy.joules,
        joules_above_idle: energy.joules_above_idle,
        joules_per_gb: energy.joules_per_gb,
        battery_minutes: minutes(energy, battery_wh),
    }
}

fn notices(sides: &[EnergySide; 2]) -> Vec<String> {
    let [one, other] = sides;
    let (first, second) = (&one.energy, &other.energy);
    let mut notices = Vec::new();
    let same = |meter: &EnergyDocument| (meter.meter.name.clone(), meter.meter.identity.clone());
    if same(first) != same(second) {
        notices.push("They were measured by different meters, whose errors do not cancel.".to_owned());
    }
    if moved_other_amounts(first, second) {
        notices.push(
            "They did not move the same amount: only the energy for each gigabyte is compared.".to_owned(),
        );
    } else if first.bytes != second.bytes {
        notices.push("Of one of them it is not known how much it moved.".to_owned());
    }
    if one.asked != other.asked {
        notices.push("They are not the same task.".to_owned());
    }
    for EnergySide { folder, energy, findings, .. } in sides {
        let failure = findings.as_ref().and_then(EnergyFindings::failure);
        let all = energy.withheld.iter().chain(&energy.notices).chain(&failure);
        notices.extend(all.map(|why| format!("{folder}: {why}")));
    }
    notices
}

/// What is shown of two tasks.
pub fn comparison_view(sides: &[EnergySide; 2], battery_wh: Option<f64>) -> View {
    let document = EnergyComparisonDocument::from_sides(sides, battery_wh);
    let [first, second] = sides;
    let ratios = document.ratios;
    let speed = ratios.and_then(|ratios| ratios.time);
    let speed = speed.map(|time| time.speed_sentence(&first.folder, &second.folder));
    let saved = savings((&first.folder, &first.energy), (&second.folder, &second.energy), ratios.as_ref());
    let mut head: Vec<Block> = speed.into_iter().chain(saved).map(Block::Text).collect();
    let of_side =
        |(subject, side): (usize, &EnergySide)| Block::Verdict(verdict(subject, Some(&side.energy)));
    head.extend(sides.iter().enumerate().map(of_side));
    let notice = |text: String| Notice { severity: Severity::Warning, text };
    if !document.notices.is_empty() {
        head.push(Block::Notices(document.notices.into_iter().map(notice).collect()));
    }
    let why =
        "No value is marked as the best: the sentences above say which differences are shown.".to_owned();
    let mut figures = Figures::new("energy", sides.len(), Ranking::NotRanked(why));
    let with_battery = sides.each_ref().map(|side| {
        let battery_minutes = minutes(&side.energy, battery_wh);
        Some(EnergyDocument { battery_minutes, ..side.energy.clone() })
    });
    shown::add_energy(&mut figures, &with_battery.each_ref().map(Option::as_ref));
    View {
        title: format!("Energy of {} and {}", first.folder, second.folder),
        kind: Energy::WORDS.to_owned(),
        name: "energy-comparison",
        subjects: sides.iter().map(|side| Subject::new(&side.folder, &side.task)).collect(),
        sections: vec![
            Section::summary(None, head),
            Section::summary(Some("Energy"), vec![Block::Figures(figures)]),
        ],
    }
}

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
        let (low, high) = found.interval?;
        Some(RatioOverRuns { ratio: found.ratio, interval: IntervalEnds { low, high } })
    }

    /// Whether a difference is shown: 1 is not in the interval.
    fn is_shown(&self) -> bool {
        self.interval.low > 1.0 || self.interval.high < 1.0
    }

    /// The second to the first.
    fn inverse(self) -> RatioOverRuns {
        let IntervalEnds { low, high } = self.interval;
        RatioOverRuns { ratio: 1.0 / self.ratio, interval: IntervalEnds { low: 1.0 / high, high: 1.0 / low } }
    }

    /// The interval in words.
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
    use drivelab_record::EstimateDocument;

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
