//! Charts, into whose places the page's program draws, and catalogues. Rows, values and links of these are markup; the page's
//! program sorts, filters and compares them.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::cells::{self, HtmlColumn};
use super::context::{Context, place};
use crate::chart::{Series, Size};
use crate::{Better, Catalogue, CatalogueCell, CatalogueRow, CatalogueSource, Cell, Chart, Column, Quantity};

/// The size of a small picture, in its own units.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 24.0;

/// As many results of a row are shown without a click.
const SOURCES_OPEN: usize = 4;

/// A catalogue with the places of its switches and of the chart of the rows that are compared.
pub(super) fn catalogue(context: &Context, catalogue: &Catalogue) -> Markup {
    let column = |(place, column): (usize, &Column)| {
        let cells = catalogue.rows.iter().map(|row| &row.cells[place].cell);
        HtmlColumn::from_cells(column.quantity, cells, false)
    };
    let shown = catalogue.columns.iter().enumerate().map(column);
    let columns: Vec<(&Column, HtmlColumn)> = catalogue.columns.iter().zip(shown).collect();
    html! {
        div class="catalogue" id=(place(context.anchor, &catalogue.id)) {
            div class="catalogue-tools" hidden {}
            @if let Some(curves) = &catalogue.curves {
                div class="catalogue-curves" hidden { (chart(context, curves)) }
            }
            div class="scroller" tabindex="0" role="region" aria-label=(catalogue.caption) {
                table class="typed catalogued" {
                    caption { (catalogue.caption) }
                    thead {
                        tr {
                            th scope="col" { (catalogue.corner) }
                            @if let Some(curves) = &catalogue.curves { th scope="col" class="words curve" { (curves.title) } }
                            @for (column, shown) in &columns { (shown.head(&column.head)) }
                            th scope="col" class="words" { "Results" }
                        }
                    }
                    tbody {
                        @for (place, one) in catalogue.rows.iter().enumerate() {
                            (row(one, catalogue.curves.as_ref().map(|curves| (curves, place)), &columns))
                        }
                    }
                }
            }
            (cells::explanations(catalogue.rows.iter().flat_map(|row| &row.cells).map(|cell| &cell.cell), false))
            (cells::notes(&catalogue.notes))
        }
    }
}

/// A cell with its number for the page's program, and by which other ones it is compared.
fn cell(cell: &CatalogueCell, (column, shown): (&Column, &HtmlColumn)) -> Markup {
    let number = cell.cell.value().map(|value| value.number).filter(|number| number.is_finite());
    let better = match column.better {
        Better::High => Some("high"),
        Better::Low => Some("low"),
        Better::Neither => None,
    };
    html! {
        td class=[shown.class()] data-value=[number] data-comparable=[cell.comparable]
            data-better=[better.filter(|_| cell.comparable.is_some())] {
            @if cell.differs { span class="differs" title="measured differently than most" { "≠" } }
            @if cell.cell != Cell::Nothing { (cells::content(&cell.cell, &shown.look(&cell.cell, false))) }
        }
    }
}

fn row(row: &CatalogueRow, curve: Option<(&Chart, usize)>, columns: &[(&Column, HtmlColumn)]) -> Markup {
    html! {
        tr {
            th scope="row" { (row.head) @if !row.about.is_empty() { " " small { (row.about) } } }
            @if let Some((curves, place)) = curve {
                td class="curve" {
                    @if let Some(series) = curves.series.iter().find(|series| series.subject == place) {
                        (picture(series, curves.up.quantity))
                    }
                }
            }
            @for (one, (column, shown)) in row.cells.iter().zip(columns) { (cell(one, (column, shown))) }
            td class="words sources" { (sources(&row.sources)) }
        }
    }
}

/// The results of a row; many are folded, so that the row is no higher than others.
fn sources(sources: &[CatalogueSource]) -> Markup {
    let all = html! { @for one in sources { (source(one)) } };
    if sources.len() <= SOURCES_OPEN {
        return all;
    }
    let differing = sources.iter().filter(|source| !source.differing.is_empty()).count();
    html! {
        details {
            summary {
                (sources.len()) " results"
                @if differing > 0 { small class="differing" { "≠ " (differing) " of them" } }
            }
            (all)
        }
    }
}

fn source(source: &CatalogueSource) -> Markup {
    html! {
        div data-folder=(source.folder) {
            @match &source.link {
                Some(link) => { a href=(link) { (source.name) } }
                None => { (source.name) }
            }
            @if !source.remark.is_empty() { " " small { (source.remark) } }
            @if !source.differing.is_empty() { small class="differing" { "≠ " (source.differing.join(", ")) } }
        }
    }
}

/// A series as a small picture from zero to its highest value.
fn picture(series: &Series, quantity: Quantity) -> Markup {
    let most = series.ys.iter().fold(0.0, f64::max);
    let mut points = String::new();
    for (place, value) in series.ys.iter().enumerate() {
        let x = WIDTH * (place as f64 + 0.5) / series.ys.len() as f64;
        let y = if most > 0.0 { HEIGHT * (1.0 - value / most) } else { HEIGHT };
        let _ = write!(points, "{x:.0},{y:.1} ");
    }
    let view_box = format!("0 -1 {WIDTH} {}", HEIGHT + 2.0);
    html! {
        svg class="spark" viewBox=(view_box) role="img" aria-label={ "at most " (quantity.text(most)) } {
            polyline points=(points.trim_end()) {}
        }
    }
}

/// The figure of a chart: its title, what has to be said of it, and the places of its parts.
pub(super) fn chart(context: &Context, chart: &Chart) -> Markup {
    let class = match chart.size {
        Size::Wide => "chart wide",
        Size::Small => "chart small",
    };
    html! {
        figure class=(class) id=(place(context.anchor, &chart.id)) {
            figcaption {
                @if context.heading == 3 { h3 { (chart.title) } } @else { h4 { (chart.title) } }
                (cells::notes(&chart.notes))
            }
            div class="tools" {}
            div class="legend" {}
            div class="plot" role="img" aria-label=(chart.about) {}
            p class="readout" aria-live="off" {}
            noscript { p class="fine" { "This chart needs scripts: they are switched off, or not allowed here." } }
        }
    }
}
