//! Tables that are no list of figures, and the colours of their values by the distance from the best.

use maud::{Markup, html};

use super::cells::{self, HtmlColumn};
use super::context::Context;
use crate::bins::ends;
use crate::{Better, Cell, Column, Row, Shading, Table};

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
        @if table.shading.is_some() && cells().any(|cell| cell.value().is_some()) { (key(table)) }
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

/// From which share of the best value on a value has a colour, with the class of the colour and what it stands for.
const STEPS: [(f64, &str, &str); 6] = [
    (0.95, "near0", "95\u{a0}%"),
    (0.8, "near1", "80\u{a0}%"),
    (0.6, "near2", "60\u{a0}%"),
    (0.4, "near3", "40\u{a0}%"),
    (0.2, "near4", "20\u{a0}%"),
    (0.0, "near5", "less"),
];

/// The extremes of the values that a row's values are compared with.
struct Shades(Option<(f64, f64)>);

impl Shades {
    /// Those of a row, which is one of the rows of its group.
    fn from_row(table: &Table, group: &[Row], row: &Row) -> Shades {
        let rows = match table.shading {
            None => return Shades(None),
            Some(Shading::OfRow) => std::slice::from_ref(row),
            Some(Shading::OfGroup) => group,
        };
        Shades(ends(rows.iter().flat_map(|row| &row.cells).filter_map(number)))
    }

    /// The class of a cell's colour; none where it has no value above zero, or where its values do not judge.
    fn class(&self, cell: &Cell, better: Better) -> Option<&'static str> {
        let ((least, most), number) = (self.0?, number(cell)?);
        let share = match better {
            Better::High => number / most,
            Better::Low => least / number,
            Better::Neither => return None,
        };
        STEPS.iter().find(|(from, ..)| share >= *from).map(|(_, class, _)| *class)
    }
}

fn number(cell: &Cell) -> Option<f64> {
    cell.value().map(|value| value.number).filter(|number| number.is_finite() && *number > 0.0)
}

/// What the colours of a table stand for.
fn key(table: &Table) -> Markup {
    let among = if table.shading == Some(Shading::OfGroup) { "group" } else { "row" };
    html! {
        p class="fine shades" {
            "Colours: at least this share of the best value of the " (among) ": "
            @for (_, class, words) in STEPS { span class=(class) { (words) } " " }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quantity, Value};

    #[test]
    fn a_value_is_coloured_by_its_distance_from_the_best_of_its_row_or_of_its_group() {
        let columns = ["one", "other"].map(|head| Column::new(head, Quantity::Iops).judged(Better::High));
        let mut table = Table::new("rates", "", "", columns.to_vec());
        for numbers in [[100.0, 50.0], [1_000.0, 970.0]] {
            table.row("", numbers.map(|number| Value::new(Quantity::Iops, number).into()).to_vec());
        }
        let mut classes = |shading, better| {
            table.shading = shading;
            let of_row = |row| {
                let shades = Shades::from_row(&table, &table.rows, row);
                row.cells.iter().map(|cell| shades.class(cell, better)).collect::<Vec<_>>()
            };
            table.rows.iter().flat_map(of_row).map(|class| class.unwrap_or("none")).collect::<Vec<_>>()
        };
        assert_eq!(classes(Some(Shading::OfRow), Better::High), ["near0", "near3", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfGroup), Better::High), ["near5", "near5", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfRow), Better::Low), ["near3", "near0", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfRow), Better::Neither), ["none"; 4]);
        assert_eq!(classes(None, Better::High), ["none"; 4]);
    }
}
