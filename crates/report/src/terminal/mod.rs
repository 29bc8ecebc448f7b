//! The summary that a terminal shows after a run.

mod curve;
mod side_by_side;
mod style;

pub use style::TerminalStyle;

use std::fmt::Write as _;

use crate::energy::energy_summary;
use crate::format::{bytes, nanos, percent, rate, seconds, short_rate, whole};
use crate::gauged::{Panel, panels, reading};
use crate::names::{drive_line, judged_parts, loop_words};
use crate::numbers::{FEW, QUANTILES};
use crate::ranking::Ranking;
use crate::run::{Comparison, Notice, RunReport, Severity};
use crate::scale::LogScale;
use crate::verdict::{Tone, deviation_share, verdict};
use curve::Curve;
use drivelab_analysis::Gauged;
use side_by_side::side_by_side;
use style::Ink;

/// Rows of characters of a curve.
const CURVE_ROWS: usize = 6;
/// Characters left of a curve: the marks of its axis.
const GUTTER: usize = 8;

/// The summary of a comparison as text, ending with a line feed; no line is wider than `style.width`
/// unless a single word is.
pub fn terminal(comparison: &Comparison, style: TerminalStyle) -> String {
    let mut text = String::new();
    let axis = Axis::of(comparison);
    let shared = comparison.shared_notices();
    // One run that is called as its comparison needs no title above its name.
    if !comparison.runs.iter().any(|run| run.label == comparison.title) || comparison.runs.len() > 1 {
        let _ = writeln!(text, "{}", style.paint(Ink::Strong, &comparison.title));
        text.push('\n');
    }
    for (index, run) in comparison.runs.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        run_block(&mut text, run, (axis, &shared), style);
    }
    if !shared.is_empty() {
        text.push_str("\nAll runs\n");
        shared.iter().for_each(|notice| notice_line(&mut text, notice, style));
    }
    if comparison.runs.len() > 1 {
        text.push('\n');
        if let Some(sentence) = Ranking::of(comparison).sentence() {
            style.wrap_plain(&mut text, "", &sentence);
            text.push('\n');
        }
        side_by_side(&mut text, comparison, style);
    }
    text
}

/// One axis for every run, so that curves can be compared by eye.
#[derive(Clone, Copy)]
struct Axis {
    rates: LogScale,
    seconds: usize,
}

impl Axis {
    fn of(comparison: &Comparison) -> Axis {
        let all: Vec<Vec<f64>> = comparison.runs.iter().map(rates).collect();
        let seconds = all.iter().map(Vec::len).max().unwrap_or(0);
        Axis { rates: LogScale::over(all.into_iter().flatten()), seconds }
    }
}

fn rates(run: &RunReport) -> Vec<f64> {
    let bins = run.seconds();
    bins.iter().map(|bin| f64::from(bin.ios())).collect()
}

fn run_block(text: &mut String, run: &RunReport, (axis, shared): (Axis, &[&Notice]), style: TerminalStyle) {
    let verdict = verdict(run);
    let ink = match verdict.tone {
        Tone::Steady => Ink::Good,
        Tone::Unsteady | Tone::Short | Tone::Asked | Tone::Replayed => Ink::Caution,
        Tone::Nothing => Ink::Bad,
    };
    style.wrap(text, "", &style.paint(Ink::Strong, &run.label), &run.label);
    style.wrap_plain(text, "  ", &drive_line(run));
    style.wrap(text, "  ", &style.paint(ink, &verdict.text), &verdict.text);
    for notice in run.notices.iter().filter(|notice| !shared.contains(notice)) {
        notice_line(text, notice, style);
    }
    curve_lines(text, run, axis, style);
    number_lines(text, run, style);
}

fn notice_line(text: &mut String, notice: &Notice, style: TerminalStyle) {
    let (mark, ink) = match notice.severity {
        Severity::Note => ("note: ", Ink::Faint),
        Severity::Warning => ("warning: ", Ink::Caution),
        Severity::Severe => ("SEVERE: ", Ink::Bad),
    };
    let line = format!("{mark}{}", notice.text);
    style.wrap(text, "  ", &style.paint(ink, &line), &line);
}

fn curve_lines(text: &mut String, run: &RunReport, axis: Axis, style: TerminalStyle) {
    let rates = rates(run);
    let columns = style.width.saturating_sub(GUTTER + 4).clamp(10, 64);
    if rates.is_empty() {
        return;
    }
    let curve = Curve::of(&rates, axis.seconds, axis.rates, columns, CURVE_ROWS);
    let bar = if style.ascii { '|' } else { '│' };
    for row in 0..curve.rows() {
        let mark = axis_mark(axis.rates, row);
        let line = curve.row(row, style.ascii);
        let _ = writeln!(text, "{mark:>GUTTER$} {bar}{}", style.paint(Ink::Curve, line.trim_end()));
    }
    let (corner, line) = if style.ascii { ('+', "-") } else { ('└', "─") };
    let _ = writeln!(text, "{:>GUTTER$} {corner}{}", "IOPS", line.repeat(columns));
    let end = seconds(axis.seconds as f64);
    let _ = writeln!(text, "{:>GUTTER$}  {:<space$}{end}", "", "0 s", space = columns - end.len());
    let words = format!("each second, n = {}, {}", whole(rates.len() as u64), loop_words(run));
    let indent = " ".repeat(GUTTER + 2);
    style.wrap(text, &indent, &style.paint(Ink::Faint, &words), &words);
}

/// The mark of a row: the decade that falls on it, or nothing.
fn axis_mark(scale: LogScale, row: usize) -> String {
    let span = f64::from(scale.high - scale.low);
    let falls_here = |decade: &f64| {
        let from_top = (f64::from(scale.high) - decade.log10()) / span * (CURVE_ROWS - 1) as f64;
        (from_top.round() - row as f64).abs() < 0.5
    };
    scale.decades().find(falls_here).map_or_else(String::new, short_rate)
}

fn number_lines(text: &mut String, run: &RunReport, style: TerminalStyle) {
    let steady = &run.figures.steady;
    if run.has_figures() {
        let mut line = format!("IOPS     mean {}", rate(steady.mean));
        if let Some(stddev) = steady.stddev {
            let share = deviation_share(run).map_or_else(|| "-".to_owned(), percent);
            let _ = write!(line, "  deviation {} ({share})", rate(stddev));
        }
        let _ = write!(line, "  slowest {}", rate(steady.min));
        if let Some(p01) = steady.p01 {
            let _ = write!(line, "  worst 1 % {}", rate(p01));
        }
        // Where it is steady the verdict says from when on.
        let part = run.figures.steady_part;
        if part.from_s > 0 && !part.reached {
            let _ = write!(line, "  from second {} on", part.from_s);
        }
        style.wrap_plain(text, "  ", &line);
    }
    // Rates are those of the judged part, times those of all I/Os.
    let of = if run.has_figures() && run.figures.steady_part.from_s > 0 { "  of the whole run" } else { "" };
    latency_line(text, "service ", "", &run.measured.service(), of, style);
    if let Some(response) = run.measured.response() {
        latency_line(text, "response", response_bound(run, style), &response, of, style);
    }
    let lost = lost_in_words(run);
    let mut amounts = match run.withheld {
        Some(_) => format!("amounts  {lost}"),
        None => format!(
            "amounts  {} in {}  {} I/Os  {} failed  {lost}",
            bytes(run.measured.moved().get()),
            seconds(run.duration.as_secs_f64()),
            whole(run.measured.completed()),
            whole(run.measured.failed()),
        ),
    };
    if let Some(factor) = run.simulation.as_ref().and_then(|truth| truth.write_amplification) {
        let _ = write!(amounts, "  write amplification {factor:.2}");
    }
    style.wrap_plain(text, "  ", &amounts);
    machine_line(text, &run.gauges, style);
    if let Some(energy) = &run.energy {
        text.push_str(&energy_summary(energy, style));
    }
}

/// The records that were lost, and whose they are.
fn lost_in_words(run: &RunReport) -> String {
    let lost = run.lost().map_or_else(|| "not known how many".to_owned(), whole);
    let of_all = if run.lost_in_all_phases() { " in all phases" } else { "" };
    format!("{lost} records lost{of_all}")
}

/// What the processors and the device did meanwhile.
fn machine_line(text: &mut String, gauges: &[Gauged], style: TerminalStyle) {
    let shown = |panel: &Panel<'_>| {
        let parts = panel
            .gauges
            .iter()
            .map(|gauge| format!("{} {}", gauge.part(), reading(gauge.course.during(), &gauge.unit)));
        format!("{} {}", panel.subject, parts.collect::<Vec<_>>().join(", "))
    };
    let told =
        panels(gauges).iter().filter(|panel| panel.subject != "pressure").map(shown).collect::<Vec<_>>();
    if !told.is_empty() {
        style.wrap_plain(text, "  ", &format!("machine  {}", told.join("  ")));
    }
}

/// What stands before response times that are lower bounds.
fn response_bound(run: &RunReport, style: TerminalStyle) -> &'static str {
    match (run.measured.unsent(), style.ascii) {
        (0, _) => "",
        (_, true) => ">=",
        (_, false) => "≥",
    }
}

fn latency_line(
    text: &mut String,
    name: &str,
    bound: &str,
    distribution: &drivelab_analysis::Distribution,
    of: &str,
    style: TerminalStyle,
) {
    let moments = distribution.moments();
    let (Some(mean), Some(max)) = (moments.mean(), moments.max()) else { return };
    let mut line = format!("{name} mean {bound}{}", nanos(mean));
    for (label, q) in QUANTILES {
        let few = if distribution.tail_count(q) < FEW { "*" } else { "" };
        let value = distribution.quantile(q).map_or_else(|| "-".to_owned(), |value| nanos(value as f64));
        let _ = write!(line, "  {label} {bound}{value}{few}");
    }
    let _ = write!(line, "  max {bound}{}{of}", nanos(max as f64));
    if line.contains('*') {
        line.push_str("  (* fewer than ten beyond)");
    }
    style.wrap_plain(text, "  ", &line);
}
