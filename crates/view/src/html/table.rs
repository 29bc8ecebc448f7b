//! Figures of one subject as lists, of several as tables with a subject in each row; other tables, and the colours of their
//! values by the distance from the best.

use maud::{Markup, html};

use super::cells::{self, CellLook, HtmlColumn, column_head};
use super::context::Context;
use crate::bins::ends;
use crate::{Better, Cell, Column, Figure, Figures, Ranking, Row, Shading, Table};

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

pub(super) fn figures(context: &Context, figures: &Figures) -> Markup {
    let cells = || figures.rows.iter().flat_map(|figure| &figure.cells);
    let has_best = figures.rows.iter().any(|figure| !figures.best(figure).is_empty());
    html! {
        @if figures.subjects == 1 {
            div class="lists" { @for (group, rows) in figures.groups() { (list(group, rows)) } }
        } @else {
            @if let Ranking::NotRanked(reason) = &figures.ranking { p class="not-ranked" { (reason) } }
            @for (group, rows) in figures.groups() { (group_table(context, figures, group, rows)) }
        }
        (cells::explanations(cells(), has_best))
        (cells::notes(&figures.notes))
    }
}

/// The figures of one subject: a name and a value in each row.
fn list(group: &str, rows: &[Figure]) -> Markup {
    let value = |figure: &Figure| {
        let cell = figure.cells.first().unwrap_or(&Cell::Nothing);
        let look = CellLook { quantity: figure.quantity, is_best: false, bar: None };
        cell.value().map_or_else(|| cells::content(cell, &look), cells::with_unit)
    };
    cells::list(group, rows.iter().map(|figure| (figure.name.as_str(), value(figure))))
}

fn group_table(context: &Context, figures: &Figures, group: &str, rows: &[Figure]) -> Markup {
    let best: Vec<Vec<usize>> = rows.iter().map(|figure| figures.best(figure)).collect();
    let is_ranked = figures.ranking == Ranking::Ranked;
    let column = |figure: &Figure| {
        let has_bars = is_ranked && figure.better != Better::Neither;
        HtmlColumn::from_cells(figure.quantity, figure.cells.iter(), has_bars)
    };
    let columns: Vec<_> = rows.iter().map(column).collect();
    html! {
        div class="scroller" tabindex="0" role="region" aria-label=(group) {
            table class="figures" {
                caption { (group) }
                thead {
                    tr {
                        th scope="col" {}
                        @for figure in rows { (column_head(&figure.name, figure.quantity.unit(), false)) }
                    }
                }
                tbody {
                    @for (place, subject) in context.view.subjects.iter().enumerate().take(figures.subjects) {
                        tr data-subject=(place) {
                            th scope="row" { (context.mark(Some(place))) (subject.label) }
                            @for (figure, (best, column)) in rows.iter().zip(best.iter().zip(&columns)) {
                                @let cell = figure.cells.get(place).unwrap_or(&Cell::Nothing);
                                td { (cells::content(cell, &column.look(cell, best.contains(&place)))) }
                            }
                        }
                    }
                }
            }
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
