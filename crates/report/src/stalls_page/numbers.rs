//! The table of the method: completion times, delays, and the data between them, for all streams side by side.

use std::fmt::Write as _;

use super::{Shown, labels};
use crate::format::{bytes, nanos, rate, seconds, whole};
use crate::html::table;
use crate::stalls::{DELAY_DEFINITION, StallsDocument, precise_bytes};

const NONE: &str = "-";

/// What a figure measures: the unit of its value, and how the page shows it.
#[derive(Clone, Copy)]
enum Unit {
    Nanos,
    Bytes,
    /// Bytes of which a decimal more is of use: those between two delays.
    PreciseBytes,
    Count,
    MegabytesPerSecond,
    Seconds,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Nanos => "ns",
            Unit::Bytes | Unit::PreciseBytes => "bytes",
            Unit::Count => "",
            Unit::MegabytesPerSecond => "MB/s",
            Unit::Seconds => "s",
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers from 0 on")]
    fn text(self, value: f64) -> String {
        match self {
            Unit::Nanos => nanos(value),
            Unit::Bytes => bytes(value as u64),
            Unit::PreciseBytes => precise_bytes(value),
            Unit::Count => whole(value as u64),
            Unit::MegabytesPerSecond => format!("{} MB/s", rate(value)),
            Unit::Seconds => seconds(value),
        }
    }
}

/// A figure's name, its unit, and where its value is; none where a stream has no such figure.
type Row = (&'static str, Unit, fn(&StallsDocument) -> Option<f64>);

const ROWS: [Row; 17] = [
    ("Mean completion time", Unit::Nanos, |document| Some(document.write_ns.as_ref()?.mean)),
    ("Deviation", Unit::Nanos, |document| Some(document.write_ns.as_ref()?.stddev)),
    ("99th percentile", Unit::Nanos, |document| Some(document.write_ns.as_ref()?.p99 as f64)),
    ("Longest that is no delay", Unit::Nanos, |document| Some(document.write_ns.as_ref()?.max as f64)),
    ("Mean in the device, from issue (D2C)", Unit::Nanos, |document| in_device(document, "D2C")),
    ("Mean in the device, from request (Q2C)", Unit::Nanos, |document| in_device(document, "Q2C")),
    ("Delays", Unit::Count, |document| Some(document.delays.len() as f64)),
    ("Longer than", Unit::Nanos, |document| Some(document.delay_threshold_ns? as f64)),
    ("Mean delay", Unit::Nanos, |document| Some(document.delay_ns.as_ref()?.mean)),
    ("Deviation of delays", Unit::Nanos, |document| Some(document.delay_ns.as_ref()?.stddev)),
    ("Data since the last delay, mean", Unit::PreciseBytes, |document| {
        Some(document.bytes_between.as_ref()?.mean)
    }),
    ("Deviation of the data", Unit::PreciseBytes, |document| Some(document.bytes_between.as_ref()?.stddev)),
    ("Written", Unit::Bytes, |document| Some(document.written_bytes as f64)),
    ("Rate", Unit::MegabytesPerSecond, |document| document.mb_s),
    ("Took", Unit::Seconds, |document| Some(document.duration_s)),
    ("Blocks read back", Unit::Count, |document| {
        Some(document.findings.verification.as_ref()?.blocks as f64)
    }),
    ("Faulty blocks", Unit::Count, |document| Some(document.findings.verification.as_ref()?.faulty() as f64)),
];

/// The mean of the device's times, where they span what `measured` names.
fn in_device(document: &StallsDocument, measured: &str) -> Option<f64> {
    document.device_measured.as_deref().filter(|found| *found == measured)?;
    Some(document.device_ns.as_ref()?.mean)
}

/// A figure of each stream.
pub(super) struct Figure {
    pub name: &'static str,
    pub unit: &'static str,
    pub values: Vec<Option<f64>>,
    cells: Vec<String>,
}

/// Every figure that at least one stream has.
pub(super) fn figures(shown: &[Shown<'_>]) -> Vec<Figure> {
    let figure = |row: &Row| {
        let (name, unit, value) = *row;
        let values: Vec<Option<f64>> = shown.iter().map(|one| value(&one.document)).collect();
        let text = |value: &Option<f64>| value.map_or_else(|| NONE.to_owned(), |value| unit.text(value));
        let cells = values.iter().map(text).collect();
        Figure { name, unit: unit.name(), values, cells }
    };
    let all = ROWS.iter().map(figure);
    all.filter(|figure| figure.values.iter().any(Option::is_some)).collect()
}

/// The section that holds the table.
pub(super) fn section(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str("<section aria-labelledby=\"numbers-title\">\n<h2 id=\"numbers-title\">Numbers</h2>\n");
    table::open_compared(page, "numbers", "Numbers", "Figure", labels(shown));
    for figure in figures(shown) {
        table::row(page, figure.name, &figure.cells);
    }
    table::close(page);
    let _ = writeln!(
        page,
        "<p class=\"fine\">Completion times are those of the writes that are no delays. {DELAY_DEFINITION}</p>\n</section>"
    );
}
