//! A trace on the terminal.

use std::fmt::Write as _;

use drivelab_analysis::{Latency, TraceAnalysis};
use drivelab_block::Op;

use super::{TraceReport, bunching};
use crate::format::{bytes, nanos, percent, rate, whole};
use crate::terminal::TerminalStyle;

/// The summary of a trace.
pub fn trace_terminal(report: &TraceReport<'_>, style: TerminalStyle) -> String {
    let analysis = report.analysis;
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.clean(&format!("{} ({})", report.label, report.source)));
    let _ = writeln!(text);
    totals(&mut text, report);
    let title = match report.measured() {
        "D2C" => "service time (issue to completion, D2C)",
        "Q2C" => "time from request to completion (Q2C: waiting above the device is part of it)",
        "mixed" => "service time (D2C, or Q2C where a device shows no issues)",
        _ => "",
    };
    if title.is_empty() {
        style.wrap_plain(&mut text, "", "The source knows no durations: service times are not shown.");
    } else {
        latencies(&mut text, title, analysis, &analysis.service(), |op| &analysis.op(op).service);
        let response = analysis.response();
        if response.distribution.moments().count() > 0 {
            let title = "response time (with the wait before the issue)";
            latencies(&mut text, title, analysis, &response, |op| &analysis.op(op).response);
        }
        bunches(&mut text, analysis, style);
    }
    left_out(&mut text, report, style);
    text
}

fn totals(text: &mut String, report: &TraceReport<'_>) {
    let analysis = report.analysis;
    let span = analysis.span() as f64;
    let _ =
        writeln!(text, "{:12}{:>14}{:>12}{:>12}{:>14}", "", "requests", "bytes", "mean size", "sequential");
    for op in Op::ALL {
        let found = analysis.op(op);
        if found.requests > 0 {
            let _ = writeln!(
                text,
                "{:12}{:>14}{:>12}{:>12}{:>14}",
                op.to_string(),
                whole(found.requests),
                bytes(found.bytes),
                bytes(found.bytes / found.requests),
                percent(found.sequential as f64 / found.requests as f64)
            );
        }
    }
    let per_second = analysis.requests() as f64 / (span / 1e9);
    let _ = write!(text, "\nspan {}, {} requests a second", nanos(span), rate(per_second));
    if let Some(idle) = analysis.idle() {
        let _ = write!(text, ", idle {} of it", percent(idle.sum() as f64 / span.max(1.0)));
    }
    if let Some((mean, max)) = analysis.queue_depth().and_then(|depth| depth.mean().zip(depth.max())) {
        let _ = write!(text, ", {} in flight on average, {} at most", rate(mean), whole(max));
    }
    let _ = writeln!(text, "\n");
}

pub(crate) fn latencies<'a>(
    text: &mut String,
    title: &str,
    analysis: &TraceAnalysis,
    all: &'a Latency,
    of: impl Fn(Op) -> &'a Latency,
) {
    let _ = writeln!(text, "{title}");
    let _ = writeln!(
        text,
        "{:8}{:>9}{:>10}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}",
        "", "mean", "deviation", "p50", "p99", "p99.9", "max", "0-1ms", "1-100ms", ">100ms"
    );
    let mut line = |name: &str, latency: &Latency| {
        let distribution = &latency.distribution;
        let moments = distribution.moments();
        let Some(mean) = moments.mean() else { return };
        let quantile = |q| distribution.quantile(q).map_or("-".to_owned(), |value| nanos(value as f64));
        let share = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        let _ = writeln!(
            text,
            "{name:8}{:>9}{:>10}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}",
            nanos(mean),
            moments.stddev().map_or("-".to_owned(), nanos),
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
            quantile(1.0),
            share(latency.under_1ms()),
            share(latency.from_1_to_100ms()),
            share(latency.over_100ms())
        );
    };
    let kinds = Op::ALL.into_iter().filter(|op| analysis.op(*op).requests > 0);
    let kinds: Vec<Op> = kinds.collect();
    if kinds.len() > 1 {
        line("all", all);
    }
    kinds.iter().for_each(|op| line(&op.to_string(), of(*op)));
    let _ = writeln!(text);
}

pub(crate) fn bunches(text: &mut String, analysis: &TraceAnalysis, style: TerminalStyle) {
    for (op, words) in [(Op::Read, "reads"), (Op::Write, "writes")] {
        let found = analysis.bunching(op);
        if found.count() == 0 {
            continue;
        }
        style.wrap_plain(text, "", &bunching::verdict(found, words));
        if let Some(slow) = found.telling() {
            let indices = slow.dispersions();
            let indices: Vec<String> = indices
                .iter()
                .map(|found| format!("{:.2} in {}", found.index, nanos(found.window as f64)))
                .collect();
            let line = format!(
                "{} slow ({}), in {} episodes; frozen {}; dispersion (1 = chance) {}",
                whole(slow.slow()),
                percent(slow.p_slow()),
                whole(slow.episode_count()),
                nanos(slow.frozen() as f64),
                indices.join(", ")
            );
            style.wrap_plain(text, "  ", &line);
        }
    }
    let _ = writeln!(text);
}

/// What of the source is not in the figures.
fn left_out(text: &mut String, report: &TraceReport<'_>, style: TerminalStyle) {
    let counted = |text: &mut String, what: &str, reasons: &std::collections::BTreeMap<String, u64>| {
        for (reason, count) in reasons {
            style.wrap_plain(text, "  ", &format!("{what} {}: {reason}", whole(*count)));
        }
    };
    counted(text, "not taken", &report.rejected);
    counted(text, "not paired", &report.unpaired);
    if report.lost_events > 0 {
        style.wrap_plain(text, "  ", &format!("lost by the source: {} events", whole(report.lost_events)));
    }
    if report.other_lines > 0 {
        let line = format!("{} lines of the source are no records", whole(report.other_lines));
        style.wrap_plain(text, "  ", &line);
    }
    report.notices.iter().for_each(|notice| style.wrap_plain(text, "  ", notice));
}
