//! Delays and faults, one by one.

use drivelab_view::format::{count, seconds};
use drivelab_view::{Block, Cell, Column, Fold, Quantity, Row, Section, Table};

use super::streams;
use super::words::counted;
use crate::Kept;
use crate::stalls::{DelayFound, FaultFound, Stalls};
use crate::watched::HealthSource;

/// Rows that are shown at once, of each stream.
const FEW: usize = 20;
/// Rows that are listed at most, of each stream.
const MANY: usize = 1_000;

/// Every delay, with what is known of the drive's health until the next one.
pub(super) fn delays(results: &[Kept<Stalls>]) -> Option<Section> {
    let total = streams(results).map(|(_, _, stream)| stream.delays.len()).max().filter(|most| *most > 0)?;
    let rows = |limit| delay_table(results, limit);
    let blocks = listed((total, "delay"), rows);
    Some(Section::summary(Some("Delays"), blocks))
}

/// A short list, or the beginning of a long one and the rest in a fold.
fn listed((total, thing): (usize, &str), table: impl Fn(usize) -> Table) -> Vec<Block> {
    if total <= FEW {
        return vec![Block::Table(table(FEW))];
    }
    let mut first = table(FEW);
    first.id += "-first";
    first.caption = format!("The first {FEW} {thing}s");
    let many = total.min(MANY);
    let summary = if many < total {
        format!("The first {} {thing}s", count(many as f64))
    } else {
        format!("All {}", counted(total as u64, thing))
    };
    let fold = Fold { summary, blocks: vec![Block::Table(table(MANY))] };
    vec![Block::Table(first), Block::Fold(fold)]
}

fn delay_table(results: &[Kept<Stalls>], limit: usize) -> Table {
    let has_device = streams(results).any(|(_, _, stream)| stream.device.is_some());
    let has_health = results.iter().any(|kept| kept.findings.health.source == HealthSource::Asked);
    let mut columns = vec![Column::new("Took", Quantity::Nanoseconds)];
    columns.extend(has_device.then(|| Column::new("In the device", Quantity::Nanoseconds)));
    columns.push(Column::new("LBA", Quantity::Lba));
    columns.push(Column::new("Data since the last one", Quantity::Bytes));
    columns.extend(has_health.then(|| Column::new("Health until the next one", Quantity::Count)));
    let mut table = Table::new("delays", "Delays", "At", columns);
    let subjects = crate::kept::subjects(results);
    for (place, kept, stream) in streams(results) {
        let nexts = stream.delays.iter().skip(1).map(DelayFound::at_s).chain([f64::INFINITY]);
        for (delay, next) in stream.delays.iter().zip(nexts).take(limit) {
            let health = kept.findings.health.after_delay(delay.at_s(), next).to_string();
            table.rows.push(Row {
                head: seconds(delay.at_s()),
                subject: None,
                group: (results.len() > 1).then(|| subjects[place].label.clone()),
                cells: delay_cells(delay, has_device, health, has_health),
            });
        }
    }
    table.notes.push(units(results));
    table.notes.extend(results.iter().filter_map(|kept| health_unknown(kept, results.len() > 1)));
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

/// Why nothing is known of a drive's health after any delay.
fn health_unknown(kept: &Kept<Stalls>, is_compared: bool) -> Option<String> {
    let unknown = kept.findings.health.unknown()?;
    let whose = if is_compared { format!(" of {}", kept.run.label) } else { String::new() };
    Some(format!("The drive's health{whose}: {unknown}."))
}

/// What an LBA counts.
fn units(results: &[Kept<Stalls>]) -> String {
    let mut units: Vec<u32> = results.iter().map(|kept| kept.settings.logical_block_bytes()).collect();
    units.sort_unstable();
    units.dedup();
    let units: Vec<String> = units.iter().map(u32::to_string).collect();
    format!("An LBA is a logical block, of {} bytes.", units.join(" or "))
}

/// Blocks that are not as they were written.
pub(super) fn faults(results: &[Kept<Stalls>]) -> Option<Section> {
    let faults =
        |kept: &Kept<Stalls>| kept.findings.verification.as_ref().map_or(0, |found| found.faults.len());
    let total = results.iter().map(faults).max().filter(|most| *most > 0)?;
    let blocks = listed((total, "fault"), |limit| fault_table(results, limit));
    Some(Section::summary(Some("Not as written"), blocks))
}

fn fault_table(results: &[Kept<Stalls>], limit: usize) -> Table {
    let columns = vec![
        Column::new("LBA", Quantity::Lba),
        Column::new("Block from LBA", Quantity::Lba),
        Column::new("Expected write", Quantity::Count),
        Column::new("Found", Quantity::Count),
    ];
    let mut table = Table::new("faults", "Blocks that are not as they were written", "Kind", columns);
    let subjects = crate::kept::subjects(results);
    for (place, kept) in results.iter().enumerate() {
        let faults = kept.findings.verification.iter().flat_map(|found| &found.faults);
        table.rows.extend(faults.take(limit).map(|fault| Row {
            head: fault.kind.clone(),
            subject: None,
            group: (results.len() > 1).then(|| subjects[place].label.clone()),
            cells: fault_cells(fault),
        }));
    }
    table.notes.push(units(results));
    table
}

fn fault_cells(fault: &FaultFound) -> Vec<Cell> {
    vec![
        Cell::count(Quantity::Lba, Some(fault.wrong_lba)),
        Cell::count(Quantity::Lba, Some(fault.lba)),
        Cell::count(Quantity::Count, Some(fault.expected_write)),
        Cell::text(fault.found.clone()),
    ]
}
