//! A matrix on the terminal: a table a panel, a row a number of threads, a column a file system.

use std::fmt::Write as _;

use super::MatrixReport;
use super::document::{MatrixCellDocument, MatrixDocument};
use super::panels::{Panel, panels};
use super::sentences::{how, verdict_lines};
use crate::format::{nanos, percent, rate};
use crate::terminal::TerminalStyle;

/// The width of the column of threads.
const FIRST: usize = 9;
/// The least room between two columns.
const GAP: usize = 2;

/// The tables and verdicts of a matrix.
pub fn matrix_terminal(report: &MatrixReport, style: TerminalStyle) -> String {
    let document = MatrixDocument::of(report);
    let mut text = format!("{}\n", style.clean(&document.target));
    style.wrap_plain(&mut text, "  ", &how(&document));
    for left_out in &document.left_out {
        style.wrap_plain(&mut text, "  ", &format!("{} left out: {}.", left_out.what, left_out.why));
    }
    let plus_minus = if style.ascii { "+-" } else { "±" };
    for panel in panels(&document) {
        let title = format!("{}: {}, mean and half its 95 % interval over runs", panel.name, panel.unit);
        table(&mut text, &panel, &title, |cell| spread(cell, plus_minus));
        table(&mut text, &panel, &format!("{}: latency, p50", panel.name), |cell| latency(cell.p50_ns));
        table(&mut text, &panel, &format!("{}: latency, p99", panel.name), |cell| latency(cell.p99_ns));
    }
    let lines = verdict_lines(&document);
    if !lines.is_empty() {
        let _ = writeln!(text);
    }
    lines.iter().for_each(|line| style.wrap_plain(&mut text, "  ", line));
    text
}

fn spread(cell: &MatrixCellDocument, plus_minus: &str) -> String {
    let mean = rate(cell.mean);
    match cell.interval {
        // Of a mean of nothing there is no share.
        Some(ends) if cell.mean > 0.0 => {
            let half = percent((ends.high - cell.mean) / cell.mean).replace(' ', "");
            format!("{mean} {plus_minus}{half}")
        }
        _ => mean,
    }
}

fn latency(of: Option<f64>) -> String {
    of.map_or("-".to_owned(), nanos)
}

fn table(text: &mut String, panel: &Panel<'_>, title: &str, figure: impl Fn(&MatrixCellDocument) -> String) {
    let shown = |line: &str, threads| panel.cell(line, threads).map_or("-".to_owned(), &figure);
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    rows.push(("threads".to_owned(), panel.lines.iter().map(|line| (*line).to_owned()).collect()));
    rows.extend(panel.threads.iter().map(|threads| {
        (threads.to_string(), panel.lines.iter().map(|line| shown(line, *threads)).collect())
    }));
    let widest = rows.iter().flat_map(|(_, row)| row).map(|entry| entry.chars().count()).max();
    let column = widest.unwrap_or(0) + GAP;
    let _ = writeln!(text, "\n  {title}");
    for (first, row) in rows {
        let mut line = format!("  {first:>FIRST$}");
        for entry in row {
            let _ = write!(line, "{entry:>column$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
