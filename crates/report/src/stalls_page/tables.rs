//! Buffers, delays, faults and conditions.

use std::fmt::Write as _;

use super::Shown;
use crate::format::{bytes, nanos, rate, span, whole};
use crate::html::{Escaped, Swatch, table};
use crate::stalls::{BufferDocument, DelayDocument, Need, OverflowDocument, SIZES, precise_bytes};

/// Delays and faults that are listed one by one, of each stream.
const ROWS: usize = 200;

/// The buffer for streams of several rates.
pub(super) fn buffers(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str("<section aria-labelledby=\"buffer-title\">\n<h2 id=\"buffer-title\">The buffer</h2>\n");
    table::open(page, "buffers", "Buffers", &["Stream", "Largest backlog", SIZES[0], SIZES[1], SIZES[2]]);
    for one in shown {
        if shown.len() > 1 {
            table::group(page, &one.report.label, 4);
        }
        for buffer in &one.document.buffer {
            let mut cells = vec![largest(buffer)];
            cells.extend(too_small(buffer));
            table::row(page, &format!("{} MB/s", rate(buffer.stream_mb_s)), &cells);
        }
    }
    table::close(page);
    page.push_str(
        "<p class=\"fine\">The run's own write times, replayed: what would have waited to be written. Large enough is the \
         least power of two that holds the largest backlog. Each buffer stands with the share of blocks for which it would \
         have been too small. A longer or a rarer delay than this run met needs more.</p>\n</section>\n",
    );
}

fn largest(buffer: &BufferDocument) -> String {
    let backlog = bytes(buffer.largest_backlog_bytes);
    match buffer.need() {
        Need::Endless => format!("{backlog} and growing"),
        Need::AtLeastBacklog => format!("{backlog} or more: the run was slower"),
        Need::Backlog => backlog,
    }
}

/// The cells of [`SIZES`].
fn too_small(buffer: &BufferDocument) -> Vec<String> {
    if buffer.overflow.is_empty() {
        return vec!["no buffer is".to_owned(); SIZES.len()];
    }
    buffer.overflow.iter().map(OverflowDocument::words).collect()
}

/// Every delay.
pub(super) fn delays(page: &mut String, shown: &[Shown<'_>]) {
    if shown.iter().all(|one| one.document.delays.is_empty()) {
        return;
    }
    page.push_str("<section aria-labelledby=\"delays-title\">\n<h2 id=\"delays-title\">Delays</h2>\n");
    table::open(
        page,
        "delays",
        "Delays",
        &["At", "Took", "In the device", "LBA", "Data since the last", "Health until the next"],
    );
    for one in shown {
        if shown.len() > 1 {
            table::group(page, &one.report.label, 5);
        }
        one.document.delays.iter().take(ROWS).for_each(|delay| delay_row(page, delay));
        if let Some(more) = one.document.delays.len().checked_sub(ROWS).filter(|more| *more > 0) {
            table::row(page, &format!("and {} more", whole(more as u64)), &[]);
        }
    }
    table::close(page);
    units(page, shown);
    page.push_str("</section>\n");
}

/// What an LBA counts.
fn units(page: &mut String, shown: &[Shown<'_>]) {
    let mut units: Vec<u32> = shown.iter().map(|one| one.document.logical_block_bytes).collect();
    units.dedup();
    let units: Vec<String> = units.iter().map(u32::to_string).collect();
    let _ =
        writeln!(page, "<p class=\"fine\">An LBA is a logical block, of {} bytes.</p>", units.join(" or "));
}

fn delay_row(page: &mut String, delay: &DelayDocument) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds from the start")]
    let at = (delay.at_s * 1e9) as u64;
    let cells = [
        nanos(delay.duration_ns as f64),
        delay.device_ns.map_or("-".to_owned(), |time| nanos(time as f64)),
        whole(delay.lba),
        delay.bytes_since_previous.map_or("-".to_owned(), |since| precise_bytes(since as f64)),
        delay.health.to_string(),
    ];
    table::row(page, &span(at), &cells);
}

/// Blocks that are not as they were written.
pub(super) fn faults(page: &mut String, shown: &[Shown<'_>]) {
    let found = |one: &Shown<'_>| one.document.findings.verification.clone().unwrap_or_default().faults;
    if shown.iter().all(|one| found(one).is_empty()) {
        return;
    }
    page.push_str(
        "<section aria-labelledby=\"faults-title\">\n<h2 id=\"faults-title\">Not as written</h2>\n",
    );
    table::open(page, "faults", "Faults", &["Kind", "LBA", "Block from LBA", "Expected", "Found"]);
    for one in shown {
        if shown.len() > 1 {
            table::group(page, &one.report.label, 4);
        }
        for fault in found(one).iter().take(ROWS) {
            let expected = format!("write {}", whole(fault.expected_write));
            let cells = [whole(fault.wrong_lba), whole(fault.lba), expected, fault.found.clone()];
            table::row(page, &fault.kind, &cells);
        }
    }
    table::close(page);
    units(page, shown);
    page.push_str("</section>\n");
}

/// The surroundings of every stream.
pub(super) fn conditions(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str(
        "<section aria-labelledby=\"conditions-title\">\n<h2 id=\"conditions-title\">Conditions</h2>\n",
    );
    for (index, one) in shown.iter().enumerate() {
        let label = Escaped(&one.report.label);
        let _ = writeln!(page, "<details><summary>{}{label}</summary>", Swatch(index));
        table::open(page, "", "Conditions", &["Condition", "Value"]);
        let mut group = "";
        for condition in &one.report.conditions {
            if condition.group != group {
                table::group(page, &condition.group, 1);
                group = &condition.group;
            }
            table::row(page, &condition.name, std::slice::from_ref(&condition.value));
        }
        table::close(page);
        page.push_str("</details>\n");
        for notice in &one.report.notices {
            let _ = writeln!(page, "<p class=\"fine\">{}</p>", Escaped(&notice.text));
        }
    }
    page.push_str("</section>\n");
}
