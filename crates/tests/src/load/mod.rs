//! A load: one workload in one phase, with everything that it asks for named by the user.

mod figures;
mod findings;
mod outline;
mod settings;
mod view;
mod work;

use drivelab_block::Geometry;
use drivelab_method::LoadPlan;
use drivelab_record::{Condition, Manifest, MeasuredPhases};
use drivelab_view::{KeyFigure, View};
use drivelab_workload::Seed;

pub use findings::LoadFindings;
pub use settings::{LoadSettings, Operation, Spacing};

use crate::ios::{IoFindings, Judging, RecordedKind};
use crate::{Kept, Outline, PlanError, RecordsAnalysis, ResultKind, Session, Test};

/// A load on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct PlannedLoad {
    load: LoadPlan,
    geometry: Geometry,
}

/// The windows by which steady state is looked for, in seconds.
const WINDOW_S: usize = 60;

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Load;

impl ResultKind for Load {
    const NAME: &'static str = "load";
    const WORDS: &'static str = "load";
    const VERSION: u32 = 3;
    const READS_RECORDS: bool = true;
    type Settings = LoadSettings;
    type Findings = LoadFindings;

    fn take_records(
        findings: &mut LoadFindings,
        run: &Manifest,
        settings: &LoadSettings,
        analysis: &RecordsAnalysis,
    ) {
        findings.take_records(run, Load::judging(settings), analysis);
    }

    fn key_figures(kept: &Kept<Load>) -> Vec<KeyFigure> {
        figures::key_figures(kept)
    }

    fn view(results: &[Kept<Load>]) -> View {
        view::view(results)
    }
}

impl RecordedKind for Load {
    const FIGURES_FIRST: bool = true;

    fn ios(findings: &LoadFindings) -> &IoFindings {
        &findings.ios
    }

    fn judging(settings: &LoadSettings) -> Judging {
        Judging { window_s: WINDOW_S, asked: settings.asked_rate(), is_replay: false }
    }
}

impl Test for Load {
    type Plan = PlannedLoad;
    type Input = ();

    const FOLDER_OPTION: &'static str = "--output";

    fn writes(settings: &LoadSettings, (): &()) -> bool {
        settings.operation.writes()
    }

    fn name_of_reading(settings: &LoadSettings) -> String {
        settings.operation.to_string()
    }

    fn needs_discards(settings: &LoadSettings, (): &()) -> Option<(String, &'static str)> {
        let mend = "ask for another --rw, or name another target";
        (settings.operation == Operation::Discard)
            .then(|| ("--rw discard asks for discards".to_owned(), mend))
    }

    fn compressibility_percent(settings: &LoadSettings) -> u8 {
        settings.compressibility_percent
    }

    fn cpus(settings: &LoadSettings) -> &[usize] {
        &settings.cpus
    }

    fn workers(plan: &PlannedLoad) -> u16 {
        plan.load.workers
    }

    fn measured() -> MeasuredPhases {
        MeasuredPhases::Every
    }

    fn comparable(settings: LoadSettings, geometry: Geometry) -> LoadSettings {
        LoadSettings { range: settings.range.on_capacity(geometry.capacity), ..settings }
    }

    fn conditions(settings: &LoadSettings, plan: &PlannedLoad) -> Vec<Condition> {
        outline::conditions(settings, &plan.load)
    }

    fn plan(
        settings: &LoadSettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<PlannedLoad, PlanError> {
        let load = settings.plan(&geometry, seed);
        load.phase(&geometry, false).map_err(|error| PlanError(error.to_string()))?;
        Ok(PlannedLoad { load, geometry })
    }

    fn outline(plan: &PlannedLoad) -> Outline {
        outline::outline(&plan.load)
    }

    fn run<S: Session>(
        plan: &PlannedLoad,
        session: &mut S,
        findings: &mut LoadFindings,
    ) -> Result<(), S::Error> {
        work::run(plan, session, findings)
    }
}
