//! The place of a chart; the page's program draws into it.

use maud::{Markup, html};

use super::cells::notes;
use super::context::{Context, place};
use crate::Chart;
use crate::chart::Size;

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
                (notes(&chart.notes))
            }
            div class="tools" {}
            div class="legend" {}
            div class="plot" role="img" aria-label=(chart.about) {}
            p class="readout" aria-live="off" {}
            noscript { p class="fine" { "This chart needs scripts: they are switched off, or not allowed here." } }
        }
    }
}
