//! The page of streams: one file that needs nothing else, neither a network nor, for its numbers, a script.

mod document;
mod graphs;
mod headline;
mod numbers;
mod tables;

use std::fmt::Write as _;

use crate::html::open_page;
use crate::stalls::{StallsDocument, StallsReport};

/// The page's own program, bundled by the build.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/stalls.js"));
/// The hash by which the page's security policy admits it and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/stalls.js.sha256"));

/// A stream on the page: what is known of it, and its figures.
struct Shown<'a> {
    report: &'a StallsReport<'a>,
    document: StallsDocument,
}

/// The whole page of one or several streams.
pub fn stalls_html(reports: &[StallsReport<'_>]) -> String {
    let shown: Vec<Shown<'_>> =
        reports.iter().map(|report| Shown { report, document: StallsDocument::of(report) }).collect();
    let mut page = String::with_capacity(1 << 19);
    open_page(&mut page, &title(reports), "drivelab · can this drive record a stream?", SCRIPT_HASH);
    page.push_str("<main class=\"wrap\">\n");
    headline::section(&mut page, &shown);
    numbers::section(&mut page, &shown);
    graphs::section(&mut page, &shown);
    tables::buffers(&mut page, &shown);
    tables::delays(&mut page, &shown);
    tables::faults(&mut page, &shown);
    tables::conditions(&mut page, &shown);
    page.push_str("</main>\n<footer class=\"wrap\"><p>Made by drivelab. ");
    page.push_str("This file is complete: it loads nothing.</p></footer>\n");
    let document = document::PageDocument::of(&shown).embedded();
    let _ = writeln!(page, "<script type=\"application/json\" id=\"page-document\">{document}</script>");
    let _ = writeln!(page, "<script>{SCRIPT}</script>\n</body>\n</html>");
    page
}

/// The names of the streams, as far as a title has room for them.
fn title(reports: &[StallsReport<'_>]) -> String {
    let named: Vec<&str> = reports.iter().take(4).map(|report| report.label.as_str()).collect();
    match reports.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn labels<'a>(shown: &'a [Shown<'_>]) -> impl Iterator<Item = &'a str> {
    shown.iter().map(|one| one.report.label.as_str())
}
