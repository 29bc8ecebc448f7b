//! Figures and tables as CSV.

use super::field;
use super::sheet::{Sheet, SheetColumns};
use crate::{Cell, Figures, Subject, Table};

/// Figures: a row for each subject, a column for each figure, which is called by its group and its name.
pub(super) fn figures(figures: &Figures, subjects: &[Subject]) -> String {
    let has_subjects = figures.subjects > 1;
    let of_figure = |figure: &crate::Figure| {
        SheetColumns::from_cells(&[&figure.group, &figure.name], figure.quantity, figure.cells.iter())
    };
    let columns: Vec<SheetColumns> = figures.rows.iter().map(of_figure).collect();
    let heads = has_subjects
        .then(|| "subject".to_owned())
        .into_iter()
        .chain(columns.iter().flat_map(SheetColumns::heads));
    let mut sheet = Sheet::new(heads.collect());
    for index in 0..figures.subjects {
        let mut fields = Vec::new();
        if has_subjects {
            fields.push(label(subjects, Some(index)));
        }
        for (figure, columns) in figures.rows.iter().zip(&columns) {
            fields.extend(columns.fields(figure.cells.get(index).unwrap_or(&Cell::Nothing)));
        }
        sheet.row(fields);
    }
    sheet.finish()
}

/// A table: a row for each of its rows, with group and subject in columns where there are any.
pub(super) fn table(table: &Table, subjects: &[Subject]) -> String {
    let has_groups = table.rows.iter().any(|row| row.group.is_some());
    let has_subjects = subjects.len() > 1 && table.rows.iter().any(|row| row.subject.is_some());
    let columns: Vec<SheetColumns> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = table.rows.iter().filter_map(move |row| row.cells.get(index));
            SheetColumns::from_cells(&[&column.head], column.quantity, cells)
        })
        .collect();
    let corner = if table.corner.is_empty() { "row" } else { &table.corner };
    let mut heads = Vec::new();
    heads.extend(has_groups.then(|| "group".to_owned()));
    heads.extend(has_subjects.then(|| "subject".to_owned()));
    heads.push(field::head(&[corner], ""));
    heads.extend(columns.iter().flat_map(SheetColumns::heads));
    let mut sheet = Sheet::new(heads);
    for row in &table.rows {
        let mut fields = Vec::new();
        fields.extend(has_groups.then(|| row.group.as_deref().map_or_else(String::new, field::text)));
        fields.extend(has_subjects.then(|| label(subjects, row.subject)));
        fields.push(field::text(&row.head));
        for (index, columns) in columns.iter().enumerate() {
            fields.extend(columns.fields(row.cells.get(index).unwrap_or(&Cell::Nothing)));
        }
        sheet.row(fields);
    }
    sheet.finish()
}

/// The label of a subject as a field.
pub(super) fn label(subjects: &[Subject], subject: Option<usize>) -> String {
    let subject = subject.and_then(|subject| subjects.get(subject));
    subject.map_or_else(String::new, |subject| field::text(&subject.label))
}
