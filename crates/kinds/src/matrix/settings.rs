//! What a matrix is asked.

use drivelab_block::{Caching, FileSystem, Nanos, Work};
use drivelab_stats::{Axis, MatrixCell, MatrixRun, Position};
use serde::{Deserialize, Serialize};

/// What a matrix is asked, with nothing left open. An axis that is empty is not there: a simulated drive has no file systems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixSettings {
    /// The file systems that are made, each anew for every cell; none on a simulated drive.
    pub file_systems: Vec<FileSystem>,
    /// The I/O schedulers; none where the drive keeps the one that it has.
    pub schedulers: Vec<String>,
    /// Through the page cache or past it; none on a simulated drive.
    pub caching: Vec<Caching>,
    /// Numbers of threads.
    pub threads: Vec<u16>,
    /// Kinds of work.
    pub work: Vec<Work>,
    /// Runs of each cell.
    pub runs: u16,
    /// How long the threads of a cell begin new steps.
    pub cell_duration_ns: u64,
    /// The size of each file system; none on a simulated drive.
    pub file_system_bytes: Option<u64>,
    /// What the large files of a cell hold together.
    pub working_set_bytes: u64,
    /// The length of a sequential read or write.
    pub block_size_bytes: u64,
    /// Small files of a cell; none on a simulated drive.
    pub files: Option<u64>,
}

impl MatrixSettings {
    /// How long the threads of a cell begin new steps.
    pub fn cell_duration(&self) -> Nanos {
        Nanos::new(self.cell_duration_ns)
    }
}

/// A cell at its place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCell {
    /// When in all, from 0.
    pub place: u64,
    /// The block of runs it belongs to, from 0.
    pub run: u16,
    /// When in the block.
    pub position: Position,
    /// What is measured.
    pub cell: MatrixCell,
}

impl PlannedCell {
    /// A run of it in which nothing was done.
    pub fn unmeasured(&self) -> MatrixRun {
        MatrixRun {
            cell: self.cell.clone(),
            run: self.run,
            position: self.position,
            place: self.place,
            operations: 0,
            bytes: 0,
            elapsed: Nanos::ZERO,
            latency: None,
        }
    }
}

/// What a cell is, in words; what it does not have is left out.
pub fn cell_name(cell: &MatrixCell) -> String {
    let threads = (cell.threads > 0).then(|| threads_name(cell.threads));
    let words = [
        Some(cell.work.word().to_owned()),
        cell.caching.map(|caching| caching.word().to_owned()),
        cell.scheduler.clone(),
        threads,
        cell.fs.map(|fs| fs.word().to_owned()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A number of threads in words.
pub(super) fn threads_name(threads: u16) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// What the cells of an axis are called, one and several.
pub(super) fn axis_names(axis: Axis) -> (&'static str, &'static str) {
    match axis {
        Axis::FileSystem => ("file system", "file systems"),
        Axis::Scheduler => ("I/O scheduler", "I/O schedulers"),
        Axis::Caching => ("way of caching", "ways of caching"),
        Axis::Threads => ("number of threads", "numbers of threads"),
    }
}

/// The head of a column for what a cell has of an axis.
pub(super) fn column_name(axis: Axis, cell: &MatrixCell) -> String {
    if axis == Axis::Threads { threads_name(cell.threads) } else { axis.value(cell) }
}
