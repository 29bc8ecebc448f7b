//! The delays that fault plans put into simulated drives: what a method has to find.

use std::fmt::Write as _;

use super::Escaped;
use super::swatch::Swatch;
use crate::format::{bytes, nanos, whole};
use crate::run::{Comparison, InjectedDelay, RunReport};

/// Rows a run; the JSON document has all.
const ROWS: usize = 50;

/// A table of the delays of every simulated run; nothing where none was put in.
pub(super) fn section(page: &mut String, comparison: &Comparison) {
    let of = |run: &RunReport| run.simulation.as_ref().map_or(0, |truth| truth.injected_delays.len());
    if comparison.runs.iter().all(|run| of(run) == 0) {
        return;
    }
    page.push_str(
        "<section aria-labelledby=\"delays-title\">\n<h2 id=\"delays-title\">Injected delays</h2>\n\
         <p class=\"fine\">What the simulated drive was told to do, to hold the figures against.</p>\n\
         <details><summary>Every delay</summary>\n\
         <div class=\"scroller\" tabindex=\"0\"><table id=\"delays\">\n\
         <thead><tr><th scope=\"col\">At</th><th scope=\"col\">Lasted</th>\
         <th scope=\"col\">Written since the one before</th></tr></thead>\n<tbody>\n",
    );
    for (index, run) in comparison.runs.iter().enumerate() {
        if let Some(truth) = &run.simulation {
            rows(page, run, index, &truth.injected_delays);
        }
    }
    page.push_str("</tbody></table></div></details></section>\n");
}

fn rows(page: &mut String, run: &RunReport, index: usize, delays: &[InjectedDelay]) {
    let swatch = Swatch(index);
    let _ = writeln!(
        page,
        "<tr class=\"group\"><th scope=\"rowgroup\">{swatch}{}</th><td colspan=\"2\"></td></tr>",
        Escaped(&run.label)
    );
    for delay in delays.iter().take(ROWS) {
        let since = delay.bytes_since_previous.map_or_else(|| "-".to_owned(), bytes);
        let lasted = nanos(delay.duration_ns as f64);
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{:.3} s</th><td>{lasted}</td><td>{since}</td></tr>",
            delay.at_s
        );
    }
    if let Some(more) = delays.len().checked_sub(ROWS).filter(|more| *more > 0) {
        let more = whole(more as u64);
        let _ = writeln!(page, "<tr><th scope=\"row\">and {more} more</th><td colspan=\"2\"></td></tr>");
    }
}
