//! A stream on the terminal.

use std::fmt::Write as _;

use super::document::{DelayDocument, SpreadDocument, StallsDocument, WriteTimesDocument};
use super::{Need, OverflowDocument, StallsReport, VerificationDocument};
use crate::energy::energy_summary;
use crate::format::{bytes, nanos, percent, rate, span, whole};
use crate::terminal::TerminalStyle;

/// Delays that are listed one by one.
const DELAYS: usize = 20;
/// Faults that are listed one by one.
const FAULTS: usize = 20;

/// The summary of a stream.
pub fn stalls_terminal(report: &StallsReport<'_>, style: TerminalStyle) -> String {
    let document = StallsDocument::of(report);
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.clean(&report.label));
    style.wrap_plain(&mut text, "  ", &how(&document));
    if let Some(line) = rest(&document) {
        style.wrap_plain(&mut text, "  ", &line);
    }
    let _ = writeln!(text);
    times(&mut text, &document);
    delays(&mut text, &document, style);
    verification(&mut text, &document, style);
    buffer(&mut text, &document, style);
    if let Some(energy) = &report.energy {
        text.push_str("\nenergy\n");
        text.push_str(&energy_summary(energy, style));
    }
    text
}

fn how(document: &StallsDocument) -> String {
    let pace = match document.rate_asked_mb_s {
        Some(asked) => format!("{} MB/s asked for", rate(asked)),
        None => "as fast as the drive goes (closed loop)".to_owned(),
    };
    let speed = document.mb_s.map(|speed| {
        let lasted = span(nanoseconds(document.duration_s));
        format!("  {} MB/s over {lasted}", rate(speed))
    });
    format!(
        "{} written in blocks of {}, {} in flight, {pace}{}",
        bytes(document.written_bytes),
        bytes(document.block_bytes),
        document.queue_depth,
        speed.unwrap_or_default()
    )
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration in seconds, above 0")]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

/// The reference's table: completion time and deviation, delay and deviation, data since the last and its deviation.
fn times(text: &mut String, document: &StallsDocument) {
    if let Some(WriteTimesDocument { count, mean, stddev, p99, max }) = &document.write_ns {
        let besides = if document.delays.is_empty() { "" } else { ", without the delays" };
        let _ = writeln!(
            text,
            "  writes   {} mean, {} deviation, {} p99, {} longest, {} of them{besides}",
            nanos(*mean),
            nanos(*stddev),
            nanos(*p99 as f64),
            nanos(*max as f64),
            whole(*count)
        );
    }
    if let (Some(times), Some(measured)) = (&document.device_ns, &document.device_measured) {
        let what = if measured == "D2C" { "issue to completion" } else { "request to completion" };
        let _ = writeln!(
            text,
            "  device   {} mean, {} deviation, {} p99, {} longest, {} of them ({what}, {measured})",
            nanos(times.mean),
            nanos(times.stddev),
            nanos(times.p99 as f64),
            nanos(times.max as f64),
            whole(times.count)
        );
    }
    if let Some(SpreadDocument { count, mean, stddev }) = &document.delay_ns {
        let _ = writeln!(
            text,
            "  delays   {} mean, {} deviation, {} of them (longer than {})",
            nanos(*mean),
            nanos(*stddev),
            whole(*count),
            nanos(document.delay_threshold_ns.unwrap_or(0) as f64)
        );
    }
    if let Some(SpreadDocument { mean, stddev, .. }) = &document.bytes_between {
        let _ = writeln!(
            text,
            "  between  {} mean, {} deviation, from one delay to the next",
            precise_bytes(*mean),
            precise_bytes(*stddev)
        );
    }
}

/// Bytes in decimal units with a decimal, as the distances between delays are told: `499.7 GB`.
pub(crate) fn precise_bytes(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = UNITS.iter().find(|(factor, _)| value >= *factor);
    match unit {
        Some((factor, name)) if value / factor < 10.0 => format!("{:.3} {name}", value / factor),
        Some((factor, name)) => format!("{:.1} {name}", value / factor),
        None => format!("{value:.0} B"),
    }
}

/// What is said where the drive had rest between writes that were to come one right after the other.
pub(crate) fn rest(document: &StallsDocument) -> Option<String> {
    const WHOLE: f64 = 0.9;
    let busy = document.busy_share.filter(|busy| document.rate_asked_mb_s.is_none() && *busy < WHOLE)?;
    Some(format!(
        "A write was in flight in {} of the time: in the rest blocks were prepared or read back, and the drive rested. It may \
         take more than this, and longer delays may not have shown.",
        percent(busy)
    ))
}

/// What is said where no delay was found.
pub(crate) fn no_delay(document: &StallsDocument) -> String {
    if document.write_ns.is_none() {
        let why =
            if document.failed > 0 { "every write failed" } else { "the end came before that of a write" };
        return format!("Nothing was written: {why}.");
    }
    let missed = bytes(document.may_have_missed_bytes);
    format!(
        "No write stands out from the rest. A delay that comes less often than every {missed} may not have shown (95 % \
         confidence)."
    )
}

fn delays(text: &mut String, document: &StallsDocument, style: TerminalStyle) {
    let unknown = document.findings.health.unknown();
    if document.delays.is_empty() {
        style.wrap_plain(text, "  ", &no_delay(document));
    } else {
        let missed = bytes(document.may_have_missed_bytes);
        let _ = writeln!(
            text,
            "\n  {:>14}{:>12}{:>16}  data since the one before",
            "delay at",
            "took",
            &format!("LBA ({} B)", document.logical_block_bytes)
        );
        for delay in document.delays.iter().take(DELAYS) {
            line_of(text, delay, unknown.is_none());
        }
        if document.delays.len() > DELAYS {
            let _ = writeln!(text, "  and {} more", whole((document.delays.len() - DELAYS) as u64));
        }
        let line = format!(
            "Other delays that come less often than every {missed} may not have shown (95 % confidence)."
        );
        style.wrap_plain(text, "  ", &line);
    }
    if let Some(unknown) = unknown {
        style.wrap_plain(text, "  ", &format!("The drive's health: {unknown}."));
    }
}

/// A delay; with what is known of the drive's health after it, where that differs from delay to delay.
fn line_of(text: &mut String, delay: &DelayDocument, has_health: bool) {
    let since = delay.bytes_since_previous.map_or("-".to_owned(), |since| precise_bytes(since as f64));
    let health = if has_health { format!("  health: {}", delay.health) } else { String::new() };
    let device =
        delay.device_ns.map_or(String::new(), |time| format!("  ({} in the device)", nanos(time as f64)));
    let _ = writeln!(
        text,
        "  {:>14}{:>12}{:>16}  {since}{device}{health}",
        span(nanoseconds(delay.at_s)),
        nanos(delay.duration_ns as f64),
        whole(delay.lba)
    );
}

fn verification(text: &mut String, document: &StallsDocument, style: TerminalStyle) {
    let Some(found) = &document.findings.verification else {
        style.wrap_plain(text, "  ", "Nothing was read back: what the drive holds was not verified.");
        return;
    };
    let _ = writeln!(text);
    list(text, found, style, Some(document.logical_block_bytes));
}

/// What was read back after a crash, from a drive with logical blocks of so many bytes.
pub fn verification_terminal(
    label: &str,
    found: &VerificationDocument,
    logical_block: u32,
    style: TerminalStyle,
) -> String {
    let mut text = format!("{}\n", style.clean(label));
    list(&mut text, found, style, Some(logical_block));
    text
}

fn list(text: &mut String, found: &VerificationDocument, style: TerminalStyle, lba_bytes: Option<u32>) {
    style.wrap_plain(text, "  ", &verified(found));
    for fault in found.faults.iter().take(FAULTS) {
        let line = format!(
            "{} at LBA {} (block from {}): write {} expected, {} found",
            fault.kind,
            whole(fault.wrong_lba),
            whole(fault.lba),
            whole(fault.expected_write),
            fault.found
        );
        style.wrap_plain(text, "    ", &line);
    }
    if let (Some(bytes), false) = (lba_bytes, found.faults.is_empty()) {
        style.wrap_plain(text, "    ", &format!("An LBA is a logical block of {bytes} bytes."));
    }
    if found.faults.len() > FAULTS {
        let _ = writeln!(text, "    and {} more", whole((found.faults.len() - FAULTS) as u64));
    }
}

/// What was read back, in one sentence.
pub(crate) fn verified(found: &VerificationDocument) -> String {
    if found.blocks + found.unreadable == 0 {
        return "Nothing was read back: what the drive holds was not verified.".to_owned();
    }
    let mut line = format!("{} blocks read back", whole(found.blocks));
    if found.faulty() == 0 {
        line += ": all are as they were written.";
    } else {
        let kinds = [
            (found.flipped, "flipped"),
            (found.torn, "torn"),
            (found.misplaced, "misplaced"),
            (found.stale, "stale"),
            (found.missing, "missing"),
            (found.unreadable, "unreadable"),
        ];
        let named: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{} {kind}", whole(*count)))
            .collect();
        let _ = write!(line, ", {} of them NOT as written: {}.", whole(found.faulty()), named.join(", "));
    }
    if found.left > 0 {
        let _ = write!(line, " {} more were written and not read back.", whole(found.left));
    }
    if found.not_judged > 0 {
        let _ = write!(line, " {} were not judged: their last write had failed.", whole(found.not_judged));
    }
    line
}

fn buffer(text: &mut String, document: &StallsDocument, style: TerminalStyle) {
    if document.buffer.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n  {:>14}{:>18}  buffers, and the share of blocks for which each is too small",
        "stream", "largest backlog"
    );
    for buffer in &document.buffer {
        let sizes: Vec<String> = buffer.overflow.iter().map(OverflowDocument::words).collect();
        let note = match buffer.need() {
            Need::Endless => "and growing: the drive does not keep up".to_owned(),
            Need::AtLeastBacklog => format!("{}, or more: the run itself was slower", sizes.join(", ")),
            Need::Backlog => sizes.join(", "),
        };
        let backlog = bytes(buffer.largest_backlog_bytes);
        let _ = writeln!(text, "  {:>9} MB/s{backlog:>18}  {note}", rate(buffer.stream_mb_s));
    }
    style.wrap_plain(
        text,
        "  ",
        "The largest backlog is the buffer that the stream would have needed in this run: a longer or rarer delay needs more. \
         Leave room.",
    );
}
