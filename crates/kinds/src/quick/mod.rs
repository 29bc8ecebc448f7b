//! A quick test: the rate of reading at a hundred places, the time of a random read, and the rate of writing where it was
//! asked for; a minute at most.

mod findings;
mod plan;
mod settings;
mod view;
mod work;
mod write_change;

use drivelab_block::{ByteCount, Geometry};
use drivelab_record::MeasuredPhases;
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use findings::{AccessTime, Place, QuickFindings, RandomRead};
pub use plan::QuickPlan;
pub use settings::QuickSettings;

use crate::{
    Comparison, Outline, PlanError, PlannedTime, ResultKind, StandstillRule, StoredResult, Test, TestNeeds,
};

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

    fn view(compared: &Comparison<'_, Quick>) -> View {
        view::view(compared)
    }
}

impl Test for Quick {
    type Plan = QuickPlan;
    type Input = ();

    fn needs(settings: &QuickSettings, (): &()) -> TestNeeds {
        TestNeeds::new(settings.write, MeasuredPhases::Phases(plan::MEASURED.map(str::to_owned).to_vec()))
    }

    fn plan(
        settings: &QuickSettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<QuickPlan, PlanError> {
        QuickPlan::new(geometry, settings.write, seed)
    }

    fn outline(plan: &QuickPlan) -> Outline {
        let what = if plan.writes() { "read and written" } else { "read" };
        let sentence = format!(
            "{} places would be {what}, and one block at {} random ones read",
            plan::PLACES,
            plan::ACCESSES
        );
        let written = if plan.writes() { plan.curve_bytes() } else { ByteCount::new(0) };
        Outline {
            sentences: vec![sentence],
            written: Some(written),
            time: Some(PlannedTime::timed(plan.at_most())),
        }
    }
}
