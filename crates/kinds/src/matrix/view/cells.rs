//! The cells of the results that are shown, and what they differ in.

use std::cmp::Ordering;

use drivelab_stats::{Axis, MatrixCell};
use drivelab_view::Value;

use crate::Comparison;
use crate::matrix::{CellFindings, Matrix};

/// As many numbers of threads as this are all shown in the summary.
const FEW_THREADS: usize = 4;

/// The cells of every result, in the order of results.
pub(super) struct ShownCells<'a>(pub Vec<&'a [CellFindings]>);

impl<'a> ShownCells<'a> {
    pub fn from_results(results: &'a Comparison<'_, Matrix>) -> ShownCells<'a> {
        ShownCells(results.iter().map(|one| one.findings.cells.as_slice()).collect())
    }

    /// All cells.
    pub fn all(&self) -> impl Iterator<Item = &'a CellFindings> {
        self.0.iter().copied().flatten()
    }

    /// What lies along the columns: the first thing in which cells differ that is more than a number of threads, else threads.
    pub fn column_axis(&self) -> Axis {
        let axes = [Axis::FileSystem, Axis::Scheduler, Axis::Threads, Axis::Caching];
        axes.into_iter().find(|axis| self.columns(*axis).len() > 1).unwrap_or(Axis::Threads)
    }

    /// A cell for each value of an axis, in the order of the values.
    pub fn columns(&self, axis: Axis) -> Vec<&MatrixCell> {
        let mut columns: Vec<&MatrixCell> = self.all().map(|one| &one.cell).collect();
        columns.sort_by(|one, other| along(axis, one, other));
        columns.dedup_by(|one, other| along(axis, one, other).is_eq());
        columns
    }

    /// What the cells have besides their values of an axis, each once and in order.
    pub fn rests(&self, axis: Axis) -> Vec<MatrixCell> {
        let mut rests: Vec<MatrixCell> = self.all().map(|one| axis.rest(&one.cell)).collect();
        rests.sort_unstable();
        rests.dedup();
        rests
    }

    /// The numbers of threads, ascending.
    pub fn threads(&self) -> Vec<u16> {
        self.columns(Axis::Threads).into_iter().map(|cell| cell.threads).collect()
    }

    /// The place in its findings of the cell of a result that has this rest and the value of a column.
    pub fn place(&self, result: usize, axis: Axis, rest: &MatrixCell, column: &MatrixCell) -> Option<usize> {
        let is_it =
            |one: &CellFindings| along(axis, &one.cell, column).is_eq() && axis.rest(&one.cell) == *rest;
        self.0.get(result)?.iter().position(is_it)
    }

    /// That cell.
    pub fn at(
        &self,
        result: usize,
        axis: Axis,
        rest: &MatrixCell,
        column: &MatrixCell,
    ) -> Option<&'a CellFindings> {
        self.0[result].get(self.place(result, axis, rest, column)?)
    }
}

/// The numbers of threads that a summary shows: the least, the middle and the greatest of many, or else all.
pub(super) fn few_of(all: &[u16]) -> Vec<u16> {
    if all.len() <= FEW_THREADS {
        return all.to_vec();
    }
    [0, all.len() / 2, all.len() - 1].map(|place| all[place]).to_vec()
}

/// Which numbers of threads a summary leaves out, in a sentence; none where it has all of them.
pub(super) fn left_out_of(all: &[u16]) -> Option<String> {
    let few = few_of(all);
    let left_out: Vec<String> =
        all.iter().filter(|one| !few.contains(one)).map(ToString::to_string).collect();
    let all = all.len();
    (!left_out.is_empty()).then(|| {
        format!("Left out here: {} threads. The page has all {all} numbers of threads.", left_out.join(", "))
    })
}

/// The order of two cells by their values of an axis.
fn along(axis: Axis, one: &MatrixCell, other: &MatrixCell) -> Ordering {
    match axis {
        Axis::FileSystem => one.fs.cmp(&other.fs),
        Axis::Scheduler => one.scheduler.cmp(&other.scheduler),
        Axis::Caching => one.caching.cmp(&other.caching),
        Axis::Threads => one.threads.cmp(&other.threads),
    }
}

/// The rate of a cell with its interval.
pub(in crate::matrix) fn rate_of(found: &CellFindings) -> Value {
    let (quantity, scale) = found.unit.quantity();
    found.rate.value(quantity, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_numbers_of_threads_are_all_shown_and_what_is_left_out_of_more_is_named() {
        assert_eq!((few_of(&[1, 8, 32, 128]), left_out_of(&[1, 8, 32, 128])), (vec![1, 8, 32, 128], None));
        let all = [1, 2, 4, 8, 16];
        assert_eq!(few_of(&all), [1, 4, 16]);
        let left_out = "Left out here: 2, 8 threads. The page has all 5 numbers of threads.";
        assert_eq!(left_out_of(&all).as_deref(), Some(left_out));
    }
}
