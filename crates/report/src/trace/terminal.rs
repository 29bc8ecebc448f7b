//! Latencies and slow I/Os on the terminal.

use std::fmt::Write as _;

use drivelab_analysis::{Latency, Shares, TraceAnalysis};
use drivelab_block::Op;
use drivelab_inspect::slow::SlowReport;

use super::bunching;
use crate::format::{nanos, percent, whole};
use crate::terminal::TerminalStyle;

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
