//! Response times at given loads: the peak in a closed loop, and then I/Os that arrive at random (Poisson) at shares of it.

mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::format::{capitalised, seconds, things};
use drivelab_view::{Better, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use findings::{OfferedFindings, OfferedLoadFindings, Schedule};
pub use plan::OfferedLoadPlan;
pub use settings::OfferedLoadSettings;

use crate::{Kept, Outline, PlanError, PlannedTime, ResultKind, Session, StandstillRule, Test};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct OfferedLoad;

impl ResultKind for OfferedLoad {
    const NAME: &'static str = "offered-load";
    const WORDS: &'static str = "response times at offered loads";
    const VERSION: u32 = 1;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = OfferedLoadSettings;
    type Findings = OfferedLoadFindings;

    fn key_figures(kept: &Kept<OfferedLoad>) -> Vec<KeyFigure> {
        let what = capitalised(&kept.settings.operation.to_string());
        let figure = |one: &OfferedFindings| {
            let p99 = one.response_ns.as_ref().filter(|_| one.schedule != Schedule::MachineLate)?.p99;
            let name = format!("{what}, p99 at {} % of the peak", one.percent);
            // The peaks of two drives differ, and with them what is offered.
            KeyFigure::new(name, Quantity::Nanoseconds, Better::Neither, Some(p99 as f64))
        };
        let found = &kept.findings;
        let half = found.loads.iter().find(|one| one.percent >= 50.0).and_then(figure);
        let peak = KeyFigure::new(format!("{what}, peak"), Quantity::Iops, Better::High, found.peak_iops);
        [peak, half].into_iter().flatten().collect()
    }

    fn view(results: &[Kept<OfferedLoad>]) -> View {
        view::view(results)
    }
}

impl Test for OfferedLoad {
    type Plan = OfferedLoadPlan;
    type Input = ();

    const IS_ANNOUNCED: bool = true;

    fn writes(settings: &OfferedLoadSettings, (): &()) -> bool {
        settings.fill || settings.operation.writes()
    }

    fn name_of_reading(_settings: &OfferedLoadSettings) -> String {
        "offered-load with --rw randread".to_owned()
    }

    fn until_warm(settings: &OfferedLoadSettings) -> Option<Nanos> {
        settings.until_warm_ns.map(Nanos::new)
    }

    fn measured(_: &Self::Settings) -> MeasuredPhases {
        MeasuredPhases::Every
    }

    fn comparable(settings: OfferedLoadSettings, geometry: Geometry) -> OfferedLoadSettings {
        OfferedLoadSettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn plan(
        settings: &OfferedLoadSettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<OfferedLoadPlan, PlanError> {
        OfferedLoadPlan::new(settings, geometry, seed)
    }

    fn conditions(settings: &OfferedLoadSettings, _: &OfferedLoadPlan) -> Vec<Condition> {
        settings.conditions()
    }

    fn outline(plan: &OfferedLoadPlan) -> Outline {
        let asked = plan.settings();
        let filled = if asked.fill { plan.length() } else { ByteCount::new(0) };
        let mut sentences = vec![format!(
            "the peak of {}, then {}: {} in all",
            asked.operation,
            things(asked.loads_percent.len() as u64, "load"),
            seconds(plan.timed().as_secs_f64())
        )];
        if asked.fill {
            sentences.insert(0, format!("first {filled} are written once, in sequence"));
        }
        Outline {
            sentences,
            written: (!asked.operation.writes()).then_some(filled),
            time: Some(PlannedTime { timed: plan.timed(), unpaced: filled, ..PlannedTime::default() }),
        }
    }

    fn run<S: Session>(
        plan: &OfferedLoadPlan,
        session: &mut S,
        findings: &mut OfferedLoadFindings,
    ) -> Result<(), S::Error> {
        work::run(plan, session, findings)
    }
}
