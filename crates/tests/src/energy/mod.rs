//! The energy of a command, by a meter that is read while it runs, and the comparison of any two results with such energies.

mod compared;
mod findings;
mod settings;
mod view;

use drivelab_view::View;

pub use compared::{
    ENERGY_COMPARISON_SCHEMA, EnergyComparisonDocument, EnergySide, EnergySideDocument, comparison_view,
};
pub use findings::EnergyFindings;
pub use settings::EnergySettings;

use crate::{Kept, ResultKind, StandstillRule};

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

    fn view(results: &[Kept<Energy>]) -> View {
        view::view(results)
    }
}
