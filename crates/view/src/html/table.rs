//! Tables that are no list of figures.

use maud::{Markup, html};

use super::cells::{self, Bars, CellLook};
use super::context::Context;
use super::figures::column_head;
use super::shades::{self, Shades};
use crate::{Cell, Quantity, Row, Table};

/// A table with its caption and its notes.
pub(super) fn table(context: &Context, table: &Table) -> Markup {
    let cells = || table.rows.iter().flat_map(|row| &row.cells);
    html! {
        div class="scroller" tabindex="0" role="region" aria-label=(table.caption) {
            table class="typed" {
                @if !table.caption.is_empty() { caption { (table.caption) } }
                thead {
                    tr {
                        th scope="col" { (table.corner) }
                        @for (place, column) in table.columns.iter().enumerate() {
                            @let has_values = column_cells(table, place).any(|cell| cell.value().is_some());
                            (column_head(&column.head, column.quantity.unit().filter(|_| has_values), !has_values))
                        }
                    }
                }
                @for rows in table.rows.chunk_by(|one, next| one.group == next.group) { (body(context, table, rows)) }
            }
        }
        (cells::explanations(cells(), false))
        (cells::notes(&table.notes))
        @if table.shading.is_some() && cells().any(|cell| cell.value().is_some()) { (shades::key(table)) }
    }
}

fn column_cells(table: &Table, place: usize) -> impl Iterator<Item = &Cell> + Clone {
    table.rows.iter().filter_map(move |row| row.cells.get(place))
}

/// Rows of one group.
fn body(context: &Context, table: &Table, rows: &[Row]) -> Markup {
    let group = rows.first().and_then(|row| row.group.as_deref());
    let columns: Vec<_> =
        (0..table.columns.len()).map(|place| HtmlColumn::from_table(table, place)).collect();
    html! {
        tbody {
            @if let Some(group) = group {
                tr class="group" { th scope="rowgroup" colspan=(table.columns.len() + 1) { span { (group) } } }
            }
            @for row in rows {
                @let shades = Shades::from_row(table, rows, row);
                tr data-subject=[row.subject] {
                    th scope="row" { (context.mark(row.subject)) (row.head) }
                    @for (place, (cell, column)) in row.cells.iter().zip(&columns).enumerate() {
                        td class=[column.class().or_else(|| shades.class(cell, table.columns[place].better))] {
                            (cells::content(cell, &column.look(cell)))
                        }
                    }
                }
            }
        }
    }
}

/// What the cells of a column share.
struct HtmlColumn {
    quantity: Quantity,
    /// Whether none of its cells holds a value.
    is_words: bool,
    bars: Option<Bars>,
}

impl HtmlColumn {
    fn from_table(table: &Table, place: usize) -> HtmlColumn {
        let column = &table.columns[place];
        HtmlColumn {
            quantity: column.quantity,
            is_words: column_cells(table, place).all(|cell| cell.value().is_none()),
            bars: column.has_bars.then(|| Bars::from_cells(column_cells(table, place))),
        }
    }

    fn class(&self) -> Option<&'static str> {
        self.is_words.then_some("words")
    }

    fn look(&self, cell: &Cell) -> CellLook {
        let bar = self.bars.as_ref().and_then(|bars| bars.share(cell));
        CellLook { quantity: self.quantity, is_best: false, bar }
    }
}
