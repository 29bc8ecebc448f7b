//! Tables of traces.

use drivelab_record::ClockTime;
use drivelab_stats::Episode;
use drivelab_view::format::{by_number, count, things};
use drivelab_view::{Block, Cell, Column, Detail, Quantity, Row, Section, Table};

use super::{JudgedTrace, moment};
use crate::slow::{DIRECTIONS, WaitFindings, words};
use crate::trace::device_name::in_words;
use crate::trace::{DeviceOpFindings, SizeClass, TraceDeviceFindings};

/// The worst waits of each direction of a trace.
const WAITS: usize = 10;
/// Devices of each trace, the busiest first; the document has all.
const DEVICES: usize = 50;
/// More rows than this are left to the page.
const SUMMARY_ROWS: usize = 32;

pub(super) fn of_subject(shown: &[JudgedTrace<'_>], place: usize) -> Option<usize> {
    (shown.len() > 1).then_some(place)
}

/// How often I/Os were slow, by how slow; nothing where no duration is known.
pub(super) fn waits(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = vec![
        Column::new("Episodes", Quantity::Count),
        Column::new("Stalled", Quantity::Nanoseconds),
        Column::new("Slow I/Os", Quantity::Count),
        Column::new("Share of I/Os", Quantity::Share),
    ];
    let mut table = Table::new("waits", "", "At least", columns);
    for (place, one) in shown.iter().enumerate() {
        let row = |wait: &WaitFindings| Row {
            head: Quantity::Nanoseconds.text(wait.threshold_ms * 1e6),
            subject: of_subject(shown, place),
            group: None,
            cells: vec![
                Cell::count(Quantity::Count, Some(wait.episodes)),
                Cell::number(Quantity::Nanoseconds, Some(wait.stalled_s * 1e9)),
                Cell::count(Quantity::Count, Some(wait.slow)),
                Cell::number(Quantity::Share, Some(wait.slow_share)),
            ],
        };
        table.rows.extend(one.found.waits.iter().map(row));
    }
    table.notes.push(
        "I/Os of every kind count, also those that no program waits for. Slow I/Os whose intervals overlap, or lie no farther \
         apart than 50 ms or the threshold, are one episode. Stalled is the time in which the oldest I/O in flight had already \
         taken that long: one of 350 ms counts 250 ms at 100 ms."
            .to_owned(),
    );
    let is_empty = table.rows.is_empty();
    (!is_empty).then(|| Section::summary(Some("How often I/Os were slow"), vec![Block::Table(table)]))
}

/// The waits that took the most time, the worst first.
pub(super) fn worst_waits(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = vec![
        Column::new("Duration", Quantity::Nanoseconds),
        Column::new("Slow I/Os", Quantity::Count),
        Column::new("Time lost", Quantity::Nanoseconds),
        Column::new("Longest I/O", Quantity::Nanoseconds),
        Column::new("Written since the one before", Quantity::Bytes),
        Column::new("Quiet before", Quantity::Nanoseconds),
    ];
    let mut table = Table::new("worst-waits", "The worst episodes of slow I/Os", "Began at", columns);
    for (place, one) in shown.iter().enumerate() {
        for (op, words) in DIRECTIONS {
            let slow = one.slow.ios(&one.report.analysis, op);
            let waits = count(slow.episode_count() as f64);
            let group = format!("Slow {words} ({}, {waits} episodes)", words::threshold(slow));
            let rows = slow.worst_episodes().into_iter().take(WAITS);
            table.rows.extend(rows.map(|episode| Row {
                subject: of_subject(shown, place),
                ..row(&episode, &group, one.found.began)
            }));
        }
    }
    table.notes.push(
        "Time lost is the sum of the latencies above the median. Quiet before is how long no I/O was as slow before.".to_owned(),
    );
    let is_empty = table.rows.is_empty();
    (!is_empty).then(|| Section::full("The worst episodes of slow I/Os", vec![Block::Table(table)]))
}

fn row(episode: &Episode, group: &str, began: Option<ClockTime>) -> Row {
    let time = |nanos: u64| Cell::count(Quantity::Nanoseconds, Some(nanos));
    Row {
        head: moment(began.and_then(|began| began.after(episode.start)), episode.start),
        subject: None,
        group: Some(group.to_owned()),
        cells: vec![
            time(episode.end - episode.start),
            Cell::count(Quantity::Count, Some(episode.count)),
            time(episode.excess),
            time(episode.worst),
            Cell::count(Quantity::Bytes, Some(episode.bytes_before)),
            Cell::count(Quantity::Nanoseconds, episode.quiet_before),
        ],
    }
}

/// What each device did; nothing where every trace has one.
pub(super) fn devices(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let used =
        |one: &JudgedTrace<'_>| one.found.devices.iter().filter(|device| device.requests() > 0).count();
    if shown.iter().all(|one| used(one) < 2) {
        return None;
    }
    let is_timed = shown.iter().any(|one| one.found.service_ns.all.is_some());
    let mut columns = vec![Column::new("Requests", Quantity::Count), Column::new("Bytes", Quantity::Bytes)];
    if is_timed {
        let times = ["Mean", "Standard deviation", "Max"];
        columns.extend(times.map(|head| Column::new(head, Quantity::Nanoseconds)));
        let shares = ["0-1 ms", "1-100 ms", "> 100 ms"];
        columns.extend(shares.map(|head| Column::new(head, Quantity::Share)));
        columns.push(Column::new("I/Os waited for", Quantity::Count));
        columns.push(Column::new("Their time in sum", Quantity::Nanoseconds));
    }
    let mut table = Table::new("devices", "", "Device", columns);
    for (place, one) in shown.iter().enumerate() {
        let mut devices: Vec<&TraceDeviceFindings> = one.found.devices.iter().collect();
        devices.sort_by_key(|device| std::cmp::Reverse(device.requests()));
        for device in devices.iter().take(DEVICES) {
            let directions = [(&device.read, "reads"), (&device.write, "writes")];
            let rows = directions.into_iter().filter(|(op, _)| op.requests > 0).map(|(op, words)| Row {
                head: format!("{}, {words}", in_words(&device.name)),
                subject: of_subject(shown, place),
                group: None,
                cells: cells(op, is_timed),
            });
            table.rows.extend(rows);
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

fn cells(op: &DeviceOpFindings, is_timed: bool) -> Vec<Cell> {
    let mut cells =
        vec![Cell::count(Quantity::Count, Some(op.requests)), Cell::count(Quantity::Bytes, Some(op.bytes))];
    if is_timed {
        let service = op.service_ns.as_ref();
        let times = [
            service.map(|one| one.mean),
            service.and_then(|one| one.stddev),
            service.map(|one| one.max as f64),
        ];
        cells.extend(times.map(|nanos| Cell::number(Quantity::Nanoseconds, nanos)));
        let shares = [
            service.map(|one| one.under_1ms),
            service.map(|one| one.from_1_to_100ms),
            service.map(|one| one.over_100ms),
        ];
        cells.extend(shares.map(|share| Cell::number(Quantity::Share, share)));
        cells.push(Cell::count(Quantity::Count, op.waits.map(|waits| waits.count)));
        let waited = op.waits.filter(|waits| waits.count > 0).map(|waits| waits.waited_s * 1e9);
        cells.push(Cell::number(Quantity::Nanoseconds, waited));
    }
    cells
}

/// Requests by size.
pub(super) fn sizes(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = ["Reads", "Writes", "Discards", "Flushes", "Waited for"]
        .map(|head| Column::new(head, Quantity::Count));
    let mut table = Table::new("sizes", "", "Up to", columns.to_vec());
    for (place, one) in shown.iter().enumerate() {
        let row = |class: &SizeClass| {
            let found = &class.requests;
            let counts = [found.read, found.write, found.discard, found.flush, class.waits.unwrap_or(0)];
            Row {
                head: Quantity::BlockSize.text(class.up_to_bytes as f64),
                subject: of_subject(shown, place),
                group: None,
                cells: counts
                    .map(|number| Cell::count(Quantity::Count, (number > 0).then_some(number)))
                    .to_vec(),
            }
        };
        table.rows.extend(one.found.sizes.iter().map(row));
    }
    table.leave_out_empty_columns();
    if shown.iter().flat_map(|one| &one.found.sizes).any(|class| class.waits.unwrap_or(0) > 0) {
        table
            .notes
            .push("Waited for are the requests that programs waited for, for 100 ms or longer.".to_owned());
    }
    (!table.rows.is_empty()).then(|| Section::full("Requests by size", vec![Block::Table(table)]))
}
