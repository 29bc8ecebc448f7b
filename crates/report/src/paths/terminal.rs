//! Paths on the terminal: a row a file size, a column a path, a table a figure.

use std::fmt::Write as _;

use super::PathsReport;
use super::document::{IntervalDocument, PathCellDocument, PathsDocument};
use crate::format::{bytes, rate};
use crate::terminal::TerminalStyle;

/// The width of the first column.
const FIRST: usize = 10;
/// The least room between two columns.
const GAP: usize = 2;

/// What a table says of one cell.
type Figure = fn(&PathCellDocument, &str) -> String;

/// The tables of a comparison.
pub fn paths_terminal(report: &PathsReport, style: TerminalStyle) -> String {
    let document = PathsDocument::of(report);
    let mut text = format!("{}\n", style.clean(&document.target));
    style.wrap_plain(&mut text, "  ", &how(&document));
    for (paths, why) in left_out(&document) {
        style.wrap_plain(&mut text, "  ", &format!("{} left out: {why}.", paths.join(", ")));
    }
    let plus_minus = if style.ascii { "+-" } else { "±" };
    let tables: [(&str, Figure); 6] = [
        ("MB/s, mean and 95 % interval over runs", |cell, sign| spread(&cell.mb_s, 1.0, sign)),
        ("ms a file, mean and 95 % interval over runs", |cell, sign| spread(&cell.file_ns, 1e6, sign)),
        ("processors busy before / during / after, % of all", |cell, _| busy(cell)),
        ("processors waiting for I/O before / during / after, % of all", |cell, _| iowait(cell)),
        ("time in preparing / calls and copies / waiting for the device, %", |cell, _| parts(cell)),
        ("device waiting for work, %", |cell, _| device_idle(cell)),
    ];
    for (title, figure) in tables {
        // A figure that no cell has (a simulated drive has no processors) is no table.
        if document.cells.iter().any(|cell| figure(cell, plus_minus) != "-") {
            table(&mut text, &document, title, |cell| figure(cell, plus_minus));
        }
    }
    text
}

fn how(document: &PathsDocument) -> String {
    let runs = document.cells.iter().map(|cell| cell.runs.len()).max().unwrap_or(0);
    let cut = if document.interrupted { " (interrupted)" } else { "" };
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    format!(
        "the same data by every path, in writes of {}  {runs} of each cell{cut}, in random order within each block of runs",
        bytes(document.request_bytes)
    )
}

/// Paths that were left out, together where the reason is the same.
fn left_out(document: &PathsDocument) -> Vec<(Vec<&str>, &str)> {
    let mut found: Vec<(Vec<&str>, &str)> = Vec::new();
    for left_out in &document.left_out {
        match found.iter_mut().find(|(_, why)| *why == left_out.why) {
            Some((paths, _)) => paths.push(left_out.path),
            None => found.push((vec![left_out.path], &left_out.why)),
        }
    }
    found
}

fn table(
    text: &mut String,
    document: &PathsDocument,
    title: &str,
    figure: impl Fn(&PathCellDocument) -> String,
) {
    let mut paths: Vec<&str> = Vec::new();
    let mut sizes: Vec<u64> = Vec::new();
    for cell in &document.cells {
        if !paths.contains(&cell.path) {
            paths.push(cell.path);
        }
        if !sizes.contains(&cell.file_bytes) {
            sizes.push(cell.file_bytes);
        }
    }
    let order = |path: &&str| drivelab_analysis::DataPath::ALL.iter().position(|one| one.word() == *path);
    paths.sort_by_key(order);
    let shown = |path: &str, size: u64| {
        let cell = document.cells.iter().find(|cell| (cell.path, cell.file_bytes) == (path, size));
        cell.map_or("-".to_owned(), &figure)
    };
    // A path's name has two lines: which file, and how.
    let mut lines =
        vec![(String::new(), paths.iter().map(|path| first_word(path).to_owned()).collect::<Vec<_>>())];
    lines.push(("files of".to_owned(), paths.iter().map(|path| second_word(path).to_owned()).collect()));
    lines.extend(
        sizes.iter().map(|size| (bytes(*size), paths.iter().map(|path| shown(path, *size)).collect())),
    );
    let widest = lines.iter().flat_map(|(_, row)| row).map(|entry| entry.chars().count()).max();
    let column = widest.unwrap_or(0) + GAP;
    let _ = writeln!(text, "\n  {title}");
    for (first, row) in lines {
        let mut line = format!("  {first:<FIRST$}");
        for entry in row {
            let _ = write!(line, "{entry:>column$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn first_word(path: &str) -> &str {
    path.split_once('-').map_or("", |(first, _)| first)
}

fn second_word(path: &str) -> &str {
    path.split_once('-').map_or(path, |(_, second)| second)
}

fn spread(interval: &IntervalDocument, unit: f64, plus_minus: &str) -> String {
    let mean = rate(interval.mean / unit);
    match interval.half_width() {
        Some(half) => format!("{mean} {plus_minus} {}", rate(half / unit)),
        None => mean,
    }
}

fn busy(cell: &PathCellDocument) -> String {
    cell.cpu.map_or("-".to_owned(), |cpu| three([cpu.before.busy(), cpu.during.busy(), cpu.after.busy()]))
}

fn iowait(cell: &PathCellDocument) -> String {
    cell.cpu.map_or("-".to_owned(), |cpu| three([cpu.before.iowait, cpu.during.iowait, cpu.after.iowait]))
}

fn parts(cell: &PathCellDocument) -> String {
    // Without an account of the processors nothing is known but that the whole time was spent.
    cell.cpu.map_or("-".to_owned(), |_| three([cell.time.preparing, cell.time.processor, cell.time.waiting]))
}

fn device_idle(cell: &PathCellDocument) -> String {
    cell.time.device_idle.map_or("-".to_owned(), |share| format!("{:.0}", share * 100.0))
}

fn three(shares: [f64; 3]) -> String {
    shares.map(|share| format!("{:.0}", share * 100.0)).join(" / ")
}
