//! Tables on the terminal.

use super::canvas::TextCanvas;
use super::grid::{Grid, GridLine, Head};
use super::style::Ink;
use crate::cell_text::{CellText, column_head, row_head};
use crate::{Subject, Table};

/// A table below its caption.
pub(super) fn table(canvas: &mut TextCanvas, table: &Table, subjects: &[Subject]) {
    if !table.caption.is_empty() {
        canvas.paragraph(0, Ink::Strong, &table.caption);
    }
    let columns = table.columns.iter().enumerate().map(|(index, column)| {
        let cells = || table.rows.iter().filter_map(|row| row.cells.get(index));
        Head {
            text: column_head(&column.head, column.quantity),
            is_number: cells().any(|cell| cell.value().is_some()),
        }
    });
    let columns = columns.collect();
    let mut lines = Vec::new();
    let mut group = None;
    for row in &table.rows {
        if row.group != group {
            group.clone_from(&row.group);
            lines.extend(group.clone().map(GridLine::Group));
        }
        let cells = row.cells.iter().zip(&table.columns);
        let cells = cells.map(|(cell, column)| CellText::in_column(cell, column.quantity)).collect();
        lines.push(GridLine::Row { head: row_head(row, subjects), cells });
    }
    Grid { corner: table.corner.clone(), columns, lines }.write(canvas);
    table.notes.iter().for_each(|note| canvas.paragraph(0, Ink::Faint, note));
}
