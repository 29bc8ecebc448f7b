//! The page of streams: one file that needs nothing else, neither a network nor, for its numbers, a script.

mod csv;
mod document;
mod graphs;
mod headline;
mod numbers;
mod pictures;
mod tables;

pub use csv::stalls_csv;
pub use pictures::{stalls_png_pictures, stalls_svg_pictures};

use std::fmt::Write as _;

use crate::html::{embedded, open_page, title};
use crate::stalls::{StallsDocument, StallsReport};
use document::BacklogCourse;

/// The page's own program, bundled by the build.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/stalls.js"));
/// The hash by which the page's security policy admits it and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/stalls.js.sha256"));

/// A stream on the page: what is known of it, and its figures.
struct Shown<'a> {
    report: &'a StallsReport<'a>,
    document: StallsDocument,
    /// The backlog of each of the document's buffers over time.
    courses: Vec<BacklogCourse>,
}

impl<'a> Shown<'a> {
    fn of(report: &'a StallsReport<'a>) -> Shown<'a> {
        let document = StallsDocument::of(report);
        let rates = document.buffer.iter().map(|buffer| buffer.stream_mb_s * 1e6);
        let courses = rates.map(|rate| BacklogCourse::of(report.stream, rate)).collect();
        Shown { report, document, courses }
    }
}

/// The whole page of one or several streams.
pub fn stalls_html(reports: &[StallsReport<'_>]) -> String {
    let shown: Vec<Shown<'_>> = reports.iter().map(Shown::of).collect();
    let mut page = String::with_capacity(1 << 19);
    open_page(
        &mut page,
        &title(reports.iter().map(|report| report.label.as_str())),
        "drivelab · can this drive record a stream?",
        SCRIPT_HASH,
    );
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
    let document = embedded(&document::PageDocument::of(&shown));
    let _ = writeln!(page, "<script type=\"application/json\" id=\"page-document\">{document}</script>");
    let _ = writeln!(page, "<script>{SCRIPT}</script>\n</body>\n</html>");
    page
}

fn labels<'a>(shown: &'a [Shown<'_>]) -> impl Iterator<Item = &'a str> {
    shown.iter().map(|one| one.report.label.as_str())
}
