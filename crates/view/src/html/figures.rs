//! Figures of one subject as lists, of several as tables with a subject in each row.

use maud::{Markup, html};

use super::cells::{self, CellLook, HtmlColumn, column_head};
use super::context::Context;
use crate::{Better, Cell, Figure, Figures, Ranking};

/// The figures of a view.
pub(super) fn figures(context: &Context, figures: &Figures) -> Markup {
    let cells = || figures.rows.iter().flat_map(|figure| &figure.cells);
    let has_best = figures.rows.iter().any(|figure| !figures.best(figure).is_empty());
    html! {
        @if figures.subjects == 1 {
            div class="lists" { @for (group, rows) in figures.groups() { (list(group, rows)) } }
        } @else {
            @if let Ranking::NotRanked(reason) = &figures.ranking { p class="not-ranked" { (reason) } }
            @for (group, rows) in figures.groups() { (table(context, figures, group, rows)) }
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

/// One group of figures of several subjects.
fn table(context: &Context, figures: &Figures, group: &str, rows: &[Figure]) -> Markup {
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
