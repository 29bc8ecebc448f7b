//! Cells of a matrix (file systems, schedulers, ways of caching; threads; work) over runs: what each comes to, and which
//! differences between them are more than chance.

mod compare;
mod noise;
mod pair;
mod paired;

use drivelab_block::{Caching, FileSystem, Nanos, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MeanInterval;

pub use compare::{CellComparison, ComparedCells, LeaderFindings, PairVerdict, RatioOfCells, compare};
pub use pair::Axis;
use paired::LogRatios;
use paired::holm;
pub use paired::{LEAST_BLOCKS, PairedRatio};

/// Which cell of a matrix something is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CellKey")]
pub struct MatrixCell {
    /// The kind of work.
    pub work: Work,
    /// Through the page cache or past it; null on a simulated drive.
    pub caching: Option<Caching>,
    /// The I/O scheduler; null where the drive kept the one that it had.
    pub scheduler: Option<String>,
    /// Threads.
    pub threads: u16,
    /// The file system; null on a simulated drive.
    #[serde(rename = "file_system")]
    pub fs: Option<FileSystem>,
}

/// When in a block of runs something was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// As the control, before all others.
    First,
    /// At its own random place.
    Within,
    /// As the control, after all others.
    Last,
}

/// The latencies of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LatencyOfRun")]
pub struct RunLatency {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// A cell, measured once.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixRun {
    /// The cell.
    pub cell: MatrixCell,
    /// The block of runs, from 0.
    pub run: u16,
    /// When in the block.
    pub position: Position,
    /// When in all, from 0.
    pub place: u64,
    /// Reads, writes, rewrites or files.
    pub operations: u64,
    /// Bytes that these moved.
    pub bytes: u64,
    /// From the common start to the end of the last thread.
    pub elapsed: Nanos,
    /// How long an operation took; none where none ended.
    pub latency: Option<RunLatency>,
}

impl MatrixRun {
    /// What was done a second: bytes where a file is gone through, operations otherwise. Zero where nothing was.
    pub fn rate(&self) -> f64 {
        let counted = if self.cell.counts_bytes() { self.bytes } else { self.operations };
        counted as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

impl MatrixCell {
    /// Whether its rate is one of bytes.
    pub fn counts_bytes(&self) -> bool {
        !self.work.is_random() && !self.work.is_metadata()
    }
}

/// A cell over all its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSummary {
    /// The cell.
    pub cell: MatrixCell,
    /// Bytes or operations a second.
    pub rate: MeanInterval,
    /// The mean latency of each run, over runs, in nanoseconds.
    pub latency: Option<MeanInterval>,
    /// The middle latency of each run, over runs, in nanoseconds.
    pub p50: Option<MeanInterval>,
    /// The latency that 1 of 100 exceeded, over runs, in nanoseconds.
    pub p99: Option<MeanInterval>,
}

/// The cells of these runs, in their own order. Controls are no runs of their cell: they have their own place in time.
fn matrix_cells(runs: &[MatrixRun]) -> Vec<MatrixSummary> {
    let mut cells: Vec<&MatrixCell> = within(runs).map(|run| &run.cell).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.into_iter().filter_map(|cell| summary(cell, runs)).collect()
}

fn within(runs: &[MatrixRun]) -> impl Iterator<Item = &MatrixRun> {
    runs.iter().filter(|run| run.position == Position::Within)
}

fn summary(cell: &MatrixCell, runs: &[MatrixRun]) -> Option<MatrixSummary> {
    let own: Vec<&MatrixRun> = within(runs).filter(|run| run.cell == *cell).collect();
    let over = |figure: fn(&MatrixRun) -> Option<f64>| {
        MeanInterval::from_values(&own.iter().filter_map(|run| figure(run)).collect::<Vec<_>>())
    };
    Some(MatrixSummary {
        cell: cell.clone(),
        rate: over(|run| Some(run.rate()))?,
        latency: over(|run| Some(run.latency?.mean)),
        p50: over(|run| Some(run.latency?.p50 as f64)),
        p99: over(|run| Some(run.latency?.p99 as f64)),
    })
}

/// The rate of the control at the end of each block against its begin: what changed with time.
pub fn drift(runs: &[MatrixRun]) -> Option<PairedRatio> {
    controls(runs).map(|logs| logs.ratio(0.0))
}

/// The logarithms of the control's rate at the end of each block over that at its begin: the same cell twice.
fn controls(runs: &[MatrixRun]) -> Option<LogRatios> {
    let rate = |position, block| {
        runs.iter().find(|run| (run.position, run.run) == (position, block)).map(MatrixRun::rate)
    };
    let mut blocks: Vec<u16> = runs.iter().map(|run| run.run).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let pairs: Vec<(f64, f64)> = blocks
        .into_iter()
        .filter_map(|block| Some((rate(Position::First, block)?, rate(Position::Last, block)?)))
        .collect();
    LogRatios::from_pairs(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 600 operations and 9,000 bytes in three seconds.
    fn rate(work: Work, elapsed: Nanos) -> f64 {
        let cell = MatrixCell { work, caching: None, scheduler: None, threads: 1, fs: None };
        let (run, position, place, operations, bytes) = (0, Position::Within, 0, 600, 9_000);
        MatrixRun { cell, run, position, place, operations, bytes, elapsed, latency: None }.rate()
    }

    #[test]
    fn a_file_that_is_gone_through_has_a_rate_of_bytes_and_all_else_one_of_operations() {
        for work in Work::ALL {
            let is_through = matches!(work, Work::SeqRead | Work::SeqWrite | Work::Rewrite);
            let expected = if is_through { 3_000.0 } else { 200.0 };
            assert!((rate(work, Nanos::from_secs(3)) - expected).abs() < 1e-9, "{work:?}");
        }
        assert!(rate(Work::SeqRead, Nanos::ZERO).is_finite());
    }
}
