//! The energies of any two results side by side, whatever kinds they are of, and as ratios where both were run several times.

use drivelab_documents::{EnergyDocument, EstimateDocument, Notice};
use drivelab_stats::{Estimate, battery_minutes};
use drivelab_view::{Block, Figures, Ranking, Section, Subject, View};
use schemars::JsonSchema;
use serde::Serialize;

use super::view::{moved_other_amounts, saved, savings, verdict};
use super::{Energy, EnergyFindings, EnergyRatios};
use crate::{ResultKind, shown};

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
    /// What else takes from its figures, in sentences.
    pub faults: Vec<String>,
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
    for EnergySide { folder, energy, findings, faults, .. } in sides {
        let failure = findings.as_ref().and_then(EnergyFindings::failure);
        let all = energy.withheld.iter().chain(&energy.notices).chain(&failure);
        let faults = faults.iter().map(|fault| format!("{folder}: {fault}"));
        notices.extend(all.map(|why| format!("{folder}: {why}")).chain(faults));
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
    if !document.notices.is_empty() {
        head.push(Block::Notices(document.notices.into_iter().map(Notice::warning).collect()));
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
