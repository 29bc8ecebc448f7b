//! Under what conditions the runs were made, and through which phases they went.

use std::fmt::Write as _;

use super::Escaped;
use super::numbers_table::run_heads;
use super::swatch::Swatch;
use crate::condition::Condition;
use crate::format::{bytes, seconds, whole};
use crate::names::{kept_share, loop_word};
use crate::run::{Comparison, RunReport};

/// A phase that lasted less is shown as one of 0.0 s, and what it moved in that time is no speed: a discard
/// only marks blocks as free.
const SHORTEST_S: f64 = 0.05;

/// Every phase of every run.
pub(super) fn phases(page: &mut String, comparison: &Comparison) {
    if comparison.runs.iter().all(|run| run.phases.is_empty()) {
        return;
    }
    page.push_str("<section aria-labelledby=\"phases-title\">\n<h2 id=\"phases-title\">Phases</h2>\n");
    page.push_str("<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-labelledby=\"phases-title\">");
    page.push_str("<table id=\"phases\">\n");
    page.push_str("<thead><tr><th scope=\"col\">Phase</th>");
    for head in ["Lasted", "Moved", "MB/s", "I/Os", "Failed", "Loop"] {
        let _ = write!(page, "<th scope=\"col\">{head}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (index, run) in comparison.runs.iter().enumerate() {
        let swatch = Swatch(index);
        let _ = writeln!(
            page,
            "<tr class=\"group\"><th scope=\"rowgroup\">{swatch}{}</th><td colspan=\"6\"></td></tr>",
            Escaped(&run.label)
        );
        phase_rows(page, run);
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn phase_rows(page: &mut String, run: &RunReport) {
    for phase in &run.phases {
        let lasted = phase.lasted.as_secs_f64();
        if run.withheld.is_some() {
            let _ = writeln!(
                page,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>-</td><td>-</td><td>-</td><td>-</td><td>{}</td></tr>",
                Escaped(&phase.name),
                seconds(lasted),
                loop_word(phase.loop_kind)
            );
            continue;
        }
        let rate = if lasted >= SHORTEST_S {
            format!("{:.1}", phase.bytes.get() as f64 / 1e6 / lasted)
        } else {
            "-".to_owned()
        };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{rate}</td><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            Escaped(&phase.name),
            seconds(lasted),
            bytes(phase.bytes.get()),
            whole(phase.completed),
            whole(phase.failed),
            loop_word(phase.loop_kind)
        );
    }
}

/// The conditions of all runs; rows that differ are marked.
pub(super) fn section(page: &mut String, comparison: &Comparison) {
    if comparison.runs.is_empty() {
        return;
    }
    let of_runs: Vec<Vec<Condition>> = comparison.runs.iter().map(with_own).collect();
    page.push_str(
        "<section aria-labelledby=\"conditions-title\">\n<h2 id=\"conditions-title\">Conditions</h2>\n",
    );
    page.push_str(
        "<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-labelledby=\"conditions-title\">",
    );
    page.push_str("<table id=\"conditions\" class=\"words\">\n");
    run_heads(page, comparison, "Condition");
    page.push_str("<tbody>\n");
    let mut group: Option<&str> = None;
    let mut any_differs = false;
    for (row_group, name) in keys(&of_runs) {
        if group != Some(row_group) {
            group = Some(row_group);
            let _ = writeln!(
                page,
                "<tr class=\"group\"><th scope=\"rowgroup\">{}</th><td colspan=\"{}\"></td></tr>",
                Escaped(row_group),
                of_runs.len()
            );
        }
        any_differs |= condition_row(page, &of_runs, row_group, name);
    }
    page.push_str("</tbody></table></div>\n");
    if any_differs {
        page.push_str("<p class=\"fine\">≠ marks conditions that differ between the runs.</p>\n");
    }
    page.push_str("</section>\n");
}

/// What every run has, before the conditions that it names itself.
fn with_own(run: &RunReport) -> Vec<Condition> {
    let own = |name: &str, value: String| Condition { group: "Run".to_owned(), name: name.to_owned(), value };
    let mut all = vec![
        own("Method", run.method.clone()),
        own("Target", run.target.clone()),
        own("Model", run.drive.model.clone()),
        own("Serial number", run.drive.serial.clone().unwrap_or_else(|| "-".to_owned())),
        own("User-accessible size", bytes(run.drive.size_bytes)),
        own("User-accessible bytes", whole(run.drive.size_bytes)),
        own("Kept back", kept_share(run)),
        own("Seed", run.seed.to_string()),
    ];
    if let Some(folder) = &run.folder {
        all.push(own("Folder", folder.clone()));
    }
    // What the run names itself is not said twice.
    all.retain(|own| !run.conditions.iter().any(|named| named.name == own.name));
    all.extend(run.conditions.iter().cloned());
    all
}

/// The rows: every group in the order of its first mention, and every name inside it.
fn keys(of_runs: &[Vec<Condition>]) -> Vec<(&str, &str)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for condition in of_runs.iter().flatten() {
        let place = groups.iter().position(|(group, _)| *group == condition.group).unwrap_or_else(|| {
            groups.push((&condition.group, Vec::new()));
            groups.len() - 1
        });
        if !groups[place].1.contains(&condition.name.as_str()) {
            groups[place].1.push(&condition.name);
        }
    }
    groups.into_iter().flat_map(|(group, names)| names.into_iter().map(move |name| (group, name))).collect()
}

/// Writes a row and says whether its values differ.
fn condition_row(page: &mut String, of_runs: &[Vec<Condition>], group: &str, name: &str) -> bool {
    let value = |conditions: &'_ [Condition]| {
        let found: Vec<&str> = conditions
            .iter()
            .filter(|condition| condition.group == group && condition.name == name)
            .map(|condition| condition.value.as_str())
            .collect();
        if found.is_empty() { "-".to_owned() } else { found.join("; ") }
    };
    let values: Vec<String> = of_runs.iter().map(|conditions| value(conditions)).collect();
    let differs = values.iter().any(|value| *value != values[0]);
    let (class, mark) = if differs {
        (" class=\"differs\"", " <abbr title=\"differs between the runs\">≠</abbr>")
    } else {
        ("", "")
    };
    let _ = write!(page, "<tr{class}><th scope=\"row\">{}{mark}</th>", Escaped(name));
    for value in &values {
        let _ = write!(page, "<td>{}</td>", Escaped(value));
    }
    page.push_str("</tr>\n");
    differs
}
