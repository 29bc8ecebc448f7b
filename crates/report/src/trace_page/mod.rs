//! The page of traces: one file that needs nothing else, neither a network nor, for its numbers, a script.

mod devices;
mod document;
mod episodes;
mod graphs;
mod headline;
mod numbers;
mod samples;

use std::fmt::Write as _;

use crate::html::{embedded, open_page, title};
use crate::trace::TraceReport;

/// The page's own program, bundled by the build.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/traces.js"));
/// The hash by which the page's security policy admits it and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/traces.js.sha256"));

/// The whole page of one or several traces.
///
/// Their course over time is drawn where their analysis followed it.
pub fn traces_html(reports: &[TraceReport<'_>]) -> String {
    let mut page = String::with_capacity(1 << 19);
    open_page(
        &mut page,
        &title(reports.iter().map(|report| report.label.as_str())),
        "drivelab · what a trace says",
        SCRIPT_HASH,
    );
    page.push_str("<main class=\"wrap\">\n");
    headline::section(&mut page, reports);
    graphs::section(&mut page, reports);
    numbers::section(&mut page, reports);
    episodes::section(&mut page, reports);
    devices::section(&mut page, reports);
    headline::left_out(&mut page, reports);
    page.push_str("</main>\n<footer class=\"wrap\"><p>Made by drivelab. ");
    page.push_str("This file is complete: it loads nothing.</p></footer>\n");
    let document = embedded(&document::PageDocument::of(reports));
    let _ = writeln!(page, "<script type=\"application/json\" id=\"page-document\">{document}</script>");
    let _ = writeln!(page, "<script>{SCRIPT}</script>\n</body>\n</html>");
    page
}
