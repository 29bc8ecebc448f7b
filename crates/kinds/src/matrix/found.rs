//! What of a matrix was measured so far, and the findings from that.

use std::collections::BTreeSet;

use drivelab_stats::{ComparedCells, MatrixRun, MatrixSummary, Position, compare, drift};

use super::PlannedCell;
use super::findings::{
    CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, LeftOutCell, MatrixFindings, RateUnit,
};
use crate::MeanOverRuns;

fn control(runs: &[MatrixRun]) -> Option<ControlFindings> {
    let control = runs.iter().find(|run| run.position != Position::Within)?;
    let found = drift(runs)?;
    Some(ControlFindings {
        cell: control.cell.clone(),
        blocks: found.blocks,
        ratio: found.ratio,
        interval: found.interval,
        drifts: found.p.map(|p| p < 0.05),
    })
}

fn cell(summary: &MatrixSummary, runs: &[MatrixRun]) -> CellFindings {
    let cell = &summary.cell;
    let unit = RateUnit::from_work(cell.work);
    let (_, scale) = unit.quantity();
    let own = runs.iter().filter(|run| run.position == Position::Within && run.cell == *cell);
    let latency = summary.latency.zip(summary.p50).zip(summary.p99);
    let one_run = |run: &MatrixRun| CellRun {
        run: run.run,
        place: run.place,
        rate: run.rate() / scale,
        operations: run.operations,
        bytes: run.bytes,
        elapsed_ns: run.elapsed.get(),
        latency_ns: run.latency,
    };
    CellFindings {
        cell: cell.clone(),
        unit,
        rate: MeanOverRuns::from((summary.rate, scale)),
        latency_ns: latency.map(|((mean, p50), p99)| CellLatency {
            mean: MeanOverRuns::from((mean, 1.0)),
            p50: p50.mean,
            p99: p99.mean,
        }),
        runs: own.map(one_run).collect(),
    }
}

/// What came of a cell: its figures, or why there are none.
pub type CellOutcome = Result<MatrixRun, String>;

/// What of a matrix was measured so far, by this start of the program and by earlier ones.
#[derive(Clone, Debug, Default)]
pub struct MatrixProgress {
    runs: Vec<MatrixRun>,
    pub(super) failed: Vec<FailedCell>,
    /// Which start of the program this is: 0, and one more with each that went on.
    pub start: u32,
    /// The blocks of runs that were begun, each with the start that did.
    blocks: BTreeSet<(u16, u32)>,
}

impl MatrixProgress {
    /// Adds a cell that an earlier start of the program measured: the one of this number.
    pub fn add_earlier(&mut self, run: MatrixRun, start: u32) {
        self.blocks.insert((run.run, start));
        self.runs.push(run);
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

    /// The findings so far, of this many steps, controls included.
    pub fn findings(&self, planned: usize, left_out: &[LeftOutCell]) -> MatrixFindings {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.place);
        let ComparedCells { cells, comparisons, leaders } = compare(&runs);
        MatrixFindings {
            planned: planned as u64,
            measured: runs.len() as u64,
            left_out: left_out.to_vec(),
            failed: self.failed.clone(),
            control: control(&runs),
            cells: cells.iter().map(|summary| cell(summary, &runs)).collect(),
            comparisons,
            leaders,
        }
    }

    /// The runs whose cells were not all measured in one start of the program, counted from 0.
    pub fn split_runs(&self) -> BTreeSet<u16> {
        let blocks: Vec<(u16, u32)> = self.blocks.iter().copied().collect();
        blocks.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].0).collect()
    }
}
