//! The page of a matrix: one file without a script, that loads nothing.

use std::fmt::Write as _;

use super::MatrixReport;
use super::document::{MatrixCellDocument, MatrixDocument};
use super::panels::{Panel, panels};
use super::ratios::{interval_text, ratio_text};
use super::sentences::{how, verdict_lines, verdict_text};
use crate::format::{decade, nanos, rate, short_rate};
use crate::html::{Escaped, table};
use crate::still::chart::{Across, Chart, Line, Point};
use crate::still::{close, conditions, legend, notices, open};

/// The whole page.
pub fn matrix_html(report: &MatrixReport) -> String {
    let document = MatrixDocument::of(report);
    let panels = panels(&document);
    let mut page = open(&document.target, "drivelab · matrix", &how(&document));
    told(&mut page, &document);
    charts(&mut page, &panels);
    verdicts(&mut page, &document);
    tables(&mut page, &panels);
    comparisons(&mut page, &document);
    conditions(&mut page, &document.conditions);
    close(&mut page);
    page
}

fn told(page: &mut String, document: &MatrixDocument) {
    let left_out = document.left_out.iter().map(|one| format!("{} left out: {}.", one.what, one.why));
    let failed = document.failed.iter().map(|one| format!("{}, run {}: {}.", one.cell, one.run + 1, one.why));
    let all: Vec<String> = left_out.chain(failed).chain(document.notices.iter().cloned()).collect();
    notices(page, all.iter().map(String::as_str));
}

fn charts(page: &mut String, panels: &[Panel<'_>]) {
    let named = panels.iter().max_by_key(|panel| panel.lines.len());
    page.push_str("<section><h2>Rate and latency against threads</h2>\n");
    let lines = named.iter().flat_map(|panel| &panel.lines).filter(|line| !line.is_empty());
    let words = "Bars: 95 % interval over runs. Latency: p50 solid, p99 dashed.";
    legend(page, lines.map(|line| (index_of(line), *line)), words);
    page.push_str("<div class=\"charts\">\n");
    for panel in panels {
        let _ = writeln!(page, "<div class=\"pair\">{}{}</div>", rates(panel), latencies(panel));
    }
    page.push_str("</div></section>\n");
}

/// The place of a file system among all, which gives it its colour in every chart.
fn index_of(line: &str) -> usize {
    drivelab_block::FileSystem::ALL.iter().position(|fs| fs.word() == line).unwrap_or(0)
}

fn line(panel: &Panel<'_>, name: &str, dashed: bool, figure: Figure) -> Line {
    let points = panel.threads.iter().filter_map(|threads| {
        let (value, interval) = figure(panel.cell(name, *threads)?)?;
        Some(Point { x: f64::from(*threads), y: value, interval })
    });
    Line { index: index_of(name), dashed, points: points.collect() }
}

/// The figure of a cell, and the ends of its interval.
type Figure = fn(&MatrixCellDocument) -> Option<(f64, Option<(f64, f64)>)>;

/// Threads lie on a logarithmic axis: they are powers of two, mostly.
fn across(panel: &Panel<'_>) -> Across<'static> {
    let marks = panel.threads.iter().map(|threads| f64::from(*threads)).collect();
    Across { label: "threads", log: true, marks, text: |threads| threads.to_string() }
}

fn rates(panel: &Panel<'_>) -> String {
    let title = format!("{}, {}", panel.name, panel.unit);
    let mean: Figure = |cell| Some((cell.mean, cell.interval.map(|ends| (ends.low, ends.high))));
    let lines = panel.lines.iter().map(|name| line(panel, name, false, mean)).collect();
    Chart { title: &title, across: &across(panel), log: false, text: short_rate, least_top: 0.0, lines }.svg()
}

fn latencies(panel: &Panel<'_>) -> String {
    let title = format!("{}, latency", panel.name);
    let p50: Figure = |cell| Some((cell.p50_ns?, None));
    let p99: Figure = |cell| Some((cell.p99_ns?, None));
    let of = |name: &&'static str| [line(panel, name, false, p50), line(panel, name, true, p99)];
    let lines = panel.lines.iter().flat_map(of).collect();
    Chart { title: &title, across: &across(panel), log: true, text: decade, least_top: 0.0, lines }.svg()
}

fn verdicts(page: &mut String, document: &MatrixDocument) {
    let lines = verdict_lines(document);
    if lines.is_empty() {
        return;
    }
    page.push_str("<section><h2>Winners, and what does not differ</h2>\n<ul>\n");
    lines.iter().for_each(|line| {
        let _ = writeln!(page, "<li>{}</li>", Escaped(line));
    });
    page.push_str("</ul></section>\n");
}

fn tables(page: &mut String, panels: &[Panel<'_>]) {
    page.push_str("<section><h2>Figures</h2>\n<p>Mean rate ± half its 95 % interval; p50 / p99 of the latency below.</p>\n");
    for panel in panels {
        let _ = writeln!(page, "<h3>{}, {}</h3>", Escaped(&panel.name), panel.unit);
        let lines: Vec<&str> =
            panel.lines.iter().map(|line| if line.is_empty() { "rate" } else { *line }).collect();
        let heads: Vec<&str> = std::iter::once("threads").chain(lines).collect();
        table::open(page, "", &panel.name, &heads);
        for threads in &panel.threads {
            let shown = |line: &&'static str| panel.cell(line, *threads).map_or_else(nothing, figure);
            table::row_of_two_lines(
                page,
                &threads.to_string(),
                &panel.lines.iter().map(shown).collect::<Vec<_>>(),
            );
        }
        table::close(page);
    }
    page.push_str("</section>\n");
}

fn nothing() -> [String; 2] {
    ["-".to_owned(), String::new()]
}

/// The rate, and the latency below it.
fn figure(cell: &MatrixCellDocument) -> [String; 2] {
    let half = cell.interval.map(|ends| format!(" ± {}", rate(ends.high - cell.mean)));
    let latency = cell.p50_ns.zip(cell.p99_ns).map(|(p50, p99)| format!("{} / {}", nanos(p50), nanos(p99)));
    [rate(cell.mean) + &half.unwrap_or_default(), latency.unwrap_or_default()]
}

fn comparisons(page: &mut String, document: &MatrixDocument) {
    if document.comparisons.is_empty() {
        return;
    }
    page.push_str(
        "<section><h2>Comparisons</h2>\n<p>Rate of the second over that of the first, paired by block of runs: Student's t \
         on logarithms, 95 %; p after Holm's adjustment over all of them. Runs that lie close together by chance show nothing: \
         the variance of two cells is not taken to be less than it is when moderated by the median of all comparisons of the \
         same kind of work, which counts as four degrees of freedom (after Smyth 2004, and Tusher, Tibshirani and Chu 2001). \
         Fewer than three blocks show nothing.</p>\n<details><summary>All comparisons</summary>\n",
    );
    table::open(page, "", "Comparisons", &["cells", "first", "second", "ratio", "interval", "p", "verdict"]);
    for one in &document.comparisons {
        let interval = one.interval.map_or("-".to_owned(), interval_text);
        let p = one.p_holm.map_or("-".to_owned(), |p| format!("{p:.4}"));
        let cells = [
            one.first.clone(),
            one.second.clone(),
            ratio_text(one.ratio, one.interval),
            interval,
            p,
            verdict_text(one.verdict),
        ];
        table::row(page, &one.at, &cells);
    }
    table::close(page);
    page.push_str("</details></section>\n");
}
