//! A row for each run of a command that was run several times.

use drivelab_record::EstimateDocument;
use drivelab_view::{Block, Cell, Column, Quantity, Row, Section, Table};

use super::{Energy, EnergyRun};
use crate::Comparison;
use crate::estimate::estimate;

/// The runs of the results that have several; nothing where none has.
pub(super) fn section(compared: &Comparison<'_, Energy>) -> Option<Section> {
    let columns = [
        ("Time", Quantity::Seconds),
        ("Mean power", Quantity::Watts),
        ("Energy", Quantity::Joules),
        ("Energy above idle", Quantity::Joules),
        ("Energy per gigabyte", Quantity::JoulesPerGigabyte),
    ];
    let columns = columns.map(|(head, quantity)| Column::new(head, quantity)).to_vec();
    let mut table = Table::new("runs", "What each run took", "Run", columns);
    for one in compared.iter() {
        let rows = (1..).zip(&one.findings.runs);
        table.rows.extend(
            rows.map(|(number, run)| Row { subject: None, ..one.grouped_row(head(number, run), cells(run)) }),
        );
    }
    if table.rows.is_empty() {
        return None;
    }
    table.leave_out_empty_columns();
    let note = "Behind ± stands twice the standard uncertainty of the run.";
    table.notes.push(note.to_owned());
    Some(Section::summary(Some("Runs"), vec![Block::Table(table)]))
}

fn head(number: usize, run: &EnergyRun) -> String {
    match run.exit_code {
        Some(0) if run.joules.is_none() => format!("{number} (energy not known, in no mean)"),
        Some(0) => number.to_string(),
        Some(code) => format!("{number} (exit code {code}, in no mean)"),
        None => format!("{number} (ended by a signal, in no mean)"),
    }
}

fn cells(run: &EnergyRun) -> Vec<Cell> {
    let cell = |quantity, found: Option<EstimateDocument>| {
        found.map_or(Cell::Nothing, |found| estimate(quantity, found).into())
    };
    vec![
        Cell::number(Quantity::Seconds, run.duration_s),
        cell(Quantity::Watts, run.watts),
        cell(Quantity::Joules, run.joules),
        cell(Quantity::Joules, run.joules_above_idle),
        cell(Quantity::JoulesPerGigabyte, run.joules_per_gb),
    ]
}
