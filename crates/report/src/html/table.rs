//! What the tables of all pages share.

use std::fmt::Write as _;

use super::Escaped;

/// Opens a table whose part that does not fit scrolls by itself.
pub(crate) fn open(page: &mut String, id: &str, about: &str, heads: &[&str]) {
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

/// A row of texts.
pub(crate) fn row(page: &mut String, name: &str, cells: &[String]) {
    let _ = write!(page, "<tr><th scope=\"row\">{}</th>", Escaped(name));
    cells.iter().for_each(|cell| {
        let _ = write!(page, "<td>{}</td>", Escaped(cell));
    });
    page.push_str("</tr>\n");
}

/// Ends a table.
pub(crate) fn close(page: &mut String) {
    page.push_str("</tbody></table></div>\n");
}
