//! What each trace comes to, first in words, and what of its source is not in the figures.

use std::fmt::Write as _;

use drivelab_analysis::{Latency, Shares};
use drivelab_block::Op;

use crate::format::{nanos, percent, span, whole};
use crate::html::{Escaped, Swatch, unbroken};
use crate::trace::{TraceReport, bunching};

/// The directions that are told apart, in words.
pub(super) const DIRECTIONS: [(Op, &str); 2] = [(Op::Read, "reads"), (Op::Write, "writes")];

/// The first section: verdicts and headline figures of every trace.
pub(super) fn section(page: &mut String, reports: &[TraceReport<'_>]) {
    page.push_str("<section class=\"verdicts\" aria-label=\"Verdicts\">\n");
    reports.iter().enumerate().for_each(|(index, report)| card(page, report, index));
    page.push_str("</section>\n");
}

fn card(page: &mut String, report: &TraceReport<'_>, index: usize) {
    let analysis = report.analysis;
    let _ = writeln!(
        page,
        "<article class=\"verdict\">\n<h2>{}{}</h2>\n<p class=\"fine\">{}, {} requests in {}: {}</p>",
        Swatch(index),
        Escaped(&unbroken(&report.label)),
        Escaped(&report.source),
        whole(analysis.requests()),
        span(analysis.span()),
        measured_words(report)
    );
    if let Some(words) = bunching::same_threshold(report.slow.threshold) {
        let _ = writeln!(page, "<p class=\"fine\">{}</p>", Escaped(&words));
    }
    if let Some(phases) = &report.phases {
        let _ = writeln!(page, "<p class=\"fine\">{}</p>", Escaped(&phases.sentence("shown")));
    }
    for (op, words) in DIRECTIONS {
        let (found, judged) = (analysis.bunching(op), report.slow.judged(op));
        if found.count() > 0 {
            let verdict = bunching::verdict(found, judged, words);
            let _ = writeln!(page, "<p class=\"words\">{}</p>", Escaped(&unbroken(&verdict)));
        }
    }
    if DIRECTIONS.iter().any(|(op, _)| analysis.op(*op).service.shares().is_some()) {
        shares(page, report);
    }
    page.push_str("</article>\n");
}

fn measured_words(report: &TraceReport<'_>) -> &'static str {
    match report.measured() {
        "D2C" => "service times from issue to completion (D2C).",
        "Q2C" => "times from request to completion (Q2C), waiting above the device included.",
        "mixed" => "service times (D2C, or Q2C where a device shows no issues).",
        _ => "the source knows no durations, so service times are not shown.",
    }
}

/// Mean and headline buckets of reads and writes.
fn shares(page: &mut String, report: &TraceReport<'_>) {
    page.push_str(
        "<table class=\"shares\"><thead><tr><th scope=\"col\"></th><th scope=\"col\">Mean</th>\
         <th scope=\"col\"><i class=\"bucket quick\"></i>0-1 ms</th>\
         <th scope=\"col\"><i class=\"bucket middle\"></i>1-100 ms</th>\
         <th scope=\"col\"><i class=\"bucket long\"></i>&gt; 100 ms</th></tr></thead>\n<tbody>\n",
    );
    for (op, words) in DIRECTIONS {
        let latency: &Latency = &report.analysis.op(op).service;
        let Some(found) = latency.shares() else { continue };
        let mean = latency.distribution.moments().mean().map_or("-".to_owned(), nanos);
        let Shares { under_1ms, from_1_to_100ms, over_100ms } = found;
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{words}</th><td>{mean}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n\
             <tr class=\"bar\" aria-hidden=\"true\"><td colspan=\"5\">{}</td></tr>",
            percent(under_1ms),
            percent(from_1_to_100ms),
            percent(over_100ms),
            bar(found)
        );
    }
    page.push_str("</tbody></table>\n");
}

/// The shares as lengths; the policy of the page admits no style of an element's own.
fn bar(shares: Shares) -> String {
    let (first, second) = (shares.under_1ms * 100.0, (shares.under_1ms + shares.from_1_to_100ms) * 100.0);
    format!(
        "<svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\">\
         <rect class=\"quick\" width=\"{first:.2}\" height=\"4\"/>\
         <rect class=\"middle\" x=\"{first:.2}\" width=\"{:.2}\" height=\"4\"/>\
         <rect class=\"long\" x=\"{second:.2}\" width=\"{:.2}\" height=\"4\"/></svg>",
        second - first,
        100.0 - second
    )
}

/// What of the sources is not in the figures; nothing where all is.
pub(super) fn left_out(page: &mut String, reports: &[TraceReport<'_>]) {
    let lists: Vec<Vec<String>> = reports.iter().map(TraceReport::left_out).collect();
    if lists.iter().all(Vec::is_empty) {
        return;
    }
    page.push_str(
        "<section aria-labelledby=\"left-title\">\n<h2 id=\"left-title\">Not in the figures</h2>\n",
    );
    for (index, (report, list)) in reports.iter().zip(&lists).enumerate() {
        if list.is_empty() {
            continue;
        }
        if reports.len() > 1 {
            let _ = writeln!(page, "<p class=\"among\">{}{}</p>", Swatch(index), Escaped(&report.label));
        }
        page.push_str("<ul class=\"notices\">\n");
        list.iter().for_each(|line| {
            let _ = writeln!(page, "<li>{}</li>", Escaped(line));
        });
        page.push_str("</ul>\n");
    }
    page.push_str("</section>\n");
}
