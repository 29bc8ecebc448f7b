//! Several runs beside each other, a line each.

use std::fmt::Write as _;

use drivelab_block::Op;

use super::style::Ink;
use super::{TerminalStyle, judged_parts, nanos, percent, rate};
use crate::numbers::marked_label;
use crate::run::{Comparison, RunReport};

/// What stands above the figures, and how one run has them.
struct Columns {
    title: String,
    heads: [&'static str; 4],
    cells: fn(&RunReport) -> [String; 4],
}

/// The figures of all runs; those of replays are their service times, since their rates are the trace's.
pub(super) fn side_by_side(text: &mut String, comparison: &Comparison, style: TerminalStyle) {
    let columns = if comparison.runs.iter().all(RunReport::is_replay) {
        let heads = ["mean", "reads", "writes", ">100 ms"];
        Columns { title: "service time".to_owned(), heads, cells: replay_cells }
    } else {
        let heads = ["mean", "slowest", "mean/dev", "run p99.99"];
        Columns { title: judged_parts(comparison), heads, cells: rate_cells }
    };
    let label_width = style.width.saturating_sub(44).clamp(10, 36);
    let line = |label: &str, [first, second, third, fourth]: [&str; 4]| {
        let pad = " ".repeat(label_width.saturating_sub(label.chars().count()));
        format!("{label}{pad}  {first:>9} {second:>9} {third:>9}  {fourth:>10}")
    };
    let title = label_beside(text, &columns.title, label_width, (Some(Ink::Faint), style));
    let _ = writeln!(text, "{}", style.paint(Ink::Faint, &line(&title, columns.heads)));
    for run in &comparison.runs {
        let label = label_beside(text, &marked_label(run), label_width, (None, style));
        let cells = (columns.cells)(run);
        let _ = writeln!(text, "{}", line(&label, cells.each_ref().map(String::as_str)));
    }
}

/// What stands left of figures; nothing where it found no room there and has a line of its own, since its end tells runs
/// apart.
fn label_beside(
    text: &mut String,
    label: &str,
    width: usize,
    (ink, style): (Option<Ink>, TerminalStyle),
) -> String {
    let label = style.shorten(label, style.width.max(width));
    if label.chars().count() <= width {
        return label;
    }
    let painted = ink.map_or_else(|| label.clone(), |ink| style.paint(ink, &label));
    let _ = writeln!(text, "{painted}");
    String::new()
}

const NOTHING: &str = "-";

fn rate_cells(run: &RunReport) -> [String; 4] {
    if !run.has_figures() {
        return [NOTHING; 4].map(str::to_owned);
    }
    let steady = &run.figures.steady;
    let stddev = steady.stddev.filter(|stddev| *stddev > 0.0);
    let even = stddev.map_or_else(|| NOTHING.to_owned(), |stddev| format!("{:.1}", steady.mean / stddev));
    let tail = run.measured.service().quantile(0.9999);
    let tail = tail.map_or_else(|| NOTHING.to_owned(), |value| nanos(value as f64));
    [rate(steady.mean), rate(steady.min), even, tail]
}

fn replay_cells(run: &RunReport) -> [String; 4] {
    let service = run.measured.service();
    let means = [service.moments().mean(), run.mean_service(Op::Read), run.mean_service(Op::Write)];
    let [all, reads, writes] = means.map(|mean| mean.map_or_else(|| NOTHING.to_owned(), nanos));
    // The share is known of all I/Os that were made, and so of those that ended well where none failed.
    let whole = run.replay.as_ref().filter(|replay| replay.failed == 0);
    let slow = whole.and_then(|replay| replay.service_ns.all.as_ref()).map(|found| percent(found.over_100ms));
    [all, reads, writes, slow.unwrap_or_else(|| NOTHING.to_owned())]
}
