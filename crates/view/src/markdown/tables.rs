//! Figures, tables and conditions in Markdown.

use super::MarkdownDocument;
use super::escape::{inline, paragraph};
use super::grid::{MarkdownGrid, cell};
use crate::cell_text::{CellText, Head, row_cells, row_head, table_heads};
use crate::conditions::ConditionRow;
use crate::{Cell, Conditions, Figures, Ranking, Subject, Table};

impl MarkdownDocument {
    /// Figures: a table with the figures in rows for one subject, a table of each group with the subjects in rows for several.
    pub(super) fn figures(&mut self, figures: &Figures, subjects: &[Subject]) {
        if figures.subjects > 1 {
            figures.tables(subjects).iter().for_each(|table| self.table(table, subjects));
            if let Ranking::NotRanked(why) = &figures.ranking {
                self.paragraph(&paragraph(why));
            }
        } else {
            self.listed(figures);
        }
        self.notes(&figures.notes);
    }

    fn listed(&mut self, figures: &Figures) {
        let heads = [Head::words("Group"), Head::words("Figure"), Head::numbers("Value")];
        let mut grid = MarkdownGrid::new(heads);
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

    /// A table below its caption; groups of rows are a column.
    pub(super) fn table(&mut self, table: &Table, subjects: &[Subject]) {
        self.paragraph(&bold(&table.caption));
        let has_groups = table.rows.iter().any(|row| row.group.is_some());
        let groups = has_groups.then(|| Head::words("Group")).into_iter();
        let heads = groups.chain([Head::words(&table.corner)]).chain(table_heads(table));
        let mut grid = MarkdownGrid::new(heads);
        for row in &table.rows {
            let mut cells = Vec::new();
            if has_groups {
                cells.push(row.group.as_deref().map_or_else(String::new, inline));
            }
            cells.push(inline(&row_head(row, subjects)));
            cells.extend(row_cells(table, row).map(|one| cell(&one, &mut self.marks)));
            grid.row(cells);
        }
        grid.write(&mut self.text);
        self.notes(&table.notes);
    }

    /// Conditions: what all subjects share once, then what differs with a column for each.
    pub(super) fn conditions(&mut self, conditions: &Conditions, subjects: &[Subject]) {
        let rows = conditions.rows();
        let (differing, shared): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.differs());
        let several = conditions.of_subjects.len() > 1;
        if several && !shared.is_empty() {
            self.paragraph("**Conditions that are the same for all**");
        }
        self.condition_rows(&shared, vec!["Value".to_owned()], |row| vec![inline(&row.shared())]);
        if !differing.is_empty() {
            self.paragraph("**Conditions that differ**");
            let label =
                |index| subjects.get(index).map_or_else(String::new, |one: &Subject| one.label.clone());
            let heads: Vec<_> = (0..conditions.of_subjects.len()).map(label).collect();
            let of_each = |row: &ConditionRow<'_>| {
                let values = row.values.iter();
                values.map(|value| value.map_or_else(|| "-".to_owned(), inline)).collect()
            };
            self.condition_rows(&differing, heads, of_each);
        }
    }

    fn condition_rows(
        &mut self,
        rows: &[&ConditionRow<'_>],
        values: Vec<String>,
        of: impl Fn(&ConditionRow<'_>) -> Vec<String>,
    ) {
        let heads = ["Group", "Condition"].map(Head::words).into_iter();
        let mut grid = MarkdownGrid::new(heads.chain(values.into_iter().map(Head::words)));
        for row in rows {
            grid.row([inline(row.group), inline(row.name)].into_iter().chain(of(row)));
        }
        grid.write(&mut self.text);
    }
}

/// A caption; nothing where it is empty.
pub(super) fn bold(caption: &str) -> String {
    let caption = inline(caption);
    if caption.is_empty() { caption } else { format!("**{caption}**") }
}
