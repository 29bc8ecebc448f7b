//! Response times at given loads: the peak in a closed loop, and then I/Os that arrive at random (Poisson): at shares of
//! it, or at rates.

mod asked_load;
mod comparison;
mod findings;
mod plan;
mod sentences;
mod settings;
mod view;
mod work;

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::format::{capitalised, long_time, nanos, things};
use drivelab_view::{Better, FigureUse, KeyFigure, Quantity, Value, View};
use drivelab_workload::Seed;

pub use asked_load::LoadOption;
pub use findings::{OfferedFindings, OfferedLoadFindings, Schedule};
pub use plan::OfferedLoadPlan;
pub use settings::OfferedLoadSettings;

use crate::{
    Comparison, Hooks, Outline, PlanError, PlannedTime, ResultKind, StandstillRule, StoredResult, Test,
    TestNeeds, TestRules,
};

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

    const HOOKS: Hooks<OfferedLoad> = Hooks {
        is_complete: |kept| kept.findings.loads.len() as u64 == kept.findings.planned,
        ..Hooks::NONE
    };

    fn key_figures(kept: &StoredResult<OfferedLoad>) -> Vec<KeyFigure> {
        let what = capitalised(&kept.settings.operation.to_string());
        let figure = |one: &OfferedFindings| {
            let (name, better) = match one.asked {
                // The peaks of two drives differ, and with them what is offered.
                LoadOption::Percent(_) => {
                    (format!("{what}, p99 at {} of the peak", one.asked), Better::Neither)
                }
                LoadOption::Iops(_) => (format!("{what}, p99 at {}", one.asked), Better::Low),
            };
            KeyFigure::new(name, Quantity::Nanoseconds, better, one.p99_ns().map(|p99| p99 as f64))
        };
        let found = &kept.findings;
        let half = found.loads.iter().find(|one| one.percent >= 50.0).and_then(figure);
        let peak = KeyFigure::new(format!("{what}, peak"), Quantity::Iops, Better::High, found.peak_iops);
        let limit = kept.settings.limit_ns.zip(found.within_limit_iops).map(|(limit, iops)| {
            let is_bound = found.beyond_limit_iops.is_none();
            let value = Value::new(Quantity::Iops, iops).at_least_where(is_bound);
            let name = format!("{what}, load with a p99 of at most {}", nanos(limit as f64));
            let lasts = found.is_within_what_lasts();
            KeyFigure::of_value(name, value, Better::High).if_settled(lasts)
        });
        let figures = [peak, half, limit].into_iter().flatten();
        let of_reads = |figure: KeyFigure| figure.speaks_of(FigureUse::ReadsAndShortWrites);
        figures
            .map(|figure| if kept.settings.operation.writes() { figure } else { of_reads(figure) })
            .collect()
    }

    fn view(compared: &Comparison<'_, OfferedLoad>) -> View {
        view::view(compared)
    }
}

impl Test for OfferedLoad {
    type Plan = OfferedLoadPlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };

    fn needs(settings: &OfferedLoadSettings, (): &()) -> TestNeeds {
        TestNeeds {
            name_of_reading: Some("offered-load with --rw randread".to_owned()),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.fill || settings.operation.writes(), MeasuredPhases::Every)
        }
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
        let each = Nanos::new(asked.cell_duration_ns).as_secs_f64();
        let mut sentences = vec![format!(
            "the peak of {}, then {}, each for {}",
            asked.operation,
            things(asked.loads.len() as u64, "load"),
            long_time(each)
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
}
