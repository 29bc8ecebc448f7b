//! How fast random reads are as the part of the drive that they go to grows, from a GiB or a 64th of it to all of it: a
//! drive whose memory holds the map of a part only reads slower where its map no longer fits.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::format::long_time;
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use findings::{FallFindings, PartFindings, WorkingSetFindings};
pub use plan::WorkingSetPlan;
pub use settings::WorkingSetSettings;

use crate::{
    Comparison, Hooks, Outline, PlanError, PlannedTime, ResultKind, StandstillRule, StoredResult, Test,
    TestNeeds, TestRules,
};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct WorkingSet;

impl ResultKind for WorkingSet {
    const NAME: &'static str = "working-set";
    const WORDS: &'static str = "reads by working set";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = WorkingSetSettings;
    type Findings = WorkingSetFindings;

    const HOOKS: Hooks<WorkingSet> = Hooks {
        is_complete: |kept| kept.findings.judged().len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<WorkingSet>) -> Vec<KeyFigure> {
        let (found, hot) = (&kept.findings, sentences::hot(kept));
        let part = |name: &str, part: Option<&PartFindings>| {
            let is_shown = |part: &&PartFindings| part.is_judged() && !hot.contains(part);
            let iops = part.filter(is_shown).map(|part| part.iops);
            KeyFigure::new(name, Quantity::Iops, Better::High, iops)
        };
        let whole = found.parts.last().filter(|_| found.parts.len() as u64 == found.planned);
        let figures = [
            part("Random reads of the smallest part", found.parts.first()),
            part("Random reads of all", whole),
        ];
        let of_reads = |figure: KeyFigure| figure.speaks_of(FigureUse::ReadsAndShortWrites);
        figures.into_iter().flatten().map(of_reads).collect()
    }

    fn view(compared: &Comparison<'_, WorkingSet>) -> View {
        view::view(compared)
    }
}

impl Test for WorkingSet {
    type Plan = WorkingSetPlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };

    fn needs(settings: &WorkingSetSettings, (): &()) -> TestNeeds {
        TestNeeds {
            name_of_reading: Some("working-set without --precondition fill".to_owned()),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.fill, MeasuredPhases::Every)
        }
    }

    fn comparable(settings: WorkingSetSettings, geometry: Geometry) -> WorkingSetSettings {
        WorkingSetSettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn plan(
        settings: &WorkingSetSettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<WorkingSetPlan, PlanError> {
        WorkingSetPlan::new(settings, geometry, seed)
    }

    fn conditions(settings: &WorkingSetSettings, _: &WorkingSetPlan) -> Vec<Condition> {
        settings.conditions()
    }

    fn outline(plan: &WorkingSetPlan) -> Outline {
        let written = if plan.fills() { plan.length() } else { ByteCount::new(0) };
        let (parts, timed) = (plan.parts().len(), plan.timed());
        let mut sentences = vec![format!(
            "random reads of {parts} growing parts, each for {} after a warm-up of half as long",
            long_time(plan.cell_duration().as_secs_f64())
        )];
        sentences.extend(sentences::cells_too_short(plan.cell_duration()));
        if plan.fills() {
            sentences.insert(0, format!("first {written} are written once, in sequence"));
        }
        Outline {
            sentences,
            written: Some(written),
            time: Some(PlannedTime { timed, unpaced: written, ..PlannedTime::default() }),
        }
    }
}
