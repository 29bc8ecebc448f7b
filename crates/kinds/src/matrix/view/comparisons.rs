//! Every comparison of cells that differ in one thing, as tables.

use drivelab_stats::{Axis, CellComparison, IntervalEnds, LeaderFindings, MatrixCell, PairVerdict};
use drivelab_view::format::capitalised;
use drivelab_view::{Block, Bound, Cell, Columns, Fold, Quantity, Row, Section, Table, Tone, Value};

use crate::matrix::settings::{axis_names, cell_name};
use crate::matrix::{Matrix, MatrixFindings};
use crate::{ComparedResult, Comparison};

/// How comparisons are made.
const METHOD: &str = "The difference is that of the second's rate to the first's, paired by block of runs: Student's t on \
    logarithms, 95 %; p after Holm's adjustment over all comparisons. Runs that lie close together by chance show nothing: \
    the variance of two cells is not taken to be less than it is when moderated by the median of all comparisons of the \
    same kind of work, which counts as four degrees of freedom (after Smyth 2004, and Tusher, Tibshirani and Chu 2001). \
    Fewer than three blocks of runs show nothing.";

/// Lower p-values are not told apart.
const LEAST_P: f64 = 0.001;

/// The leaders and the comparisons of each result, folded away; none where nothing could be compared.
pub(super) fn comparisons(results: &Comparison<'_, Matrix>) -> Option<Section> {
    let folds = |one: &ComparedResult<'_, Matrix>| {
        let (of, id) = if one.is_alone {
            (String::new(), String::new())
        } else {
            (format!(" of {}", one.label()), format!("-{}", one.place + 1))
        };
        folds(&one.findings, &of, &id)
    };
    let blocks: Vec<Block> = results.iter().flat_map(folds).collect();
    (!blocks.is_empty()).then(|| Section::full("Comparisons", blocks))
}

fn folds(found: &MatrixFindings, of: &str, id: &str) -> Vec<Block> {
    let fold =
        |summary: String, table: Table| Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] });
    let mut blocks = Vec::new();
    if !found.leaders.is_empty() {
        let summary = format!("The highest mean rate of each of {} groups{of}", found.leaders.len());
        blocks.push(fold(summary, leaders(found, id)));
    }
    if !found.comparisons.is_empty() {
        let summary = match found.comparisons.len() {
            1 => format!("The comparison{of}"),
            several => format!("All {several} comparisons{of}"),
        };
        blocks.push(fold(summary, table(found, id)));
    }
    blocks
}

fn leaders(found: &MatrixFindings, id: &str) -> Table {
    let named = |leader: &LeaderFindings, places: &[usize]| {
        let names = places.iter().filter_map(|place| Some(leader.axis.value(&found.cells.get(*place)?.cell)));
        names.reduce(|names, name| format!("{names}, {name}")).filter(|names| !names.is_empty())
    };
    let columns = Columns::<LeaderFindings>::new()
        .words("Highest", |leader| named(leader, &[leader.best]))
        .words("Shown ahead of", |leader| named(leader, &[leader.ahead_of?.slower]))
        .with("By", Quantity::Share, |leader| {
            leader.ahead_of.map(|ahead| difference(ahead.ratio, ahead.interval))
        })
        .words("No difference shown to", |leader| named(leader, &leader.level_with))
        .words("Too few runs with", |leader| named(leader, &leader.not_compared));
    let caption = "Highest mean rate, and what is shown to be slower";
    let mut table = columns.table(&format!("leaders{id}"), caption, "");
    let rows = found.leaders.iter().filter_map(|leader| {
        let best = found.cells.get(leader.best)?;
        Some(row(leader.axis, &best.cell, columns.cells(leader)))
    });
    table.rows.extend(rows);
    table.leave_out_empty_columns();
    table
        .notes
        .push("Of each group the fastest that is shown to be slower is named, and by how much.".to_owned());
    table
}

/// A row of cells that differ along an axis, of which `cell` is one.
fn row(axis: Axis, cell: &MatrixCell, cells: Vec<Cell>) -> Row {
    let group = Some(capitalised(axis_names(axis).1));
    Row { head: cell_name(&axis.rest(cell)), subject: None, group, cells }
}

fn table(found: &MatrixFindings, id: &str) -> Table {
    let value =
        |one: &CellComparison, place: usize| found.cells.get(place).map(|found| one.axis.value(&found.cell));
    let columns = Columns::<CellComparison>::new()
        .words("First", |one| value(one, one.first))
        .words("Second", |one| value(one, one.second))
        .with("Difference", Quantity::Share, |one| difference(one.ratio, one.interval))
        .with("p", Quantity::Factor, |one| one.p_holm.map(probability))
        .words("Result", |one| match one.verdict {
            PairVerdict::Difference => Cell::Verdict(Tone::Neutral, "differ".to_owned()),
            PairVerdict::NoDifference => Cell::Verdict(Tone::Undecided, "no difference shown".to_owned()),
            PairVerdict::TooFewRuns => Cell::Verdict(Tone::Undecided, "too few runs".to_owned()),
        });
    let caption = "Cells that differ in one thing";
    let mut table = columns.table(&format!("comparisons{id}"), caption, "");
    let rows = found.comparisons.iter().filter_map(|one| {
        let (first, _) = (found.cells.get(one.first)?, found.cells.get(one.second)?);
        Some(row(one.axis, &first.cell, columns.cells(one)))
    });
    table.rows.extend(rows);
    table.notes.push(METHOD.to_owned());
    table
}

/// A ratio as a difference in per cent, whose digits show that an interval leaves out 0, however near it comes.
fn difference(ratio: f64, interval: Option<IntervalEnds>) -> Cell {
    let interval = interval.map(|ends| (ends.low - 1.0, ends.high - 1.0));
    Value::new(Quantity::Share, ratio - 1.0).within_known(interval).into()
}

/// A p-value; of one that is next to nothing only that it is.
fn probability(p: f64) -> Cell {
    if p < LEAST_P {
        Value::new(Quantity::Factor, LEAST_P).bounded(Bound::AtMost)
    } else {
        Value::new(Quantity::Factor, p)
    }
    .into()
}
