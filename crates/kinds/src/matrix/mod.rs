//! A matrix of file systems, numbers of threads, I/O schedulers and kinds of work: which combination is the fastest on this
//! drive, and which differences are more than chance.

mod asks;
mod demand;
mod figures;
mod findings;
mod found;
mod names;
mod plan;
mod settings;
mod view;

use drivelab_view::{KeyFigure, View};

pub use asks::{RANDOM_STEP, ThreadAsks};
pub use demand::{DemandError, MatrixDemand, MatrixOffer, Settled};
pub use findings::{
    CellComparison, CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, LeaderFindings,
    LeftOutCell, MatrixFindings, RateUnit, RatioOfCells,
};
pub use found::MeasuredMatrix;
pub use names::cell_name;
pub use plan::{MatrixError, MatrixPlan, PlannedCell, THREADS_MAX};
pub use settings::MatrixSettings;

use crate::{ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Matrix;

impl ResultKind for Matrix {
    const NAME: &'static str = "matrix";
    const WORDS: &'static str = "file system and thread matrix";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    const RESUMED_BY: Option<&'static str> = Some("drivelab matrix TARGET --resume");
    type Settings = MatrixSettings;
    type Findings = MatrixFindings;

    fn key_figures(kept: &StoredResult<Matrix>) -> Vec<KeyFigure> {
        figures::key_figures(&kept.findings)
    }

    fn own_view(results: &[StoredResult<Matrix>]) -> View {
        view::view(results)
    }
}
