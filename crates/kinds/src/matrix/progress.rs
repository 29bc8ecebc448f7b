//! What of a matrix was measured so far.

use std::collections::BTreeSet;

use drivelab_stats::MatrixRun;

use super::{FailedCell, LeftOutCell, MatrixFindings, PlannedCell};

/// What came of a cell: its figures, or why there are none.
pub type CellOutcome = Result<MatrixRun, String>;

/// What of a matrix was measured so far, by this start of the program and by earlier ones.
#[derive(Clone, Debug, Default)]
pub struct MatrixProgress {
    runs: Vec<MatrixRun>,
    /// What failed.
    pub(super) failed: Vec<FailedCell>,
    /// Which start of the program this is: 0, and one more with each that went on.
    start: u32,
    /// The blocks of runs that were begun, each with the start that did.
    blocks: BTreeSet<(u16, u32)>,
}

impl MatrixProgress {
    /// Adds a cell that an earlier start of the program measured: the one of this number.
    pub fn add_earlier(&mut self, run: MatrixRun, start: u32) {
        self.blocks.insert((run.run, start));
        self.runs.push(run);
    }

    /// Takes this start of the program for the one after so many.
    pub fn goes_on_after(&mut self, starts: u32) {
        self.start = starts;
    }

    /// Which start of the program this is.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Adds what came of a step.
    pub fn add(&mut self, step: &PlannedCell, outcome: CellOutcome) {
        match outcome {
            Ok(run) => self.add_earlier(run, self.start),
            Err(why) => self.failed.push(FailedCell { cell: step.cell.clone(), run: step.run, why }),
        }
    }

    /// Whether a step was measured.
    pub fn has(&self, step: &PlannedCell) -> bool {
        self.runs.iter().any(|run| run.place == step.place)
    }

    /// How many steps were measured.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The findings so far, of this many steps.
    pub fn findings(&self, planned: usize, left_out: &[LeftOutCell]) -> MatrixFindings {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.place);
        MatrixFindings::from_measured(planned, left_out, &runs, &self.failed)
    }

    /// The runs whose cells were not all measured in one start of the program, counted from 0.
    pub fn split_runs(&self) -> BTreeSet<u16> {
        let blocks: Vec<(u16, u32)> = self.blocks.iter().copied().collect();
        blocks.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].0).collect()
    }
}
