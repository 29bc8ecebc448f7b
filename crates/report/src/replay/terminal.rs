//! A replay on the terminal.

use std::fmt::Write as _;

use drivelab_block::Op;

use super::document::{DirectionsDocument, FidelityDocument, ReplayDocument};
use super::{ReplayReport, document};
use crate::energy::energy_summary;
use crate::format::{bytes, nanos, percent, rate, whole};
use crate::terminal::TerminalStyle;
use crate::trace::{bunches, latencies};

/// The summary of a replay.
pub fn replay_terminal(report: &ReplayReport<'_>, style: TerminalStyle) -> String {
    let document = ReplayDocument::of(report);
    let made = report.replayed.made();
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.clean(&format!("{} on {}", report.trace, report.target)));
    if let Some(phases) = &report.trace_phases {
        style.wrap_plain(&mut text, "  ", &phases.sentence("replayed"));
    }
    style.wrap_plain(&mut text, "  ", &how(report));
    style.wrap_plain(&mut text, "  ", &amounts(report, &document));
    for line in kept(report, &document) {
        style.wrap_plain(&mut text, "  ", &line);
    }
    if let Some(warning) = report.lateness_warning() {
        style.wrap_plain(&mut text, "  ", &format!("WARNING: {warning}"));
    }
    let _ = writeln!(text);
    let title = "service time (submission to completion)";
    latencies(&mut text, title, made, &made.service(), |op| &made.op(op).service);
    if report.has_due_times {
        let title = "response time (from when a request was due)";
        latencies(&mut text, title, made, &made.response(), |op| &made.op(op).response);
    }
    for line in beside(report, &document) {
        style.wrap_plain(&mut text, "", &line);
    }
    bunches(&mut text, made, &report.slow, style);
    if let Some(energy) = &report.energy {
        text.push_str("\nenergy\n");
        text.push_str(&energy_summary(energy, style));
    }
    text
}

fn how(report: &ReplayReport<'_>) -> String {
    let waits = "(stalls are under-reported: the drive is waited for)";
    let mut parts = match report.timing.as_str() {
        "recorded" => vec!["recorded times, absolute schedule".to_owned()],
        "dependent" => vec![format!("think times kept after answers {waits}")],
        _ => vec![format!("no times, a fixed number in flight {waits}")],
    };
    if (report.speed - 1.0).abs() > f64::EPSILON {
        parts.push(format!("{} times as fast", report.speed));
    }
    if let Some((cut, cuts)) = report.idle_cut {
        parts.push(format!("idle time cut: {} (spans: {})", nanos(cut.get() as f64), whole(cuts)));
    }
    parts.push(format!("at most {} in flight", whole(u64::from(report.depth_limit))));
    if let (Some(granule), Some(touched)) = (report.map.granule_bytes, report.map.touched_bytes) {
        parts.push(format!("addresses moved together: {} in pieces of {granule} bytes", bytes(touched)));
    }
    parts.join("  ")
}

fn amounts(report: &ReplayReport<'_>, document: &ReplayDocument) -> String {
    let made = report.replayed.made();
    let mut parts = Vec::new();
    for op in Op::ALL {
        let found = made.op(op);
        if found.requests > 0 {
            parts.push(format!("{} {op} ({})", whole(found.requests), bytes(found.bytes)));
        }
    }
    let mut line = if parts.is_empty() { "nothing was replayed".to_owned() } else { parts.join("  ") };
    let _ = write!(line, " in {}", nanos(document.span_ns.replayed as f64));
    let asked = report.asked.requests();
    if made.requests() < asked {
        let _ = write!(line, "  {} of the trace's requests were not reached", whole(asked - made.requests()));
    }
    line + "  " + &ends(report, document)
}

fn ends(report: &ReplayReport<'_>, document: &ReplayDocument) -> String {
    let mut line =
        format!("{} failed  {} not recorded", whole(document.failed), whole(document.lost_records));
    let left_out = [
        (report.left_out.writes, "writes left out"),
        (report.left_out.discards, "discards left out"),
        (report.left_out.empty, "requests for nothing left out"),
        (report.widened, "widened to whole blocks"),
    ];
    for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(line, "  {} {what}", whole(count));
    }
    line
}

/// How well the replay kept to its times, in one line; `None` where it had none.
pub fn fidelity_line(document: &ReplayDocument) -> Option<String> {
    let FidelityDocument { lateness_ns, drift_ppm, inversions, .. } = &document.fidelity;
    let late = lateness_ns.as_ref()?;
    let [p50, p99, max] = [late.p50, late.p99, late.max].map(|late| nanos(late as f64));
    let drift = drift_ppm.map(|drift| format!("  drift {drift:.2} ppm")).unwrap_or_default();
    Some(format!(
        "fidelity: late by {p50} (p50), {p99} (p99), {max} at most{drift}  {} inversions",
        whole(*inversions)
    ))
}

/// How well the replay kept to the trace.
fn kept(report: &ReplayReport<'_>, document: &ReplayDocument) -> Vec<String> {
    let FidelityDocument { capped, held_back, late_steps, .. } = &document.fidelity;
    let mut lines = Vec::new();
    lines.extend(fidelity_line(document));
    if let document::IopsDocument { asked, achieved: Some(achieved) } = &document.iops {
        let asked = asked.map(|asked| format!(" of {} asked", rate(asked))).unwrap_or_default();
        lines.push(format!("{} requests a second{asked}", rate(*achieved)));
    }
    let mut events = Vec::new();
    for (count, what) in [
        (*capped, "found every slot taken and were sent late"),
        (*held_back, "waited for others on the same sectors"),
    ] {
        if count > 0 {
            events.push(format!("{} requests {what}", whole(count)));
        }
    }
    if *late_steps > 0 {
        events.push(format!("the trace's reader was late {} times", whole(*late_steps)));
    }
    if !events.is_empty() {
        lines.push(events.join("  "));
    }
    if let Some(filled) = report.filled {
        lines.push(format!("filled before: {}", bytes(filled.get())));
    }
    lines
}

/// The replay beside the trace itself.
fn beside(report: &ReplayReport<'_>, document: &ReplayDocument) -> Vec<String> {
    let of = |title: &str, found: &DirectionsDocument| {
        let directions = [("all", &found.all), ("reads", &found.read), ("writes", &found.write)];
        let known: Vec<String> = directions
            .into_iter()
            .filter_map(|(what, distance)| {
                let distance = distance.as_ref()?;
                let ratio = format!("{:.3} of the trace's mean", distance.ratio_of_means);
                Some(format!("{what} {ratio}, distance {}", percent(distance.ks)))
            })
            .collect();
        (!known.is_empty()).then(|| format!("{title} ({}): {}", report.measured, known.join("; ")))
    };
    let against = &document.against_trace;
    // Both stand beside the trace's service time: a response time counts from when the request was due, as that does.
    let service = of("service time beside the trace's", &against.service);
    [service, of("response time beside the trace's service time", &against.response)]
        .into_iter()
        .flatten()
        .collect()
}
