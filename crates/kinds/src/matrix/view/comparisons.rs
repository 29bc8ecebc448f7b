//! Every comparison of cells that differ in one thing, as tables.

use drivelab_view::format::capitalised;
use drivelab_view::{Block, Bound, Cell, Column, Fold, Quantity, Row, Section, Table, Tone, Value};

use crate::matrix::names::{axis_names, cell_name};
use crate::matrix::{
    CellComparison, CellFindings, ComparisonVerdict, LeaderFindings, Matrix, MatrixFindings,
};
use crate::{ComparedResult, Comparison, IntervalEnds};

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
    let word = |head: &str| Column::new(head, Quantity::Number);
    let by = Column::new("By", Quantity::Share);
    let mut table = Table::new(
        &format!("leaders{id}"),
        "Highest mean rate, and what is shown to be slower",
        "",
        vec![
            word("Highest"),
            word("Shown ahead of"),
            by,
            word("No difference shown to"),
            word("Too few runs with"),
        ],
    );
    for leader in &found.leaders {
        table.rows.extend(leader_row(found, leader));
    }
    table.leave_out_empty_columns();
    table
        .notes
        .push("Of each group the fastest that is shown to be slower is named, and by how much.".to_owned());
    table
}

fn leader_row(found: &MatrixFindings, leader: &LeaderFindings) -> Option<Row> {
    let axis = leader.axis.axis();
    let best = found.cell(leader.best)?.cell.cell();
    let names = |places: &[usize]| {
        let names = places.iter().filter_map(|place| Some(axis.value(&found.cell(*place)?.cell.cell())));
        names.collect::<Vec<_>>().join(", ")
    };
    let words = |text: String| if text.is_empty() { Cell::Nothing } else { Cell::Text(text) };
    let ahead = leader.ahead_of.as_ref();
    Some(Row {
        head: cell_name(&axis.rest(&best)),
        subject: None,
        group: Some(capitalised(axis_names(axis).1)),
        cells: vec![
            words(axis.value(&best)),
            ahead.map_or(Cell::Nothing, |ahead| words(names(&[ahead.slower]))),
            ahead.map_or(Cell::Nothing, |ahead| difference(ahead.ratio, ahead.interval)),
            words(names(&leader.level_with)),
            words(names(&leader.not_compared)),
        ],
    })
}

fn table(found: &MatrixFindings, id: &str) -> Table {
    let columns = vec![
        Column::new("First", Quantity::Number),
        Column::new("Second", Quantity::Number),
        Column::new("Difference", Quantity::Share),
        Column::new("p", Quantity::Factor),
        Column::new("Result", Quantity::Number),
    ];
    let mut table = Table::new(&format!("comparisons{id}"), "Cells that differ in one thing", "", columns);
    table.rows = found.comparisons.iter().filter_map(|one| comparison_row(found, one)).collect();
    table.notes.push(METHOD.to_owned());
    table
}

fn comparison_row(found: &MatrixFindings, one: &CellComparison) -> Option<Row> {
    let axis = one.axis.axis();
    let cell = |place: usize| found.cell(place).map(|found: &CellFindings| found.cell.cell());
    let (first, second) = (cell(one.first)?, cell(one.second)?);
    let (tone, words) = match one.verdict {
        ComparisonVerdict::Difference => (Tone::Neutral, "differ"),
        ComparisonVerdict::NoDifference => (Tone::Undecided, "no difference shown"),
        ComparisonVerdict::TooFewRuns => (Tone::Undecided, "too few runs"),
    };
    Some(Row {
        head: cell_name(&axis.rest(&first)),
        subject: None,
        group: Some(capitalised(axis_names(axis).1)),
        cells: vec![
            Cell::Text(axis.value(&first)),
            Cell::Text(axis.value(&second)),
            difference(one.ratio, one.interval),
            one.p_holm.map_or(Cell::Nothing, probability),
            Cell::Verdict(tone, words.to_owned()),
        ],
    })
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
