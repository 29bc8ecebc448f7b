//! How long the first read takes after the drive has rested: single reads after rests of several lengths, in random order.

mod findings;
mod plan;
mod power_states;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::format::{long_time, seconds, things};
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use findings::{ReadAfterRest, RestFindings, StepFindings, WakeFindings};
pub use plan::WakePlan;
pub use settings::WakeSettings;

use crate::{
    Comparison, Hooks, Outline, PlanError, PlannedTime, ResultKind, StandstillRule, StoredResult, Test,
    TestNeeds, TestRules,
};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Wake;

impl ResultKind for Wake {
    const NAME: &'static str = "wake";
    const WORDS: &'static str = "wake-up time";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = WakeSettings;
    type Findings = WakeFindings;

    const HOOKS: Hooks<Wake> = Hooks {
        is_complete: |kept| kept.findings.reads.len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<Wake>) -> Vec<KeyFigure> {
        let figure = |rest: &RestFindings| {
            let rested = long_time(Nanos::new(rest.rest_ns).as_secs_f64());
            let name = format!("First read after {rested}");
            KeyFigure::new(name, Quantity::Nanoseconds, Better::Low, Some(rest.median_ns))
                .map(|figure| figure.speaks_of(FigureUse::ReadsAndShortWrites))
        };
        kept.findings.rests.last().and_then(figure).into_iter().collect()
    }

    fn view(compared: &Comparison<'_, Wake>) -> View {
        view::view(compared)
    }
}

impl Test for Wake {
    type Plan = WakePlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };

    fn needs(_: &WakeSettings, (): &()) -> TestNeeds {
        TestNeeds::new(false, MeasuredPhases::Phase(plan::MEASURED.to_owned()))
    }

    fn comparable(settings: WakeSettings, geometry: Geometry) -> WakeSettings {
        WakeSettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn plan(settings: &WakeSettings, (): &(), geometry: Geometry, seed: Seed) -> Result<WakePlan, PlanError> {
        WakePlan::new(settings, geometry, seed)
    }

    fn conditions(settings: &WakeSettings, _: &WakePlan) -> Vec<Condition> {
        settings.conditions()
    }

    fn outline(plan: &WakePlan) -> Outline {
        let rested = plan.rested();
        let reads = things(plan.rests().len() as u64, "read");
        let mut sentences =
            vec![format!("{reads}, each after a rest; rests of {} in all", seconds(rested.as_secs_f64()))];
        sentences.extend(sentences::too_few(plan.lengths(), plan.runs()));
        Outline { sentences, written: Some(ByteCount::new(0)), time: Some(PlannedTime::timed(rested)) }
    }
}
