//! Figures and tables in Markdown.

use super::MarkdownDocument;
use super::escape::{inline, paragraph};
use super::grid::{MarkdownGrid, cell};
use crate::cell_text::{CellText, column_head, figure_cell, row_head};
use crate::{Cell, Figure, Figures, Ranking, Subject, Table};

impl MarkdownDocument<'_> {
    /// Figures: a table with the figures in rows for one subject, a table of each group with the subjects in rows for several.
    pub(super) fn figures(&mut self, figures: &Figures, subjects: &[Subject]) {
        if figures.subjects > 1 {
            for (group, rows) in figures.groups() {
                self.compared(figures, (group, rows), subjects);
            }
            if let Ranking::NotRanked(why) = &figures.ranking {
                self.paragraph(&paragraph(why));
            }
        } else {
            self.listed(figures);
        }
        self.notes(&figures.notes);
    }

    fn listed(&mut self, figures: &Figures) {
        let mut grid = MarkdownGrid::new([("Group", false), ("Figure", false), ("Value", true)].map(owned));
        for (group, rows) in figures.groups() {
            for (index, figure) in rows.iter().enumerate() {
                let shown = CellText::alone(figure.cells.first().unwrap_or(&Cell::Nothing));
                // The name of a group stands once, in its first row.
                let group = if index == 0 { inline(group) } else { String::new() };
                grid.row([group, inline(&figure.name), cell(&shown, &mut self.marks)]);
            }
        }
        grid.write(&mut self.text);
    }

    fn compared(&mut self, figures: &Figures, (group, rows): (&str, &[Figure]), subjects: &[Subject]) {
        let heads = rows.iter().map(|figure| {
            let is_number = figure.cells.iter().any(|cell| cell.value().is_some());
            (column_head(&figure.name, figure.quantity), is_number)
        });
        let mut grid = MarkdownGrid::new([(group.to_owned(), false)].into_iter().chain(heads));
        for index in 0..figures.subjects {
            let label = subjects.get(index).map_or_else(String::new, |subject| inline(&subject.label));
            let mut cells = vec![label];
            for figure in rows {
                let shown = figure_cell(figure, index, &figures.best(figure));
                cells.push(cell(&shown, &mut self.marks));
            }
            grid.row(cells);
        }
        grid.write(&mut self.text);
    }

    /// A table below its caption; groups of rows are a column.
    pub(super) fn table(&mut self, table: &Table, subjects: &[Subject]) {
        self.paragraph(&bold(&table.caption));
        let has_groups = table.rows.iter().any(|row| row.group.is_some());
        let groups = has_groups.then(|| ("Group".to_owned(), false));
        let heads = table.columns.iter().enumerate().map(|(index, column)| {
            let cells = || table.rows.iter().filter_map(|row| row.cells.get(index));
            (column_head(&column.head, column.quantity), cells().any(|cell| cell.value().is_some()))
        });
        let heads = groups.into_iter().chain([(table.corner.clone(), false)]).chain(heads);
        let mut grid = MarkdownGrid::new(heads);
        for row in &table.rows {
            let mut cells = Vec::new();
            if has_groups {
                cells.push(row.group.as_deref().map_or_else(String::new, inline));
            }
            cells.push(inline(&row_head(row, subjects)));
            for (one, column) in row.cells.iter().zip(&table.columns) {
                cells.push(cell(&CellText::in_column(one, column.quantity), &mut self.marks));
            }
            grid.row(cells);
        }
        grid.write(&mut self.text);
        self.notes(&table.notes);
    }
}

fn owned((text, is_number): (&str, bool)) -> (String, bool) {
    (text.to_owned(), is_number)
}

/// A caption; nothing where it is empty.
pub(super) fn bold(caption: &str) -> String {
    let caption = inline(caption);
    if caption.is_empty() { caption } else { format!("**{caption}**") }
}
