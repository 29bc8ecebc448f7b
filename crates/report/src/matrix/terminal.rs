//! A matrix on the terminal: a table a panel, a row a number of threads, a column a file system.

use std::fmt::Write as _;

use super::MatrixReport;
use super::document::{EndsDocument, LeaderDocument, MatrixCellDocument, MatrixDocument};
use super::panels::{Panel, panels};
use crate::format::{nanos, rate, seconds};
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
        let title = format!("{}: {}, mean and 95 % interval over runs", panel.name, panel.unit);
        table(&mut text, &panel, &title, |cell| spread(cell, plus_minus));
        table(&mut text, &panel, &format!("{}: latency p50 / p99", panel.name), latencies);
    }
    verdicts(&mut text, &document, style);
    text
}

/// How it was measured.
pub(super) fn how(document: &MatrixDocument) -> String {
    let fresh = if document.fs_bytes.is_some() {
        "each on a file system made for it, its files out of every cache"
    } else {
        "each on a simulated drive of its own, written once before"
    };
    format!(
        "{} of {} measurements: {} runs of cells of {}, {fresh}; random order in complete blocks.",
        document.measured,
        document.planned,
        document.runs_asked,
        seconds(document.cell_s)
    )
}

fn spread(cell: &MatrixCellDocument, plus_minus: &str) -> String {
    let mean = rate(cell.mean);
    match cell.interval {
        Some(ends) => format!("{mean} {plus_minus} {}", rate((ends.high - ends.low) / 2.0)),
        None => mean,
    }
}

fn latencies(cell: &MatrixCellDocument) -> String {
    match (cell.p50_ns, cell.p99_ns) {
        (Some(p50), Some(p99)) => format!("{} / {}", nanos(p50), nanos(p99)),
        _ => "-".to_owned(),
    }
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

/// Who wins where, what does not differ, and what the control says.
fn verdicts(text: &mut String, document: &MatrixDocument, style: TerminalStyle) {
    let differ = document.comparisons.iter().filter(|one| one.verdict == "difference").count();
    if !document.comparisons.is_empty() {
        let title = format!(
            "{differ} of {} comparisons show a difference (paired t on logarithms, Holm over all, 5 %)",
            document.comparisons.len()
        );
        let _ = writeln!(text, "\n  {title}");
    }
    for leader in &document.winners {
        style.wrap_plain(text, "    ", &leader_line(leader));
    }
    // Threads are no contest, so what differs is told pair by pair.
    for one in document.comparisons.iter().filter(|one| one.axis == "threads") {
        let (ratio, ends) = (one.ratio, in_brackets(one.interval));
        let line = format!(
            "{}: {} to {} threads x {ratio:.3}{ends}: {}",
            one.at, one.first, one.second, one.verdict
        );
        style.wrap_plain(text, "    ", &line);
    }
    if let Some(line) = control_line(document) {
        let _ = writeln!(text);
        style.wrap_plain(text, "  ", &line);
    }
}

/// Who leads, in one sentence.
pub(super) fn leader_line(leader: &LeaderDocument) -> String {
    let level = leader.level_with.join(", ");
    let at = &leader.at;
    match (&leader.ahead_of, leader.level_with.is_empty()) {
        (Some(next), true) => {
            let ratio = leader.ratio.unwrap_or(1.0);
            format!("{at}: {} wins, x {ratio:.3}{} of {next}", leader.best, in_brackets(leader.interval))
        }
        (Some(next), false) => {
            format!("{at}: no difference between {} and {level}; ahead of {next}", leader.best)
        }
        (None, _) => format!("{at}: no difference between {} and {level}", leader.best),
    }
}

/// What the control says of the time between the first and the last cell of a block.
pub(super) fn control_line(document: &MatrixDocument) -> Option<String> {
    let control = document.control.as_ref()?;
    let verdict = match control.drifts {
        Some(true) => "a drift, which complete blocks keep out of the comparisons",
        Some(false) => "no drift detected",
        None => "one block tells no drift",
    };
    let ends = in_brackets(control.interval);
    Some(format!(
        "Control ({}): after a block x {:.3}{ends} of before: {verdict}.",
        control.cell, control.ratio
    ))
}

fn in_brackets(ends: Option<EndsDocument>) -> String {
    ends.map_or_else(String::new, |ends| format!(" ({:.3} to {:.3})", ends.low, ends.high))
}
