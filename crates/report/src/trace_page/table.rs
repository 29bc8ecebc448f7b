//! What the page's tables share.

use std::fmt::Write as _;

use crate::html::{Escaped, Swatch, unbroken};
use crate::trace::TraceReport;

/// Opens a table whose part that does not fit scrolls by itself.
pub(super) fn open(page: &mut String, id: &str, about: &str, heads: &[&str]) {
    let about = Escaped(about);
    let _ =
        write!(page, "<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-label=\"{about}\"><table");
    if !id.is_empty() {
        let _ = write!(page, " id=\"{id}\"");
    }
    page.push_str("><thead><tr>");
    heads.iter().for_each(|head| {
        let _ = write!(page, "<th scope=\"col\">{}</th>", Escaped(head));
    });
    page.push_str("</tr></thead>\n<tbody>\n");
}

/// Opens a table with a column for each trace.
pub(super) fn open_traces(
    page: &mut String,
    id: &str,
    about: &str,
    first: &str,
    reports: &[TraceReport<'_>],
) {
    let (about, first) = (Escaped(about), Escaped(first));
    let _ = write!(
        page,
        "<div class=\"scroller\" tabindex=\"0\" role=\"region\" aria-label=\"{about}\"><table id=\"{id}\">\
         <thead><tr><th scope=\"col\">{first}</th>"
    );
    for (index, report) in reports.iter().enumerate() {
        let label = unbroken(&report.label);
        let _ = write!(page, "<th scope=\"col\">{}{}</th>", Swatch(index), Escaped(&label));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
}

/// A line between groups of rows.
pub(super) fn group(page: &mut String, name: &str, columns: usize) {
    let name = Escaped(name);
    let _ = writeln!(
        page,
        "<tr class=\"group\"><th scope=\"rowgroup\">{name}</th><td colspan=\"{columns}\"></td></tr>"
    );
}

/// A row of texts.
pub(super) fn row(page: &mut String, name: &str, cells: &[String]) {
    let _ = write!(page, "<tr><th scope=\"row\">{}</th>", Escaped(name));
    cells.iter().for_each(|cell| {
        let _ = write!(page, "<td>{}</td>", Escaped(cell));
    });
    page.push_str("</tr>\n");
}

/// Ends a table.
pub(super) fn close(page: &mut String) {
    page.push_str("</tbody></table></div>\n");
}
