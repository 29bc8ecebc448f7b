//! A matrix of file systems, numbers of threads, I/O schedulers and kinds of work: which combination is the fastest on this
//! drive, and which differences are more than chance.

mod asks;
mod demand;
mod findings;
mod found;
mod names;
mod outline;
mod plan;
mod progress;
mod settings;
mod view;
mod work;

use drivelab_block::{Geometry, Work};
use drivelab_record::MeasuredPhases;
use drivelab_view::{Better, KeyFigure, View};
use drivelab_workload::Seed;

pub use asks::{RANDOM_STEP, ThreadAsks};
pub use demand::{DemandError, MatrixDemand, MatrixOffer, Settled};
pub use findings::{
    CellComparison, CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, LeaderFindings,
    LeftOutCell, MatrixFindings, RateUnit, RatioOfCells,
};
pub use found::MeasuredMatrix;
pub use names::cell_name;
pub use outline::{notices_of_plan, prepared};
pub use plan::{MatrixPlan, PlannedCell, THREADS_MAX};
pub use progress::{CellOutcome, MatrixProgress};
pub use settings::MatrixSettings;

use crate::{
    Comparison, Hooks, Outline, PlanError, ResultKind, StandstillRule, StoredResult, Test, TestNeeds,
};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Matrix;

impl ResultKind for Matrix {
    const NAME: &'static str = "matrix";
    const WORDS: &'static str = "file system and thread matrix";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    const HOOKS: Hooks<Matrix> = Hooks { resumed_by: Some("drivelab matrix TARGET --resume"), ..Hooks::NONE };
    type Settings = MatrixSettings;
    type Findings = MatrixFindings;

    fn key_figures(kept: &StoredResult<Matrix>) -> Vec<KeyFigure> {
        // For each kind of work the rate of the fastest combination.
        let fastest = |work: Work| {
            let cells = kept.findings.cells.iter();
            let of_work = cells.filter(|cell| cell.cell.work == work && cell.rate.runs > 0);
            let fastest = of_work.max_by(|one, other| one.rate.mean.total_cmp(&other.rate.mean))?;
            let name = format!("Matrix, fastest {}", work.word());
            Some(KeyFigure::of_value(name, view::rate_of(fastest), Better::High))
        };
        Work::ALL.into_iter().filter_map(fastest).collect()
    }

    fn view(compared: &Comparison<'_, Matrix>) -> View {
        view::view(compared)
    }
}

/// What a matrix is asked besides its settings.
#[derive(Clone, Debug, Default)]
pub struct MatrixInput {
    /// Which drive, image or simulated drive it is on.
    pub identity: String,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
    /// What speaks against the drive being the one that a run was begun on that goes on; none where nothing does.
    pub doubt: Option<String>,
    /// How a run that is cut off goes on, as a command; none of one that is not kept.
    pub goes_on_by: Option<String>,
}

/// The cells of a matrix in their order.
#[derive(Clone, Debug)]
pub struct MatrixSteps {
    /// What is asked.
    pub settings: MatrixSettings,
    /// The cells, and how they are ordered.
    pub plan: MatrixPlan,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
    /// What earlier starts of the program have measured.
    pub earlier: MatrixProgress,
    /// How a run that is cut off goes on, as a command; none of one that is not kept.
    pub goes_on_by: Option<String>,
}

impl Test for Matrix {
    type Plan = MatrixSteps;
    type Input = MatrixInput;

    fn needs(_: &MatrixSettings, _: &MatrixInput) -> TestNeeds {
        TestNeeds::new(true, MeasuredPhases::Every)
    }

    fn plan(
        settings: &MatrixSettings,
        input: &MatrixInput,
        _: Geometry,
        seed: Seed,
    ) -> Result<MatrixSteps, PlanError> {
        Ok(MatrixSteps {
            settings: settings.clone(),
            plan: settings.plan(seed)?,
            left_out: input.left_out.clone(),
            earlier: MatrixProgress::default(),
            goes_on_by: input.goes_on_by.clone(),
        })
    }

    fn outline(plan: &MatrixSteps) -> Outline {
        outline::outline(plan)
    }
}
