//! Findings from what was measured.

use drivelab_stats::{
    Leaders, MatrixCell, MatrixRun, MatrixSummary, PairComparison, PairedRatio, Position, compare, drift,
    leaders, matrix_cells,
};

use super::findings::{
    CellComparison, CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, LeaderFindings,
    LeftOutCell, MatrixFindings, RateUnit, RatioOfCells,
};
use super::names::WorkFamily;
use crate::{IntervalEnds, MeanOverRuns};

impl MatrixFindings {
    /// The findings of this many measurements that were planned, controls included, of which these were made so far.
    pub(super) fn from_measured(
        planned: usize,
        left_out: &[LeftOutCell],
        runs: &[MatrixRun],
        failed: &[FailedCell],
    ) -> MatrixFindings {
        let summaries = matrix_cells(runs);
        let cells = CellPlaces(&summaries);
        let comparisons = compare(runs);
        MatrixFindings {
            planned: planned as u64,
            measured: runs.len() as u64,
            left_out: left_out.to_vec(),
            failed: failed.to_vec(),
            control: control(runs),
            cells: summaries.iter().map(|summary| cell(summary, runs)).collect(),
            comparisons: comparisons.iter().filter_map(|one| cells.comparison(one)).collect(),
            leaders: leaders(runs, &comparisons).iter().filter_map(|one| cells.leader(one)).collect(),
        }
    }

    /// The cell at a place.
    pub fn cell(&self, place: usize) -> Option<&CellFindings> {
        self.cells.get(place)
    }
}

fn control(runs: &[MatrixRun]) -> Option<ControlFindings> {
    let control = runs.iter().find(|run| run.position != Position::Within)?;
    let found = drift(runs)?;
    Some(ControlFindings {
        cell: control.cell.clone(),
        blocks: found.blocks,
        ratio: found.ratio,
        interval: ends(&found),
        drifts: found.p.map(|p| p < 0.05),
    })
}

fn cell(summary: &MatrixSummary, runs: &[MatrixRun]) -> CellFindings {
    let cell = &summary.cell;
    // The unit of rates, and what bytes or operations a second are divided by.
    let (unit, scale) = match WorkFamily::from_work(cell.work) {
        WorkFamily::Sequential => (RateUnit::MegabytesPerSecond, 1e6),
        WorkFamily::Random => (RateUnit::Iops, 1.0),
        WorkFamily::SmallFiles => (RateUnit::FilesPerSecond, 1.0),
    };
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

fn ends(ratio: &PairedRatio) -> Option<IntervalEnds> {
    ratio.interval.map(|(low, high)| IntervalEnds { low, high })
}

/// The places of cells.
struct CellPlaces<'a>(&'a [MatrixSummary]);

impl CellPlaces<'_> {
    fn find(&self, cell: &MatrixCell) -> Option<usize> {
        self.0.iter().position(|summary| summary.cell == *cell)
    }

    fn all(&self, cells: &[MatrixCell]) -> Vec<usize> {
        cells.iter().filter_map(|cell| self.find(cell)).collect()
    }

    fn comparison(&self, one: &PairComparison) -> Option<CellComparison> {
        Some(CellComparison {
            axis: one.axis,
            first: self.find(&one.first)?,
            second: self.find(&one.second)?,
            blocks: one.ratio.blocks,
            ratio: one.ratio.ratio,
            interval: ends(&one.ratio),
            p: one.ratio.p,
            p_holm: one.p_holm,
            verdict: one.verdict,
        })
    }

    fn leader(&self, leaders: &Leaders) -> Option<LeaderFindings> {
        let next = leaders.next.as_ref();
        let others =
            leaders.apart.iter().filter_map(|(faster, slower, ratio)| self.ratio(faster, slower, ratio));
        Some(LeaderFindings {
            axis: leaders.axis,
            best: self.find(&leaders.best)?,
            wins: leaders.level.is_empty() && leaders.untold.is_empty() && next.is_some(),
            level_with: self.all(&leaders.level),
            not_compared: self.all(&leaders.untold),
            ahead_of: next.and_then(|(slower, ratio)| self.ratio(&leaders.best, slower, ratio)),
            others: others.collect(),
        })
    }

    fn ratio(&self, faster: &MatrixCell, slower: &MatrixCell, ratio: &PairedRatio) -> Option<RatioOfCells> {
        let (faster, slower) = (self.find(faster)?, self.find(slower)?);
        Some(RatioOfCells { faster, slower, ratio: ratio.ratio, interval: ends(ratio) })
    }
}
