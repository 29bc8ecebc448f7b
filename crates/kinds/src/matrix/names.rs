//! How cells are named, and what their rates are in.

use drivelab_block::Work;
use drivelab_stats::{Axis, MatrixCell};

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

/// Kinds of work whose rates are of one unit, as they stand in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkFamily {
    /// Bytes in order.
    Sequential,
    /// Single blocks anywhere.
    Random,
    /// Small files.
    SmallFiles,
}

impl WorkFamily {
    /// All of them, in the order in which they are shown.
    pub const ALL: [WorkFamily; 3] = [WorkFamily::Sequential, WorkFamily::Random, WorkFamily::SmallFiles];

    /// The family of a kind of work.
    pub fn from_work(work: Work) -> WorkFamily {
        match () {
            () if work.is_metadata() => WorkFamily::SmallFiles,
            () if work.is_random() => WorkFamily::Random,
            () => WorkFamily::Sequential,
        }
    }
}
