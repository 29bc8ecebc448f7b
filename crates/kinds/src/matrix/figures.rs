//! The figures of a matrix by which drives are compared.

use drivelab_block::Work;
use drivelab_view::{Better, KeyFigure};

use super::view::rate_of;
use super::{CellFindings, MatrixFindings};

/// For each kind of work the rate of the fastest combination.
pub(super) fn key_figures(found: &MatrixFindings) -> Vec<KeyFigure> {
    Work::ALL.into_iter().filter_map(|work| fastest(found, work)).collect()
}

fn fastest(found: &MatrixFindings, work: Work) -> Option<KeyFigure> {
    let of_work = found.cells.iter().filter(|cell| cell.cell.work == work && cell.rate.runs > 0);
    let fastest: &CellFindings = of_work.max_by(|a, b| a.rate.mean.total_cmp(&b.rate.mean))?;
    let name = format!("Matrix, fastest {}", work.word());
    Some(KeyFigure::of_value(name, rate_of(fastest), Better::High))
}
