//! The energy of a command, by a meter that is read while it runs, and the comparison of any two results with such energies.

mod compared;
mod findings;
mod ratios;
mod runs;
mod settings;
mod view;

use drivelab_record::EnergyDocument;
use drivelab_view::View;

pub use compared::{
    ENERGY_COMPARISON_SCHEMA, EnergyComparisonDocument, EnergySide, EnergySideDocument, comparison_view,
};
pub use findings::{EnergyFindings, EnergyRun};
pub use ratios::{EnergyRatios, RatioOverRuns};
pub use settings::{EnergySettings, PLACE};

use crate::{ResultKind, StandstillRule, StoredResult};

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

    /// More runs make the figures more certain, and are no other task; neither is the same command in another place.
    fn ranked_by(settings: &EnergySettings) -> EnergySettings {
        EnergySettings { runs: 1, place: None, ..settings.clone() }
    }

    fn is_counted(findings: &EnergyFindings, run: usize) -> bool {
        findings.runs.get(run).is_none_or(EnergyRun::has_succeeded)
    }

    fn take_energies(findings: &mut EnergyFindings, energies: &[EnergyDocument]) {
        findings.take(energies);
    }

    /// Of several runs all have to be counted.
    fn passes_check(findings: &EnergyFindings) -> bool {
        findings.runs.iter().all(EnergyRun::is_counted)
    }

    fn own_view(results: &[StoredResult<Energy>]) -> View {
        view::view(results)
    }
}
