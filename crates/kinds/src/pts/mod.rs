//! Rounds in the style of SNIA's Solid State Storage Performance Test Specification: purge, precondition, and repeat all cells
//! until the tracked one is steady. Conformance is not claimed: the drive may not have been purged by a sanitize, and one
//! thread keeps the queue where the specification has several.

mod asked;
mod cells;
mod charts;
mod findings;
mod plan;
mod rehearsal;
mod running;
mod sentences;
mod settings;
mod tables;
mod work;

use drivelab_block::Geometry;
use drivelab_documents::MeasuredPhases;
use drivelab_view::{Better, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use asked::{MeasuredLoad, PtsRequest};
pub use findings::{PtsCellFindings, PtsFindings, PtsHistogram, PtsTestFindings};
pub use plan::{PtsPlan, PtsSeries};
pub use settings::{PtsPrecondition, PtsSettings, PtsTest};

use crate::{Comparison, Hooks, Outline, PlanResult, RangeOf, ResultKind, StoredResult, Test, TestNeeds};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Pts;

impl ResultKind for Pts {
    const NAME: &'static str = "pts";
    const WORDS: &'static str = "tests in rounds";
    const VERSION: u32 = 3;
    type Settings = PtsSettings;
    type Findings = PtsFindings;
    const VIEW: fn(&Comparison<'_, Pts>) -> View = tables::view;

    const HOOKS: Hooks<Pts> = Hooks {
        preconditioned: |settings| {
            Some(match settings.precondition {
                PtsPrecondition::FillTwice => "filled twice",
                PtsPrecondition::OnePass => "one-pass preconditioning",
            })
        },
        ..Hooks::NONE
    };

    /// Drives are compared whatever each has of over-provisioning of its own.
    fn ranked_by(settings: &PtsSettings) -> PtsSettings {
        PtsSettings { flash_over_provisioning: None, ..settings.clone() }
    }

    fn key_figures(kept: &StoredResult<Pts>) -> Vec<KeyFigure> {
        let tracked = |found: &PtsTestFindings| {
            let cell = found.cells.get(found.tracked?)?;
            let rate = cell.result?.iops;
            // A state that is not steady is none that another could be better than.
            let name = format!("Rounds, {}: {}", found.test.title(), cell.name);
            let figure = KeyFigure::new(name, Quantity::Iops, Better::High, Some(rate))?;
            Some(figure.if_settled(found.steady == Some(true)))
        };
        kept.findings.tests.iter().filter(|found| found.whole).filter_map(tracked).collect()
    }
}

impl Test for Pts {
    type Plan = PtsSeries;
    type Input = ();

    const RANGE: RangeOf<PtsSettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &PtsSettings, (): &()) -> TestNeeds {
        TestNeeds { purge: settings.purge, ..TestNeeds::new(true, MeasuredPhases::Every) }
    }

    fn plan(settings: &PtsSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        PtsSeries::new(settings, geometry, seed)
    }

    fn outline(plan: &PtsSeries) -> Outline {
        Outline { sentences: sentences::outline(plan), written: None, time: Some(sentences::time(plan)) }
    }
}
