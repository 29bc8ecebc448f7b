//! Tables of traces.

use drivelab_stats::Episode;
use drivelab_view::format::{by_number, count, things};
use drivelab_view::{Block, Cell, Columns, Detail, Quantity, Row, Section};

use super::moment;
use crate::slow::{DIRECTIONS, WaitFindings, words};
use crate::trace::devices::in_words;
use crate::trace::{AnalysedTrace, DeviceOpFindings, SizeClass, TraceDeviceFindings};

/// The worst waits of each direction of a trace.
const WAITS: usize = 10;
/// Devices of each trace, the busiest first; the document has all.
const DEVICES: usize = 50;
/// More rows than this are left to the page.
const SUMMARY_ROWS: usize = 32;

/// A row of one of the traces, marked as such where there are several.
pub(super) fn row(shown: &[AnalysedTrace], place: usize, head: impl Into<String>, cells: Vec<Cell>) -> Row {
    Row { head: head.into(), subject: (shown.len() > 1).then_some(place), group: None, cells }
}

/// How often I/Os were slow, by how slow; nothing where no duration is known.
pub(super) fn waits(shown: &[AnalysedTrace]) -> Option<Section> {
    let columns = Columns::<WaitFindings>::new()
        .with("Episodes", Quantity::Count, |wait| wait.episodes)
        .with("Stalled", Quantity::Nanoseconds, |wait| wait.stalled_s * 1e9)
        .with("Slow I/Os", Quantity::Count, |wait| wait.slow)
        .with("Share of I/Os", Quantity::Share, |wait| wait.slow_share);
    let mut table = columns.table("waits", "", "At least").with_note(
        "I/Os of every kind count, also those that no program waits for. Slow I/Os whose intervals overlap, or lie no farther \
         apart than 50 ms or the threshold, are one episode. Stalled is the time in which the oldest I/O in flight had already \
         taken that long: one of 350 ms counts 250 ms at 100 ms.",
    );
    for (place, one) in shown.iter().enumerate() {
        let head = |wait: &WaitFindings| Quantity::Nanoseconds.text(wait.threshold_ms * 1e6);
        let rows = one.found.waits.iter().map(|wait| row(shown, place, head(wait), columns.cells(wait)));
        table.rows.extend(rows);
    }
    (!table.rows.is_empty())
        .then(|| Section::summary(Some("How often I/Os were slow"), vec![Block::Table(table)]))
}

/// The waits that took the most time, the worst first.
pub(super) fn worst_waits(shown: &[AnalysedTrace]) -> Option<Section> {
    let columns = Columns::<Episode>::new()
        .with("Duration", Quantity::Nanoseconds, |episode| episode.end - episode.start)
        .with("Slow I/Os", Quantity::Count, |episode| episode.count)
        .with("Time lost", Quantity::Nanoseconds, |episode| episode.excess)
        .with("Longest I/O", Quantity::Nanoseconds, |episode| episode.worst)
        .with("Written since the one before", Quantity::Bytes, |episode| episode.bytes_before)
        .with("Quiet before", Quantity::Nanoseconds, |episode| episode.quiet_before);
    let mut table = columns.table("worst-waits", "The worst episodes of slow I/Os", "Began at").with_note(
        "Time lost is the sum of the latencies above the median. Quiet before is how long no I/O was as slow before.",
    );
    for (place, one) in shown.iter().enumerate() {
        for (op, words) in DIRECTIONS {
            let slow = one.slow.ios(&one.analysis, op);
            let waits = count(slow.tally.episodes.count as f64);
            let group = format!("Slow {words} ({}, {waits} episodes)", words::threshold(slow));
            let began = |start| moment(one.found.began.and_then(|began| began.after(start)), start);
            let rows = slow.tally.episodes.worst().into_iter().take(WAITS);
            table.rows.extend(rows.map(|episode| Row {
                group: Some(group.clone()),
                ..row(shown, place, began(episode.start), columns.cells(&episode))
            }));
        }
    }
    (!table.rows.is_empty())
        .then(|| Section::full("The worst episodes of slow I/Os", vec![Block::Table(table)]))
}

/// What each device did; nothing where every trace has one.
pub(super) fn devices(shown: &[AnalysedTrace]) -> Option<Section> {
    let used = |one: &AnalysedTrace| one.found.devices.iter().filter(|device| device.requests() > 0).count();
    if shown.iter().all(|one| used(one) < 2) {
        return None;
    }
    let columns = columns_of_devices(shown.iter().any(|one| one.found.service_ns.all.is_some()));
    let mut table = columns.table("devices", "", "Device");
    for (place, one) in shown.iter().enumerate() {
        let mut devices: Vec<&TraceDeviceFindings> = one.found.devices.iter().collect();
        devices.sort_by_key(|device| std::cmp::Reverse(device.requests()));
        for device in devices.iter().take(DEVICES) {
            let directions = [(&device.read, "reads"), (&device.write, "writes")];
            let rows = directions.into_iter().filter(|(op, _)| op.requests > 0);
            table.rows.extend(rows.map(|(op, words)| {
                let head = format!("{}, {words}", in_words(&device.name));
                row(shown, place, head, columns.cells(op))
            }));
        }
        if let Some(more) = used(one).checked_sub(DEVICES).filter(|more| *more > 0) {
            table.notes.push(format!(
                "{}: {} with fewer requests {} in the JSON document.",
                one.found.trace,
                things(more as u64, "device"),
                by_number(more as u64, "is", "are")
            ));
        }
    }
    let detail = if table.rows.len() <= SUMMARY_ROWS { Detail::Summary } else { Detail::Full };
    Some(Section { heading: Some("Devices".to_owned()), detail, blocks: vec![Block::Table(table)] })
}

/// The columns of what devices did, with times where they are known.
fn columns_of_devices(is_timed: bool) -> Columns<'static, DeviceOpFindings> {
    let columns = Columns::<DeviceOpFindings>::new()
        .with("Requests", Quantity::Count, |op| op.requests)
        .with("Bytes", Quantity::Bytes, |op| op.bytes);
    if !is_timed {
        return columns;
    }
    columns
        .with("Mean", Quantity::Nanoseconds, |op| op.service_ns.as_ref().map(|one| one.mean))
        .with("Standard deviation", Quantity::Nanoseconds, |op| op.service_ns.as_ref()?.stddev)
        .with("Max", Quantity::Nanoseconds, |op| op.service_ns.as_ref().map(|one| one.max))
        .with("0-1 ms", Quantity::Share, |op| op.service_ns.as_ref().map(|one| one.under_1ms))
        .with("1-100 ms", Quantity::Share, |op| op.service_ns.as_ref().map(|one| one.from_1_to_100ms))
        .with("> 100 ms", Quantity::Share, |op| op.service_ns.as_ref().map(|one| one.over_100ms))
        .with("I/Os waited for", Quantity::Count, |op| op.waits.map(|waits| waits.count))
        .with("Their time in sum", Quantity::Nanoseconds, |op| {
            op.waits.filter(|waits| waits.count > 0).map(|waits| waits.waited_s * 1e9)
        })
}

pub(super) fn sizes(shown: &[AnalysedTrace]) -> Option<Section> {
    let some = |number: u64| (number > 0).then_some(number);
    let columns = Columns::<SizeClass>::new()
        .with("Reads", Quantity::Count, |class| some(class.requests.read))
        .with("Writes", Quantity::Count, |class| some(class.requests.write))
        .with("Discards", Quantity::Count, |class| some(class.requests.discard))
        .with("Flushes", Quantity::Count, |class| some(class.requests.flush))
        .with("Waited for", Quantity::Count, |class| some(class.waits.unwrap_or(0)));
    let mut table = columns.table("sizes", "", "Up to");
    for (place, one) in shown.iter().enumerate() {
        let head = |class: &SizeClass| Quantity::BlockSize.text(class.up_to_bytes as f64);
        let rows = one.found.sizes.iter().map(|class| row(shown, place, head(class), columns.cells(class)));
        table.rows.extend(rows);
    }
    table.leave_out_empty_columns();
    if shown.iter().flat_map(|one| &one.found.sizes).any(|class| class.waits.unwrap_or(0) > 0) {
        table =
            table.with_note("Waited for are the requests that programs waited for, for 100 ms or longer.");
    }
    (!table.rows.is_empty()).then(|| Section::full("Requests by size", vec![Block::Table(table)]))
}
