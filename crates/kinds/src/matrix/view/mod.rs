//! What is shown of matrices: first which combination is the fastest, then one table of rates, then curves and comparisons.

mod cells;
mod charts;
mod comparisons;
mod head;
mod rates;

use drivelab_stats::Axis;
use drivelab_view::{Block, Fold, Section, View};

use super::Matrix;
use super::settings::axis_names;
use crate::Comparison;
use crate::shown;
use cells::ShownCells;
pub(super) use cells::rate_of;
use rates::{ThreadsOfTable, tables};

/// The view of one matrix, or of several next to each other.
pub(super) fn view(results: &Comparison<'_, Matrix>) -> View {
    let cells = ShownCells::from_results(results);
    let mut sections = vec![Section::summary(None, head::head(results, &cells))];
    sections.extend(rates(results, &cells));
    sections.extend(charts::against_threads(&cells));
    sections.extend(side_by_side(results, &cells));
    sections.extend(comparisons::comparisons(results));
    shown::view(results, sections)
}

/// The tables of rates: of few numbers of threads, and folded away of all.
fn rates(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Section> {
    let axis = cells.column_axis();
    let few = tables(results, cells, axis, ThreadsOfTable::Few);
    if few.is_empty() {
        return None;
    }
    let mut blocks: Vec<Block> = few.into_iter().map(Block::Table).collect();
    if axis != Axis::Threads && cells.has_many_threads() {
        let all = tables(results, cells, axis, ThreadsOfTable::All).into_iter().map(Block::Table).collect();
        let summary = format!("All {} numbers of threads", cells.threads().len());
        blocks.push(Block::Fold(Fold { summary, blocks: all }));
    }
    Some(Section::summary(Some("Rates"), blocks))
}

/// The schedulers in columns, where the tables of rates have file systems there.
fn side_by_side(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Section> {
    let axis = Axis::Scheduler;
    if cells.column_axis() == axis || cells.columns(axis).len() < 2 {
        return None;
    }
    let blocks: Vec<Block> =
        tables(results, cells, axis, ThreadsOfTable::Few).into_iter().map(Block::Table).collect();
    let summary = format!("Rates with {} {}", cells.columns(axis).len(), axis_names(axis).1);
    let fold = Block::Fold(Fold { summary, blocks });
    Some(Section::full("I/O schedulers side by side", vec![fold]))
}
