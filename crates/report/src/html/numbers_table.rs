//! The numbers of all runs, side by side.

use std::fmt::Write as _;

use super::Escaped;
use super::escape::unbroken;
use super::swatch::Swatch;
use crate::names::{all_steady, judged_parts};
use crate::numbers::{Better, Cell, Row, marked_label, rows};
use crate::ranking::Ranking;
use crate::run::{CLIFF_IN_WORDS, Comparison};

/// The section that holds the table.
pub(super) fn section(page: &mut String, comparison: &Comparison) {
    if comparison.runs.is_empty() {
        return;
    }
    let rows = rows(comparison);
    page.push_str("<section aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n");
    if let Some(sentence) = Ranking::of(comparison).sentence() {
        let _ = writeln!(page, "<p id=\"ranking\">{}</p>", Escaped(&sentence));
    }
    page.push_str(
        "<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-labelledby=\"numbers-title\">",
    );
    page.push_str("<table id=\"numbers\">\n");
    run_heads(page, comparison, "Figure");
    page.push_str("<tbody>\n");
    let mut group = String::new();
    for row in &rows {
        if row.group != group {
            group.clone_from(&row.group);
            let _ = writeln!(
                page,
                "<tr class=\"group\"><th scope=\"rowgroup\">{group}</th><td colspan=\"{}\"></td></tr>",
                row.cells.len()
            );
        }
        table_row(page, row);
    }
    page.push_str("</tbody></table></div>\n");
    legend(page, comparison, &rows);
    page.push_str("</section>\n");
}

/// A head with one column a run.
pub(super) fn run_heads(page: &mut String, comparison: &Comparison, first: &str) {
    let _ = write!(page, "<thead><tr><th scope=\"col\">{first}</th>");
    for (index, run) in comparison.runs.iter().enumerate() {
        let (swatch, label) = (Swatch(index), unbroken(&marked_label(run)));
        let label = Escaped(&label);
        let _ = write!(page, "<th scope=\"col\">{swatch}{label}</th>");
    }
    page.push_str("</tr></thead>\n");
}

fn table_row(page: &mut String, row: &Row) {
    let unit = if row.unit == "IOPS" { " <small>IOPS</small>" } else { "" };
    let _ = write!(page, "<tr><th scope=\"row\">{}{unit}</th>", row.name);
    for cell in &row.cells {
        table_cell(page, cell, row.better);
    }
    page.push_str("</tr>\n");
}

fn table_cell(page: &mut String, cell: &Cell, better: Better) {
    let class = match (cell.best, cell.few.is_some()) {
        (true, true) => " class=\"best few\"",
        (true, false) => " class=\"best\"",
        (false, true) => " class=\"few\"",
        (false, false) => "",
    };
    let hint = match (cell.best, better) {
        (true, Better::High) => "<abbr title=\"the highest of the runs\">▲</abbr> ",
        (true, Better::Low) => "<abbr title=\"the lowest of the runs\">▼</abbr> ",
        _ => "",
    };
    let few = match cell.few {
        Some(count) => format!(" <abbr title=\"only {count} I/Os lie beyond\">*</abbr>"),
        None => String::new(),
    };
    let _ = write!(page, "<td{class}>{hint}{}{few}</td>", Escaped(&cell.text));
}

/// What the marks mean, where there are any.
fn legend(page: &mut String, comparison: &Comparison, rows: &[Row]) {
    let any = |pick: &dyn Fn(&Cell) -> bool| rows.iter().flat_map(|row| &row.cells).any(pick);
    let part = judged_parts(comparison);
    let _ = write!(page, "<p class=\"fine\">The rate is that of every second of {part}. ");
    if !all_steady(comparison) {
        page.push_str("Rates that are not all those of steady state cannot be compared: no best is marked. ");
    }
    page.push_str(CLIFF_IN_WORDS);
    if any(&|cell| cell.best) {
        page.push_str(" ▲ and ▼ mark the best of the runs where they differ by more than 1 %.");
    }
    if any(&|cell| cell.few.is_some()) {
        page.push_str(" * Fewer than ten I/Os lie beyond this percentile: it carries no weight.");
    }
    page.push_str("</p>\n");
}
