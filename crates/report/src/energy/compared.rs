//! Two tasks side by side: the document `drivelab.energy-comparison/1`, and the terminal.

use std::fmt::Write as _;

use drivelab_analysis::{Estimate, battery_minutes, share_saved};
use drivelab_record::{EnergyDocument, EstimateDocument};
use serde::Serialize;

use super::terminal::figure;
use crate::terminal::TerminalStyle;

/// The name and version of the document.
pub const ENERGY_COMPARISON_SCHEMA: &str = "drivelab.energy-comparison/1";

/// A share whose error is larger than this says nothing: one of the energies is not told from none.
const LARGEST_ERROR: f64 = 0.5;

/// Two tasks: the first beside the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// What stands against comparing them.
    pub notices: Vec<String>,
}

/// One of two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergySideDocument {
    /// Where it is kept.
    pub folder: String,
    /// The meter.
    pub meter: String,
    /// The mean power.
    pub watts: Option<EstimateDocument>,
    /// How long it lasted.
    pub duration_s: f64,
    /// All of the energy.
    pub joules: Option<EstimateDocument>,
    /// The energy above idle.
    pub joules_above_idle: Option<EstimateDocument>,
    /// All of the energy for each decimal gigabyte.
    pub joules_per_gb: Option<EstimateDocument>,
    /// How long the battery lasts at the mean power.
    pub battery_minutes: Option<EstimateDocument>,
}

impl EnergyComparisonDocument {
    /// Two kept tasks with the folders they were kept in; a battery of `battery_wh`, or of what each says.
    pub fn of(kept: [(&str, &EnergyDocument); 2], battery_wh: Option<f64>) -> EnergyComparisonDocument {
        let [(_, first), (_, second)] = kept;
        let saved = |of: fn(&EnergyDocument) -> Option<EstimateDocument>| {
            let (first, second) = (of(first)?.into(), of(second)?.into());
            let share = share_saved(first, second).map(EstimateDocument::from);
            share.filter(|share| share.error.is_none_or(|error| error < LARGEST_ERROR))
        };
        let saved_in_all = |of| saved(of).filter(|_| !moved_other_amounts(first, second));
        EnergyComparisonDocument {
            schema: ENERGY_COMPARISON_SCHEMA,
            sides: kept.map(|(folder, document)| side(folder, document, battery_wh)),
            share_saved: saved_in_all(|document| document.joules),
            share_saved_above_idle: saved_in_all(|document| document.joules_above_idle),
            share_saved_per_gb: saved(|document| document.joules_per_gb),
            notices: notices(kept),
        }
    }
}

/// Whether they are known to have done different work, so that one that took less of it saved nothing.
fn moved_other_amounts(first: &EnergyDocument, second: &EnergyDocument) -> bool {
    first.bytes.zip(second.bytes).is_some_and(|(first, second)| first != second)
}

fn side(folder: &str, document: &EnergyDocument, battery_wh: Option<f64>) -> EnergySideDocument {
    let hours = battery_wh.or(document.battery_wh);
    let minutes =
        hours.zip(document.watts).and_then(|(hours, watts)| battery_minutes(hours, Estimate::from(watts)));
    EnergySideDocument {
        folder: folder.to_owned(),
        meter: document.meter.name.clone(),
        watts: document.watts,
        duration_s: document.duration_s,
        joules: document.joules,
        joules_above_idle: document.joules_above_idle,
        joules_per_gb: document.joules_per_gb,
        battery_minutes: minutes.map(EstimateDocument::from),
    }
}

fn notices(kept: [(&str, &EnergyDocument); 2]) -> Vec<String> {
    let [(_, first), (_, second)] = kept;
    let mut notices = Vec::new();
    let same = |meter: &EnergyDocument| (meter.meter.name.clone(), meter.meter.identity.clone());
    if same(first) != same(second) {
        notices.push("They were measured by different meters, whose errors do not cancel.".to_owned());
    }
    if moved_other_amounts(first, second) {
        notices
            .push("They did not move the same amount: only the energy for each GB is compared.".to_owned());
    } else if first.bytes != second.bytes {
        notices.push("Of one of them it is not known how much it moved.".to_owned());
    }
    if first.command != second.command {
        notices.push("They are not the same command.".to_owned());
    }
    for (folder, document) in kept {
        let told = document.withheld.iter().chain(&document.notices);
        notices.extend(told.map(|why| format!("{folder}: {why}")));
        if document.command.is_some() && document.exit_code != Some(0) {
            notices.push(format!("{folder}: its command failed."));
        }
    }
    notices
}

/// A row of the table.
type Row = (&'static str, &'static str, fn(&EnergySideDocument) -> Option<EstimateDocument>);

const ROWS: [Row; 6] = [
    ("power", "W", |side| side.watts),
    ("time", "s", |side| Some(EstimateDocument { value: side.duration_s, error: Some(0.0) })),
    ("energy", "J", |side| side.joules),
    ("above idle", "J", |side| side.joules_above_idle),
    ("a GB", "J/GB", |side| side.joules_per_gb),
    ("battery", "min", |side| side.battery_minutes),
];

/// Two tasks side by side on the terminal.
pub fn energy_comparison_terminal(document: &EnergyComparisonDocument, style: TerminalStyle) -> String {
    let [first, second] = &document.sides;
    let cell = |side: &EnergySideDocument, row: &Row| {
        row.2(side).map_or_else(|| "not known".to_owned(), |estimate| figure(estimate, row.1, style))
    };
    let mut text =
        format!("  {:<11} {:<26} {}\n", "", style.clean(&first.folder), style.clean(&second.folder));
    for row in ROWS.iter().filter(|row| row.2(first).is_some() || row.2(second).is_some()) {
        let _ = writeln!(text, "  {:<11} {:<26} {}", row.0, cell(first, row), cell(second, row));
    }
    let saved = [
        ("", document.share_saved),
        (" above idle", document.share_saved_above_idle),
        (" a GB", document.share_saved_per_gb),
    ];
    for (what, share) in saved.iter().filter_map(|(what, share)| Some((what, (*share)?))) {
        let percent = |value: f64| EstimateDocument {
            value: value * 100.0,
            error: share.error.map(|error| error * 100.0),
        };
        let [first, second] = [first, second].map(|side| style.clean(&side.folder));
        let is_told = share.error.is_none_or(|error| share.value.abs() >= 2.0 * error);
        let _ = if is_told {
            let verb = if share.value >= 0.0 { "saves" } else { "takes more by" };
            let amount = figure(percent(share.value.abs()), "%", style);
            writeln!(text, "  {first} {verb} {amount} of the energy{what} of {second}")
        } else {
            let amount = figure(percent(share.value), "%", style);
            writeln!(text, "  no difference told in the energy{what}: {first} saves {amount} of {second}")
        };
    }
    text
}
