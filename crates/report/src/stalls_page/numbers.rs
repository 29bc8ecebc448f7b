//! The table of the method: completion times, delays, and the data between them, for all streams side by side.

use super::{Shown, labels};
use crate::format::{bytes, nanos, rate, seconds, whole};
use crate::html::table;
use crate::stalls::{SpreadDocument, StallsDocument, WriteTimesDocument, precise_bytes};

const NONE: &str = "-";

/// A row's name and how its cell is made.
type Row = (&'static str, fn(&StallsDocument) -> Option<String>);

const ROWS: [Row; 15] = [
    ("Mean completion time", |document| rest(document, |times| times.mean)),
    ("Deviation", |document| rest(document, |times| times.stddev)),
    ("99th percentile", |document| rest(document, |times| times.p99 as f64)),
    ("Longest that is no delay", |document| rest(document, |times| times.max as f64)),
    ("Mean in the device", |document| {
        let measured = document.device_measured.as_ref()?;
        Some(format!("{} ({measured})", nanos(document.device_ns.as_ref()?.mean)))
    }),
    ("Delays", |document| Some(whole(document.delays.len() as u64))),
    ("Longer than", |document| Some(nanos(document.delay_threshold_ns? as f64))),
    ("Mean delay", |document| delay(document, |spread| spread.mean)),
    ("Deviation of delays", |document| delay(document, |spread| spread.stddev)),
    ("Data since the last delay, mean", |document| {
        Some(precise_bytes(document.bytes_between.as_ref()?.mean))
    }),
    ("Deviation of the data", |document| Some(precise_bytes(document.bytes_between.as_ref()?.stddev))),
    ("Written", |document| Some(bytes(document.written_bytes))),
    ("Rate", |document| Some(format!("{} MB/s", rate(document.mb_s?)))),
    ("Took", |document| Some(seconds(document.duration_s))),
    ("Faulty blocks of those read back", |document| {
        let found = document.findings.verification.as_ref()?;
        Some(format!("{} of {}", whole(found.faulty()), whole(found.blocks)))
    }),
];

fn rest(document: &StallsDocument, pick: fn(&WriteTimesDocument) -> f64) -> Option<String> {
    document.write_ns.as_ref().map(|times| nanos(pick(times)))
}

fn delay(document: &StallsDocument, pick: fn(&SpreadDocument) -> f64) -> Option<String> {
    document.delay_ns.as_ref().map(|spread| nanos(pick(spread)))
}

/// The section that holds the table.
pub(super) fn section(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str("<section aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n");
    table::open_compared(page, "numbers", "Numbers", "Figure", labels(shown));
    for (name, cell) in ROWS {
        let cells: Vec<String> =
            shown.iter().map(|one| cell(&one.document).unwrap_or_else(|| NONE.to_owned())).collect();
        table::row(page, name, &cells);
    }
    table::close(page);
    page.push_str(
        "<p class=\"fine\">Completion times are those of the writes that do not stand out. A write is a delay where the \
         times have a gap: nothing lies between it and half of it, it took three times the median or more, and at most \
         5 % of the writes took as long.</p>\n</section>\n",
    );
}
