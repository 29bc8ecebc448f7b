//! The page of the same data by several paths.

use super::PathsReport;
use super::document::{IntervalDocument, PartsDocument, PathCellDocument, PathsDocument};
use crate::format::{bytes, nanos, percent, rate, short_rate};
use crate::html::table;
use crate::still::chart::{Across, Chart, Line, Point};
use crate::still::{close, legend, notices, open};

/// The whole page.
pub fn paths_html(report: &PathsReport) -> String {
    let document = PathsDocument::of(report);
    let lead = format!(
        "The same data by every path, in writes of {}, in random order within blocks of runs. Each run is one value; intervals \
         are 95 %, by Student's t.",
        bytes(document.request_bytes)
    );
    let mut page = open(&document.target, "drivelab · paths", &lead);
    let left_out = document.left_out.iter().map(|one| format!("{} left out: {}.", one.path, one.why));
    let told: Vec<String> = left_out.chain(document.notices.iter().cloned()).collect();
    notices(&mut page, told.iter().map(String::as_str));
    charts(&mut page, &document);
    figures(&mut page, &document);
    parts(&mut page, &document);
    close(&mut page);
    page
}

/// The paths that were measured, each once, in the order of the cells.
fn paths(document: &PathsDocument) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for cell in &document.cells {
        if !found.contains(&cell.path) {
            found.push(cell.path);
        }
    }
    found
}

fn charts(page: &mut String, document: &PathsDocument) {
    let paths = paths(document);
    let mut sizes: Vec<f64> = document.cells.iter().map(|cell| cell.file_bytes as f64 / 1e6).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let across = Across { label: "size of a file (MB)", log: true, marks: sizes, text: short_rate };
    let lines = |of: fn(&PathCellDocument) -> IntervalDocument| -> Vec<Line> {
        let line = |(index, path): (usize, &&str)| {
            let cells = document.cells.iter().filter(|cell| cell.path == *path);
            let points = cells.map(|cell| {
                let IntervalDocument { mean, low, high, .. } = of(cell);
                Point { x: cell.file_bytes as f64 / 1e6, y: mean, interval: low.zip(high) }
            });
            Line { index, dashed: false, points: points.collect() }
        };
        paths.iter().enumerate().map(line).collect()
    };
    page.push_str("<section><h2>Rate and time a file</h2>\n");
    legend(page, paths.iter().copied().enumerate(), "Bars: 95 % interval over runs.");
    page.push_str("<div class=\"wide\">");
    let rates = lines(|cell| cell.mb_s);
    page.push_str(
        &Chart { title: "MB/s", across: &across, log: false, text: short_rate, least_top: 0.0, lines: rates }
            .svg(),
    );
    let times = lines(|cell| cell.file_ns);
    page.push_str(
        &Chart {
            title: "Time a file",
            across: &across,
            log: true,
            text: nanos,
            least_top: 0.0,
            lines: times,
        }
        .svg(),
    );
    page.push_str("</div></section>\n");
}

fn figures(page: &mut String, document: &PathsDocument) {
    page.push_str("<section><h2>Figures</h2>\n");
    table::open(page, "", "Figures", &["path", "file", "MB/s", "time a file", "runs"]);
    for cell in &document.cells {
        let half = cell.mb_s.half_width().map_or_else(String::new, |half| format!(" ± {}", rate(half)));
        let half_ns =
            cell.file_ns.half_width().map_or_else(String::new, |half| format!(" ± {}", nanos(half)));
        let cells = [
            bytes(cell.file_bytes),
            format!("{}{half}", rate(cell.mb_s.mean)),
            format!("{}{half_ns}", nanos(cell.file_ns.mean)),
            cell.mb_s.n.to_string(),
        ];
        table::row(page, cell.path, &cells);
    }
    table::close(page);
    page.push_str("</section>\n");
}

/// Where the time went, and what the machine's processors did.
fn parts(page: &mut String, document: &PathsDocument) {
    page.push_str("<section><h2>Where the time goes</h2>\n");
    let heads = [
        "path",
        "file",
        "making data",
        "processor",
        "waiting",
        "device idle",
        "busy before",
        "during",
        "after",
        "I/O wait",
    ];
    table::open(page, "", "Where the time goes", &heads);
    for cell in &document.cells {
        let PartsDocument { preparing, processor, waiting, device_idle } = cell.time;
        let told = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
        let mut cells =
            vec![bytes(cell.file_bytes), percent(preparing), percent(processor), percent(waiting)];
        cells.push(told(device_idle));
        let cpu = cell.cpu.as_ref();
        let busy = [
            cpu.map(|cpu| cpu.before.busy()),
            cpu.map(|cpu| cpu.during.busy()),
            cpu.map(|cpu| cpu.after.busy()),
            cpu.map(|cpu| cpu.during.iowait),
        ];
        cells.extend(busy.map(told));
        table::row(page, cell.path, &cells);
    }
    table::close(page);
    page.push_str("</section>\n");
}
