//! What each stream comes to, in words.

use std::fmt::Write as _;

use super::Shown;
use crate::format::{bytes, nanos, rate, whole};
use crate::html::{Escaped, Swatch, unbroken};
use crate::run::Severity;
use crate::stalls::{BufferDocument, Need, StallsDocument, no_delay, precise_bytes, rest, verified};

/// The first section: verdicts of every stream.
pub(super) fn section(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str("<section class=\"verdicts\" aria-label=\"Verdicts\">\n");
    shown.iter().enumerate().for_each(|(index, one)| card(page, one, index));
    page.push_str("</section>\n");
}

fn card(page: &mut String, one: &Shown<'_>, index: usize) {
    let document = &one.document;
    let _ = writeln!(
        page,
        "<article class=\"verdict\">\n<h2>{}{}</h2>\n<p class=\"fine\">{}</p>",
        Swatch(index),
        Escaped(&unbroken(&one.report.label)),
        Escaped(&written(document))
    );
    let lines = rest(document).into_iter().chain([stalls(document), verification(document)]);
    for line in lines.chain(needs(document)) {
        let _ = writeln!(page, "<p class=\"words\">{}</p>", Escaped(&unbroken(&line)));
    }
    let grave = one.report.notices.iter().filter(|notice| notice.severity != Severity::Note);
    // What was read back is said above.
    let grave = grave.filter(|notice| !notice.text.ends_with("are not as they were written."));
    for notice in grave {
        let _ = writeln!(page, "<p class=\"words\">{}</p>", Escaped(&notice.text));
    }
    page.push_str("</article>\n");
}

fn written(document: &StallsDocument) -> String {
    let pace = if document.rate_asked_mb_s.is_some() {
        "on a schedule"
    } else {
        "as fast as the drive goes (closed loop)"
    };
    let speed = document.mb_s.map(|speed| format!(": {} MB/s", rate(speed)));
    format!(
        "{} in blocks of {}, {} in flight, {pace}{}.",
        bytes(document.written_bytes),
        bytes(document.block_bytes),
        document.queue_depth,
        speed.unwrap_or_default()
    )
}

/// The delays in one sentence.
fn stalls(document: &StallsDocument) -> String {
    let Some(delay) = &document.delay_ns else { return no_delay(document) };
    let missed = bytes(document.may_have_missed_bytes);
    let rest = document.write_ns.as_ref().map_or(0.0, |times| times.mean);
    let between = document
        .bytes_between
        .as_ref()
        .map(|between| format!(", one every {}", precise_bytes(between.mean)))
        .unwrap_or_default();
    format!(
        "{} {} of {} on average{between}, among writes of {}; others that come less often than every {missed} may not have \
         shown (95 % confidence).",
        whole(delay.count),
        if delay.count == 1 { "delay" } else { "delays" },
        nanos(delay.mean),
        nanos(rest)
    )
}

fn verification(document: &StallsDocument) -> String {
    match &document.findings.verification {
        Some(found) => verified(found),
        None => "Nothing was read back: what the drive holds was not verified.".to_owned(),
    }
}

/// The buffers for the streams that were asked for, or else for the fastest that the drive keeps up with.
fn needs(document: &StallsDocument) -> Option<String> {
    let asked: Vec<String> = document.buffer.iter().filter(|buffer| buffer.asked).map(buffer_for).collect();
    let fastest =
        || document.buffer.iter().rev().find(|buffer| buffer.need() != Need::Endless).map(buffer_for);
    if asked.is_empty() { fastest() } else { Some(asked.join(" ")) }
}

fn buffer_for(buffer: &BufferDocument) -> String {
    let stream = format!("A stream of {} MB/s", rate(buffer.stream_mb_s));
    let backlog = bytes(buffer.largest_backlog_bytes);
    match buffer.need() {
        Need::Endless => format!("{stream} is more than the drive takes: no buffer is large enough."),
        Need::AtLeastBacklog => {
            format!("{stream} was not reached by this run: it needs a buffer of {backlog} or more.")
        }
        Need::Backlog => format!("{stream} would have needed a buffer of {backlog}."),
    }
}
