//! Whether figures of several runs may be ranked: where everything that was asked for is equal, but for what is compared.

use drivelab_settings::{SettingDifference, SettingValue, Settings, differences};
use serde::{Deserialize, Serialize};

use crate::run::{Comparison, RunReport};

/// What several runs were asked for differently.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    /// Settings in which they differ.
    settings: Vec<SettingDifference>,
    /// Where they were made on different drives: how each is called.
    drives: Option<Vec<String>>,
    /// Where they differ: the seeds.
    seeds: Option<Vec<u64>>,
    /// The labels of runs whose settings are not known.
    unknown: Vec<String>,
}

/// A thing in which runs differ, as other programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceDocument {
    /// The name of the setting, or `drive` or `seed`.
    pub setting: String,
    /// Its value in each run, in their order, with its unit.
    pub values: Vec<String>,
    /// Whether this is what is compared: figures of runs that differ in nothing else are ranked.
    pub compared: bool,
}

impl Ranking {
    /// What the runs of a comparison were asked for differently; nothing of a single one.
    pub fn of(comparison: &Comparison) -> Ranking {
        let runs = &comparison.runs;
        if runs.len() < 2 {
            return Ranking::default();
        }
        let known: Option<Vec<&Settings>> = runs.iter().map(|run| run.settings.as_ref()).collect();
        let seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
        let unknown = runs.iter().filter(|run| run.settings.is_none());
        Ranking {
            settings: known.map_or_else(Vec::new, |known| differences(&known)),
            drives: drives(runs),
            seeds: Some(seeds).filter(|seeds| seeds.iter().any(|seed| *seed != seeds[0])),
            unknown: unknown.map(|run| run.label.clone()).collect(),
        }
    }

    /// Whether one figure may be called better than another.
    pub fn is_allowed(&self) -> bool {
        self.unknown.is_empty() && self.settings.is_empty()
    }

    /// What a reader has to know before looking from one run to another; none where nothing differs.
    pub fn sentence(&self) -> Option<String> {
        const UNRANKED: &str = "No figure is marked as the best.";
        if !self.unknown.is_empty() {
            let names = self.unknown.join("; ");
            return Some(format!(
                "What these runs were asked for is not known of all: an earlier version of drivelab, which did not keep it, \
                 made {names}. {UNRANKED}"
            ));
        }
        let named: Vec<String> = self.documents().iter().map(named).collect();
        match (named.join("; "), self.is_allowed()) {
            (named, _) if named.is_empty() => None,
            (named, true) => {
                Some(format!("These runs differ in what is compared: {named}. All else was asked for alike."))
            }
            (named, false) => Some(format!("These runs were asked for differently: {named}. {UNRANKED}")),
        }
    }

    /// All in which the runs differ: settings, then the drive and the seed.
    pub fn documents(&self) -> Vec<DifferenceDocument> {
        let document = |setting: &str, values, compared| {
            let setting = setting.to_owned();
            DifferenceDocument { setting, values, compared }
        };
        let settings = self.settings.iter().map(|found| {
            let values = found.values.iter().map(SettingValue::to_string).collect();
            document(found.name(), values, false)
        });
        let drives = self.drives.iter().map(|names| document("drive", names.clone(), true));
        let seeds =
            self.seeds.iter().map(|seeds| document("seed", seeds.iter().map(u64::to_string).collect(), true));
        settings.chain(drives).chain(seeds).collect()
    }
}

/// The name of a setting, and its values, each once.
fn named(document: &DifferenceDocument) -> String {
    let mut values: Vec<&str> = Vec::new();
    for value in document.values.iter().map(String::as_str) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    format!("{} {}", document.setting, values.join(", "))
}

/// How the drives are called where they are not all the same one: by their models, or where these do not tell them apart by
/// what the user named.
fn drives(runs: &[RunReport]) -> Option<Vec<String>> {
    let is_same = |one: &RunReport, other: &RunReport| {
        one.drive == other.drive && (one.drive.serial.is_some() || one.target == other.target)
    };
    if runs.iter().all(|run| is_same(run, &runs[0])) {
        return None;
    }
    let share_a_model = |one: &RunReport| {
        runs.iter().any(|other| other.drive.model == one.drive.model && !is_same(one, other))
    };
    let by_target = runs.iter().any(|run| run.drive.model.is_empty() || share_a_model(run));
    let name = |run: &RunReport| if by_target { run.target.clone() } else { run.drive.model.clone() };
    Some(runs.iter().map(name).collect())
}
