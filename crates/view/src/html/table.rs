//! Tables that are no list of figures.

use maud::{Markup, html};

use super::cells::{self, HtmlColumn};
use super::context::Context;
use super::shades::{self, Shades};
use crate::{Column, Row, Table};

/// A table with its caption and its notes.
pub(super) fn table(context: &Context, table: &Table) -> Markup {
    let cells = || table.rows.iter().flat_map(|row| &row.cells);
    let column = |(place, column): (usize, &Column)| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(place));
        HtmlColumn::from_cells(column.quantity, cells, column.has_bars)
    };
    let columns: Vec<_> = table.columns.iter().enumerate().map(column).collect();
    html! {
        div class="scroller" tabindex="0" role="region" aria-label=(table.caption) {
            table class="typed" {
                @if !table.caption.is_empty() { caption { (table.caption) } }
                thead {
                    tr {
                        th scope="col" { (table.corner) }
                        @for (shown, column) in columns.iter().zip(&table.columns) { (shown.head(&column.head)) }
                    }
                }
                @for rows in table.rows.chunk_by(|one, next| one.group == next.group) { (body(context, table, &columns, rows)) }
            }
        }
        (cells::explanations(cells(), false))
        (cells::notes(&table.notes))
        @if table.shading.is_some() && cells().any(|cell| cell.value().is_some()) { (shades::key(table)) }
    }
}

/// Rows of one group.
fn body(context: &Context, table: &Table, columns: &[HtmlColumn], rows: &[Row]) -> Markup {
    let group = rows.first().and_then(|row| row.group.as_deref());
    html! {
        tbody {
            @if let Some(group) = group {
                tr class="group" { th scope="rowgroup" colspan=(table.columns.len() + 1) { span { (group) } } }
            }
            @for row in rows {
                @let shades = Shades::from_row(table, rows, row);
                tr data-subject=[row.subject] {
                    th scope="row" { (context.mark(row.subject)) (row.head) }
                    @for (place, (cell, column)) in row.cells.iter().zip(columns).enumerate() {
                        td class=[column.class().or_else(|| shades.class(cell, table.columns[place].better))] {
                            (cells::content(cell, &column.look(cell, false)))
                        }
                    }
                }
            }
        }
    }
}
