//! What was read beside the runs, as a table: before, meanwhile and after.

use std::fmt::Write as _;

use super::Escaped;
use super::numbers_table::run_heads;
use crate::gauged::reading;
use crate::run::Comparison;
use drivelab_analysis::Gauged;

/// Whether anything was read beside any run.
pub(super) fn is_known(comparison: &Comparison) -> bool {
    comparison.runs.iter().any(|run| run.gauges.iter().any(Gauged::is_known))
}

/// One row for each gauge, one column for each run.
pub(super) fn table(page: &mut String, comparison: &Comparison) {
    page.push_str(
        "<p class=\"fine\">Mean over the measured phase; small: before the first phase and after the last. \
         The files machine.csv and power.csv in each run's folder hold every reading.</p>\n\
         <div class=\"scroller\" tabindex=\"0\"><table>",
    );
    run_heads(page, comparison, "Gauge");
    page.push_str("<tbody>\n");
    for (name, unit) in names(comparison) {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", Escaped(name));
        for run in &comparison.runs {
            let found = run.gauges.iter().find(|gauge| gauge.name == name && gauge.unit == unit);
            cell(page, found);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn cell(page: &mut String, gauge: Option<&Gauged>) {
    let Some(Gauged { unit, course, .. }) = gauge else {
        page.push_str("<td>-</td>");
        return;
    };
    let [before, during, after] =
        [course.before(), course.during(), course.after()].map(|value| reading(value, unit));
    let _ = write!(
        page,
        "<td>{} <small>{}, {}</small></td>",
        Escaped(&during),
        Escaped(&before),
        Escaped(&after)
    );
}

/// Every gauge of any run, once.
fn names<'a>(comparison: &'a Comparison) -> Vec<(&'a str, &'a str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for gauge in comparison.runs.iter().flat_map(|run| &run.gauges).filter(|gauge| gauge.is_known()) {
        let key = (gauge.name.as_str(), gauge.unit.as_str());
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}
