//! Rates, and the time that each file takes.

use drivelab_view::{Better, Block, Cell, Column, Figures, Quantity, Table, Value};

use super::super::{PathCell, Paths};
use super::{files_of, lengths, paths};
use crate::MeanOverRuns;
use crate::shown::ComparedFigures;
use crate::{Comparison, StoredResult};

/// A figure of a cell: its name, what it measures, which is better, where it is, and its unit in terms of the base unit.
struct MeasuredFigure {
    id: &'static str,
    name: &'static str,
    quantity: Quantity,
    better: Better,
    of: fn(&PathCell) -> MeanOverRuns,
    unit: f64,
}

const RATE: MeasuredFigure = MeasuredFigure {
    id: "rate",
    name: "Rate",
    quantity: Quantity::BytesPerSecond,
    better: Better::High,
    of: |cell| cell.rate_mb_s,
    unit: 1e6,
};

const TIME: MeasuredFigure = MeasuredFigure {
    id: "time-per-file",
    name: "Time for each file",
    quantity: Quantity::Nanoseconds,
    better: Better::Low,
    of: |cell| cell.file_time_ns,
    unit: 1.0,
};

/// A table of paths for one result; of several, a table of drives and paths for each length of files.
pub fn blocks(results: &Comparison<'_, Paths>) -> Vec<Block> {
    match &**results {
        [one] => [RATE, TIME].iter().map(|measured| Block::Table(table(one, measured))).collect(),
        _ => [RATE, TIME].iter().map(|measured| Block::Figures(figures(results, measured))).collect(),
    }
}

fn table(kept: &StoredResult<Paths>, measured: &MeasuredFigure) -> Table {
    let (found, paths) = (&kept.findings, kept.findings.paths());
    let columns = paths.iter().map(|path| {
        let column = Column::new(path.word(), measured.quantity);
        Column { better: measured.better, ..column }
    });
    let mut table = Table::new(measured.id, measured.name, "Files", columns.collect());
    for length in found.file_lengths() {
        let fastest = found.fastest(length);
        let cells = paths.iter().map(|path| {
            let value = found.cell(*path, length).map(|cell| value(cell, measured));
            match value {
                Some(value) if fastest == Some(*path) => Cell::Best(value),
                Some(value) => value.into(),
                None => Cell::Nothing,
            }
        });
        table.row(files_of(length), cells.collect());
    }
    table.notes.push("Means over runs, with intervals by Student's t that end at zero.".to_owned());
    table
}

fn figures(results: &Comparison<'_, Paths>, measured: &MeasuredFigure) -> Figures {
    let mut figures = ComparedFigures::new(measured.id, results);
    for length in lengths(results) {
        let group = format!("{}: {}", measured.name, files_of(length));
        for path in paths(results) {
            figures.add((&group, path.word()), measured.quantity, measured.better, |one| {
                one.findings.cell(path, length).map(|cell| value(cell, measured))
            });
        }
    }
    figures.figures
}

fn value(cell: &PathCell, measured: &MeasuredFigure) -> Value {
    (measured.of)(cell).value(measured.quantity, measured.unit)
}
