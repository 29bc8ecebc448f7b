//! Cells that differ in one thing, two by two.

use drivelab_block::{Caching, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LogRatios, MatrixCell, MatrixRun, MatrixSummary, within};

/// In what two cells differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CellAxis")]
pub enum Axis {
    /// The file system.
    FileSystem,
    /// The I/O scheduler.
    Scheduler,
    /// Through the page cache or past it.
    Caching,
    /// The number of threads: each with the next larger one.
    Threads,
}

impl Axis {
    /// What a cell has of it, in words.
    pub fn value(self, cell: &MatrixCell) -> String {
        let none = || "-".to_owned();
        match self {
            Axis::FileSystem => cell.fs.map_or_else(none, |fs| fs.word().to_owned()),
            Axis::Scheduler => cell.scheduler.clone().unwrap_or_else(none),
            Axis::Caching => cell.caching.map_or_else(none, |caching| caching.word().to_owned()),
            Axis::Threads => cell.threads.to_string(),
        }
    }

    /// The cell without it: cells with the same rest are compared.
    pub fn rest(self, cell: &MatrixCell) -> MatrixCell {
        let mut rest = cell.clone();
        match self {
            Axis::FileSystem => rest.fs = None,
            Axis::Scheduler => rest.scheduler = None,
            Axis::Caching => rest.caching = None,
            Axis::Threads => rest.threads = 0,
        }
        rest
    }
}

/// Two cells that differ in one thing, in the blocks that have both.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub axis: Axis,
    /// The places of both.
    pub first: usize,
    pub second: usize,
    pub work: Work,
    /// How far the page cache takes part in both; none where that is what they differ in.
    pub caching: Option<Caching>,
    pub logs: LogRatios,
}

/// All pairs of cells that differ in a file system, a scheduler or a way of caching; where there are none, in threads.
pub(super) fn pairs(cells: &[MatrixSummary], runs: &[MatrixRun]) -> Vec<Pair> {
    let alike = |axis: Axis, first: usize| {
        let own = axis.rest(&cells[first].cell);
        (0..cells.len()).filter(move |place| axis.rest(&cells[*place].cell) == own)
    };
    let threads = |place: &usize| cells[*place].cell.threads;
    let mut along = Vec::new();
    for axis in [Axis::FileSystem, Axis::Scheduler, Axis::Caching] {
        for first in 0..cells.len() {
            along.extend(
                alike(axis, first).filter(|second| *second > first).map(|second| (axis, first, second)),
            );
        }
    }
    if along.is_empty() {
        for first in 0..cells.len() {
            let more = alike(Axis::Threads, first).filter(|other| threads(other) > threads(&first));
            along.extend(more.min_by_key(threads).map(|second| (Axis::Threads, first, second)));
        }
    }
    let pair = |(axis, first, second): (Axis, usize, usize)| {
        let logs = log_ratios(&cells[first].cell, &cells[second].cell, runs)?;
        let MatrixCell { work, caching, .. } = axis.rest(&cells[first].cell);
        Some(Pair { axis, first, second, work, caching, logs })
    };
    along.into_iter().filter_map(pair).collect()
}

fn log_ratios(first: &MatrixCell, second: &MatrixCell, runs: &[MatrixRun]) -> Option<LogRatios> {
    let in_block = |block: u16| within(runs).find(|run| run.cell == *second && run.run == block);
    let of_first = within(runs).filter(|run| run.cell == *first);
    let pairs: Vec<(f64, f64)> =
        of_first.filter_map(|run| Some((run.rate(), in_block(run.run)?.rate()))).collect();
    LogRatios::from_pairs(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::FileSystem;

    #[test]
    fn a_cell_has_a_word_for_each_thing_and_a_dash_where_it_is_not_known() {
        let known = MatrixCell {
            work: Work::SeqRead,
            caching: Some(Caching::Direct),
            scheduler: Some("kyber".to_owned()),
            threads: 8,
            fs: Some(FileSystem::Xfs),
        };
        let unknown = MatrixCell { caching: None, scheduler: None, fs: None, ..known.clone() };
        let all = [Axis::FileSystem, Axis::Scheduler, Axis::Caching, Axis::Threads];
        assert_eq!(all.map(|axis| axis.value(&known)), ["xfs", "kyber", Caching::Direct.word(), "8"]);
        assert_eq!(all.map(|axis| axis.value(&unknown)), ["-", "-", "-", "8"]);
    }
}
