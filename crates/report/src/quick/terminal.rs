//! A quick look on the terminal.

use std::fmt::Write as _;

use super::QuickReport;
use super::document::{PlaceDocument, QuickDocument};
use crate::format::{bytes, nanos, rate, whole};
use crate::terminal::TerminalStyle;

/// Rows of the curve: each joins as many places.
const ROWS: usize = 10;
/// The longest bar.
const BAR: usize = 40;

/// The summary of a quick look.
pub fn quick_terminal(report: &QuickReport, style: TerminalStyle) -> String {
    let document = QuickDocument::of(report);
    let mut text = format!("{} ({})\n", style.clean(&document.target), bytes(document.size_bytes));
    for (name, mean) in [("read", document.read_mb_s), ("write", document.write_mb_s)] {
        if let Some(mean) = mean {
            let rates = rates_of(&document, name);
            let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
            let count = rates.len();
            let _ = writeln!(
                text,
                "  {name:<8}{} MB/s, mean of {count} places; the slowest {}",
                rate(mean),
                rate(slowest)
            );
        }
    }
    if let Some(access) = &document.access_time_ns {
        let _ = writeln!(
            text,
            "  access  {} mean, {} deviation, {} longest, of {} random reads of {} B",
            nanos(access.mean),
            nanos(access.stddev),
            nanos(access.max as f64),
            access.count,
            document.logical_block_bytes
        );
    }
    for (name, of) in CURVES {
        let rates: Vec<(u64, f64)> =
            document.curve.iter().filter_map(|place| Some((place.lba, of(place)?))).collect();
        if !rates.is_empty() {
            bars(&mut text, name, &rates, style);
        }
    }
    text
}

/// A figure of a place.
type Figure = fn(&PlaceDocument) -> Option<f64>;
const CURVES: [(&str, Figure); 2] = [("read", |place| place.read_mb_s), ("write", |place| place.write_mb_s)];

/// The rates of all places that have one.
fn rates_of(document: &QuickDocument, name: &str) -> Vec<f64> {
    let figure = CURVES.iter().find(|(curve, _)| *curve == name).map(|(_, figure)| figure);
    document.curve.iter().filter_map(|place| figure.and_then(|figure| figure(place))).collect()
}

/// A row for every tenth of the places, with the mean of their rates as a bar from zero on.
fn bars(text: &mut String, name: &str, rates: &[(u64, f64)], style: TerminalStyle) {
    let rows = rates.chunks(rates.len().div_ceil(ROWS));
    let means: Vec<(u64, f64)> = rows
        .map(|row| (row[0].0, row.iter().map(|(_, rate)| rate).sum::<f64>() / row.len() as f64))
        .collect();
    let most = means.iter().map(|(_, mean)| *mean).fold(0.0, f64::max).max(1e-9);
    let _ = writeln!(text, "\n  {:>18}  {name} MB/s", "from LBA");
    for (lba, mean) in means {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and BAR")]
        let length = (mean / most * BAR as f64).round() as usize;
        let bar = if style.ascii { "#" } else { "█" }.repeat(length);
        let _ = writeln!(text, "  {:>18}  {:>8}  {bar}", whole(lba), rate(mean));
    }
}
