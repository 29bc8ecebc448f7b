//! Figures and tables as CSV.

use super::field;
use super::sheet::Sheet;
use crate::{Cell, Figures, Subject, Table};

/// Figures: a row for each subject, a column for each figure, which is called by its group and its name.
pub(super) fn figures(figures: &Figures, subjects: &[Subject]) -> String {
    let mut sheet = Sheet::default();
    if figures.subjects > 1 {
        sheet.column("subject", (0..figures.subjects).map(|index| label(subjects, Some(index))));
    }
    for figure in &figures.rows {
        let cell = |index| figure.cells.get(index).unwrap_or(&Cell::Nothing);
        let cells: Vec<&Cell> = (0..figures.subjects).map(cell).collect();
        sheet.cells(&[&figure.group, &figure.name], figure.quantity, &cells);
    }
    sheet.finish()
}

/// A table: a row for each of its rows, with group and subject in columns where there are any.
pub(super) fn table(table: &Table, subjects: &[Subject]) -> String {
    let mut sheet = Sheet::default();
    if table.rows.iter().any(|row| row.group.is_some()) {
        let group = |row: &crate::Row| row.group.as_deref().map_or_else(String::new, field::text);
        sheet.column("group", table.rows.iter().map(group));
    }
    if subjects.len() > 1 && table.rows.iter().any(|row| row.subject.is_some()) {
        sheet.column("subject", table.rows.iter().map(|row| label(subjects, row.subject)));
    }
    let corner = if table.corner.is_empty() { "row" } else { &table.corner };
    sheet.column(&field::head(&[corner], ""), table.rows.iter().map(|row| field::text(&row.head)));
    for (index, column) in table.columns.iter().enumerate() {
        let cells: Vec<&Cell> =
            table.rows.iter().map(|row| row.cells.get(index).unwrap_or(&Cell::Nothing)).collect();
        sheet.cells(&[&column.head], column.quantity, &cells);
    }
    sheet.finish()
}

pub(super) fn label(subjects: &[Subject], subject: Option<usize>) -> String {
    let subject = subject.and_then(|subject| subjects.get(subject));
    subject.map_or_else(String::new, |subject| field::text(&subject.label))
}
