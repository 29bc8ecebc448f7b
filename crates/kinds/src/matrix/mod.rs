//! A matrix of file systems, numbers of threads, I/O schedulers and kinds of work: which combination is the fastest on this
//! drive, and which differences are more than chance.

mod asks;
mod demand;
mod findings;
mod found;
mod input;
mod plan;
mod settings;
mod view;
mod work;

use drivelab_block::Work;
use drivelab_view::{Better, KeyFigure, View};

pub use asks::{RANDOM_STEP, ThreadAsks};
pub use demand::{DemandError, MatrixDemand, MatrixOffer, Settled};
pub use findings::{
    CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, LeftOutCell, MatrixFindings, RateUnit,
};
pub use found::{CellOutcome, MatrixProgress};
pub use input::MatrixInput;
pub use plan::{MatrixSteps, THREADS_MAX, notices_of_plan, prepared};
pub use settings::{MatrixSettings, PlannedCell, cell_name};

use crate::{Comparison, ResultKind, StandstillRule, StoredResult};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Matrix;

impl ResultKind for Matrix {
    const NAME: &'static str = "matrix";
    const WORDS: &'static str = "file system and thread matrix";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = MatrixSettings;
    type Findings = MatrixFindings;
    const VIEW: fn(&Comparison<'_, Matrix>) -> View = view::view;

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
}
