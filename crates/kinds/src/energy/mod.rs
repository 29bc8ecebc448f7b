//! The energy of a command, by a meter that is read while it runs, and the comparison of any two results with such energies.

mod compared;
mod findings;
mod ratios;
mod view;

use drivelab_view::View;

pub use compared::{
    ENERGY_COMPARISON_SCHEMA, EnergyComparisonDocument, EnergySide, EnergySideDocument, comparison_view,
};
pub use findings::{EnergyFindings, EnergyRun, EnergySettings, PLACE};
pub use ratios::{EnergyRatios, RatioOverRuns};

use crate::{Comparison, Hooks, ResultKind, StandstillRule};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Energy;

impl ResultKind for Energy {
    const NAME: &'static str = "energy";
    const WORDS: &'static str = "energy";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::GoOn;
    type Settings = EnergySettings;
    type Findings = EnergyFindings;
    const VIEW: fn(&Comparison<'_, Energy>) -> View = view::view;

    const HOOKS: Hooks<Energy> = Hooks {
        is_counted: |findings, run| findings.runs.get(run).is_none_or(EnergyRun::has_succeeded),
        take_energies: EnergyFindings::take,
        // Of several runs all have to be counted.
        passes_check: |findings| findings.runs.iter().all(EnergyRun::is_counted),
        ..Hooks::NONE
    };

    /// More runs make the figures more certain, and are no other task; neither is the same command in another place.
    fn ranked_by(settings: &EnergySettings) -> EnergySettings {
        EnergySettings { runs: 1, place: None, ..settings.clone() }
    }
}
