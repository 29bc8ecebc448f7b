//! The buffer that streams need.

use drivelab_stats::KeepsUp;
use drivelab_view::format::{rate, seconds};
use drivelab_view::{Block, Bound, Cell, Column, Quantity, Row, Section, Table, Tone, Value};

use super::streams;
use crate::read_back::{listed, units};
use crate::stalls::findings::{large_enough, shares_of};
use crate::stalls::{BufferNeed, DelayFound, Stalls, StreamFindings};
use crate::watched::HealthSource;
use crate::{ComparedResult, Comparison, StoredResult};

const NOTES: [&str; 3] = [
    "The largest backlog is the buffer that the stream would have needed in this run, whose own write times are replayed. A \
     buffer large enough is the least power of two that holds it. The overflow at half and at a quarter of that size is the \
     share of blocks that such a buffer would have had no room for. A longer or a rarer delay than this run met needs more: \
     leave room.",
    "A backlog with ≥ is that of a run that wrote less than the stream brings: the drive rested between its writes.",
    "The overflow of smaller buffers is known for the streams that the run itself was judged by; a hyphen stands for \
     the others.",
];

/// The table of buffers; none where nothing was written.
pub(super) fn section(results: &Comparison<'_, Stalls>) -> Option<Section> {
    let table = match &**results {
        [one] => of_one(one, one.findings.stream.as_ref()?),
        _ => compared(results),
    };
    let table = Table { notes: NOTES.map(str::to_owned).to_vec(), ..table };
    (!table.rows.is_empty()).then(|| Section::summary(Some("The buffer"), vec![Block::Table(table)]))
}

fn empty(corner: &str) -> Table {
    let columns = vec![
        Column::new("Largest backlog", Quantity::BlockSize),
        Column::new("Buffer large enough", Quantity::BlockSize),
        Column::new("Overflow at half size", Quantity::Share),
        Column::new("Overflow at quarter size", Quantity::Share),
    ];
    Table::new("buffers", "The buffer that a stream of a constant rate needs", corner, columns)
}

/// A row for each stream.
fn of_one(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> Table {
    let mut table = empty("Stream");
    for need in &stream.buffers {
        let asked = if need.asked { " (asked for)" } else { "" };
        table.row(format!("{} MB/s{asked}", rate(need.stream_mb_s)), cells(kept, stream, need));
    }
    table
}

/// A row for each drive and stream. All drives are asked for the same streams: shares of what the slowest one takes, and all
/// that were asked for.
fn compared(results: &Comparison<'_, Stalls>) -> Table {
    let mut table = empty("Drive");
    for stream_rate in rates(results) {
        for (one, stream) in streams(results) {
            let cells = cells(one, stream, &need(one, stream, stream_rate));
            let group = Some(format!("Stream of {} MB/s", rate(stream_rate / 1e6)));
            table.rows.push(Row { group, ..one.row(one.label(), cells) });
        }
    }
    table
}

/// The rates of streams by which results are compared, in bytes a second.
fn rates(results: &Comparison<'_, Stalls>) -> Vec<f64> {
    let own = streams(results).filter_map(|(_, stream)| Some(stream.mb_s? * 1e6));
    let mut rates = own.reduce(f64::min).map_or_else(Vec::new, shares_of);
    for one in results.iter() {
        rates.extend(one.settings.stream_rates_bytes_s.iter().chain(&one.settings.rate_bytes_s));
    }
    rates.retain(|rate| *rate > 0.0);
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

/// The buffer for a stream of any rate. How often smaller ones are too small is known for the rates of the run itself.
fn need(kept: &StoredResult<Stalls>, stream: &StreamFindings, stream_rate: f64) -> BufferNeed {
    let is_own = |need: &&BufferNeed| (need.stream_mb_s * 1e6 - stream_rate).abs() < 1.0;
    if let Some(own) = stream.buffers.iter().find(is_own) {
        return own.clone();
    }
    let curve = stream.buffer_curve.of_blocks(kept.settings.block_bytes);
    let own_rate = kept.settings.rate_bytes_s.or(stream.mb_s.map(|rate| rate * 1e6));
    BufferNeed {
        stream_mb_s: stream_rate / 1e6,
        asked: false,
        largest_backlog_bytes: curve.largest_backlog(stream_rate),
        sustained: curve.sustains(stream_rate),
        reached: own_rate.is_some_and(|own| own >= stream_rate * 0.99),
        overflow: Vec::new(),
    }
}

fn cells(kept: &StoredResult<Stalls>, stream: &StreamFindings, need: &BufferNeed) -> Vec<Cell> {
    match stream.keeps_up(kept.settings.block_bytes, need.stream_mb_s * 1e6) {
        KeepsUp::No => {
            let no_buffer = Cell::Verdict(Tone::Bad, "grows without end".to_owned());
            return vec![no_buffer, Cell::text("no buffer is"), Cell::Nothing, Cell::Nothing];
        }
        KeepsUp::NotShown => {
            let not_shown = Cell::Verdict(Tone::Undecided, "not shown".to_owned());
            return vec![not_shown, Cell::Nothing, Cell::Nothing, Cell::Nothing];
        }
        KeepsUp::Yes => {}
    }
    let bound = if need.reached { Bound::Exact } else { Bound::AtLeast };
    let backlog = need.largest_backlog_bytes;
    let value = |quantity, number| Value::new(quantity, number).bounded(bound).into();
    let mut cells = vec![
        value(Quantity::BlockSize, backlog as f64),
        value(Quantity::BlockSize, large_enough(backlog) as f64),
    ];
    // A quarter and a half come before the whole.
    let shares = [1, 0].map(|place| need.overflow.get(place).map(|overflow| overflow.share));
    cells.extend(shares.map(|share| Cell::number(Quantity::Share, share)));
    cells
}

/// Every delay, with what is known of the drive's health until the next one.
pub(super) fn delays(results: &Comparison<'_, Stalls>) -> Option<Section> {
    let total = streams(results).map(|(_, stream)| stream.delays.len()).max().filter(|most| *most > 0)?;
    let rows = |limit| delay_table(results, limit);
    let blocks = listed((total, "delay"), rows);
    Some(Section::summary(Some("Delays"), blocks))
}

fn delay_table(results: &Comparison<'_, Stalls>, limit: usize) -> Table {
    let has_device = streams(results).any(|(_, stream)| stream.device.is_some());
    let has_health = results.iter().any(|one| one.findings.health.source == HealthSource::Asked);
    let mut columns = vec![Column::new("Took", Quantity::Nanoseconds)];
    columns.extend(has_device.then(|| Column::new("In the device", Quantity::Nanoseconds)));
    columns.push(Column::new("LBA", Quantity::Lba));
    columns.push(Column::new("Data since the last one", Quantity::Bytes));
    columns.extend(has_health.then(|| Column::new("Health until the next one", Quantity::Count)));
    let mut table = Table::new("delays", "Delays", "At", columns);
    for (one, stream) in streams(results) {
        let nexts = stream.delays.iter().skip(1).map(DelayFound::at_s).chain([f64::INFINITY]);
        for (delay, next) in stream.delays.iter().zip(nexts).take(limit) {
            let health = one.findings.health.after_delay(delay.at_s(), next);
            let cells = delay_cells(delay, has_device, health, has_health);
            table.rows.push(Row { subject: None, ..one.grouped_row(seconds(delay.at_s()), cells) });
        }
    }
    table.notes.push(units(results));
    table.notes.extend(results.iter().filter_map(health_unknown));
    table
}

fn delay_cells(delay: &DelayFound, has_device: bool, health: String, has_health: bool) -> Vec<Cell> {
    let mut cells = vec![Cell::count(Quantity::Nanoseconds, Some(delay.duration_ns))];
    cells.extend(has_device.then(|| Cell::count(Quantity::Nanoseconds, delay.device_ns)));
    cells.push(Cell::count(Quantity::Lba, Some(delay.lba)));
    cells.push(Cell::count(Quantity::Bytes, delay.bytes_since_previous));
    cells.extend(has_health.then(|| Cell::text(health)));
    cells
}

/// Why nothing is known of a drive's health after any delay; with the label of the result where several are compared.
fn health_unknown(one: &ComparedResult<'_, Stalls>) -> Option<String> {
    let unknown = one.findings.health.unknown()?;
    let whose = one.group().map_or_else(String::new, |label| format!(" of {label}"));
    Some(format!("The drive's health{whose}: {unknown}."))
}
