//! A trace on the terminal.

use std::fmt::Write as _;

use drivelab_analysis::{Latency, Shares, TraceAnalysis};
use drivelab_block::Op;

use super::{SlowReport, TraceReport, bunching};
use crate::format::{bytes, nanos, percent, rate, span, whole};
use crate::terminal::TerminalStyle;

/// Devices that are listed; the busiest ones.
const DEVICES: usize = 16;

/// The summary of a trace.
pub fn trace_terminal(report: &TraceReport<'_>, style: TerminalStyle) -> String {
    let analysis = report.analysis;
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.clean(&format!("{} ({})", report.label, report.source)));
    if let Some(phases) = &report.phases {
        style.wrap_plain(&mut text, "  ", &phases.sentence("shown"));
    }
    let _ = writeln!(text);
    totals(&mut text, report);
    let title = match report.measured() {
        "D2C" => "service time (issue to completion, D2C)",
        "Q2C" => "time from request to completion (Q2C: waiting above the device is part of it)",
        "mixed" => "service time (D2C, or Q2C where a device shows no issues)",
        _ => "",
    };
    if analysis.requests() == 0 {
        style.wrap_plain(&mut text, "", "There are no requests in it.");
    } else if title.is_empty() {
        style.wrap_plain(&mut text, "", "The source knows no durations: service times are not shown.");
    } else {
        let service = analysis.service();
        let title = title.to_owned() + &covering(analysis, &service);
        latencies(&mut text, &title, analysis, &service, |op| &analysis.op(op).service);
        let response = analysis.response();
        if response.distribution.moments().count() > 0 {
            let title =
                "response time (with the wait before the issue)".to_owned() + &covering(analysis, &response);
            latencies(&mut text, &title, analysis, &response, |op| &analysis.op(op).response);
        }
        by_device(&mut text, report, style);
        bunches(&mut text, analysis, &report.slow, style);
    }
    report.left_out().iter().for_each(|line| style.wrap_plain(&mut text, "  ", line));
    text
}

/// Of how many requests a time is known, where not of all.
fn covering(analysis: &TraceAnalysis, latency: &Latency) -> String {
    let (known, all) = (latency.distribution.moments().count(), analysis.requests());
    if known == all { String::new() } else { format!(", known of {} of {}", whole(known), whole(all)) }
}

fn totals(text: &mut String, report: &TraceReport<'_>) {
    let analysis = report.analysis;
    let lasted = analysis.span() as f64;
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
    let per_second = analysis.requests() as f64 / (lasted / 1e9);
    let _ = write!(text, "\nspan {}, {} requests a second", span(analysis.span()), rate(per_second));
    if let Some(idle) = analysis.idle() {
        let _ = write!(text, ", idle {} of it", percent(idle.sum() as f64 / lasted.max(1.0)));
    }
    if let Some((mean, max)) = analysis.queue_depth().and_then(|depth| depth.mean().zip(depth.max())) {
        let _ = write!(
            text,
            "; a request finds {} in flight on average, itself counted, {} at most",
            rate(mean),
            whole(max)
        );
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
        let share =
            |pick: fn(&Shares) -> f64| latency.shares().map_or("-".to_owned(), |found| percent(pick(&found)));
        let _ = writeln!(
            text,
            "{name:8}{:>9}{:>10}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}",
            nanos(mean),
            moments.stddev().map_or("-".to_owned(), nanos),
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
            quantile(1.0),
            share(|shares| shares.under_1ms),
            share(|shares| shares.from_1_to_100ms),
            share(|shares| shares.over_100ms)
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

pub(crate) fn bunches(
    text: &mut String,
    analysis: &TraceAnalysis,
    report: &SlowReport,
    style: TerminalStyle,
) {
    if let Some(words) = bunching::same_threshold(report.threshold) {
        style.wrap_plain(text, "", &words);
    }
    for (op, words) in [(Op::Read, "reads"), (Op::Write, "writes")] {
        let (found, judged) = (analysis.bunching(op), report.judged(op));
        if found.count() == 0 {
            continue;
        }
        style.wrap_plain(text, "", &bunching::verdict(found, judged, words));
        if let Some(slow) = judged.slow(found) {
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
        if let Some(words) = bunching::chance_words(&judged.chance) {
            style.wrap_plain(text, "  ", &words);
        }
    }
    let _ = writeln!(text);
}

/// Reads and writes of each device, where there are several.
fn by_device(text: &mut String, report: &TraceReport<'_>, style: TerminalStyle) {
    let used = report.used_devices();
    if used.len() < 2 {
        return;
    }
    let _ = writeln!(text, "by device");
    let _ = writeln!(
        text,
        "  {:16}{:>11}{:>9}{:>9}{:>9}{:>8}{:>8}{:>8}",
        "", "requests", "bytes", "mean", "max", "0-1ms", "1-100ms", ">100ms"
    );
    for (device, found) in used.iter().take(DEVICES) {
        let name = style.clean(&device.name);
        for (op, kind) in [(&found.reads, "read"), (&found.writes, "write")] {
            let Some(shares) = op.service.shares() else { continue };
            let moments = op.service.moments;
            let label = format!("{} {kind}", shortened(&name, 10));
            let _ = writeln!(
                text,
                "  {label:16}{:>11}{:>9}{:>9}{:>9}{:>8}{:>8}{:>8}",
                whole(op.requests),
                bytes(op.bytes),
                moments.mean().map_or("-".to_owned(), nanos),
                moments.max().map_or("-".to_owned(), |max| nanos(max as f64)),
                percent(shares.under_1ms),
                percent(shares.from_1_to_100ms),
                percent(shares.over_100ms)
            );
        }
    }
    if let Some(more) = used.len().checked_sub(DEVICES).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {} devices with fewer requests: --json has all", whole(more as u64));
    }
    let _ = writeln!(text);
}

/// The end of a name that is too long for its column: it tells devices apart better than the beginning.
fn shortened(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count + 2 - most).collect();
    format!("..{end}")
}

/// Several traces side by side: what they have in common to compare.
pub fn traces_terminal(reports: &[TraceReport<'_>], style: TerminalStyle) -> String {
    let mut text = String::from("side by side\n");
    let _ = writeln!(
        text,
        "{:24}{:>12}{:>11}{:>11}{:>11}{:>11}",
        "", "requests", "mean read", "mean write", "rd >100ms", "wr >100ms"
    );
    for report in reports {
        let name = shortened(&style.clean(&report.label), 22);
        let of = |op| &report.analysis.op(op).service;
        let mean = |op| of(op).distribution.moments().mean().map_or("-".to_owned(), nanos);
        let long = |op| of(op).shares().map_or("-".to_owned(), |shares| percent(shares.over_100ms));
        let _ = writeln!(
            text,
            "{name:24}{:>12}{:>11}{:>11}{:>11}{:>11}",
            whole(report.analysis.requests()),
            mean(Op::Read),
            mean(Op::Write),
            long(Op::Read),
            long(Op::Write)
        );
    }
    text
}
