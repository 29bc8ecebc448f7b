//! A quick test: the rate of reading at a hundred places, the time of a random read, and the rate of writing where it was
//! asked for; a minute at most.

mod findings;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};

pub use findings::{AccessTime, Place, QuickFindings, RandomRead};
pub use plan::{A_HUNDRED, QuickPlan};
pub use settings::QuickSettings;

use crate::{Comparison, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Quick;

impl ResultKind for Quick {
    const NAME: &'static str = "quick";
    const WORDS: &'static str = "quick test";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = QuickSettings;
    type Findings = QuickFindings;
    const VIEW: fn(&Comparison<'_, Quick>) -> View = view::view;

    fn key_figures(kept: &StoredResult<Quick>) -> Vec<KeyFigure> {
        let found = &kept.findings;
        let rate = |name, better, mb_s: Option<f64>| {
            KeyFigure::new(name, Quantity::BytesPerSecond, better, mb_s.map(|rate| rate * 1e6))
        };
        let access = found.median_access_ns();
        let time = KeyFigure::new("Random read, median", Quantity::Nanoseconds, Better::Low, access);
        let reads = rate("Sequential reads", Better::High, found.read_mb_s);
        // As little as is written here may all go to a drive's cache.
        let writes = rate("Short sequential writes", Better::Neither, found.write_mb_s);
        let figures = [reads, writes, time].into_iter().flatten();
        figures.map(|figure| figure.speaks_of(FigureUse::ReadsAndShortWrites)).collect()
    }
}
