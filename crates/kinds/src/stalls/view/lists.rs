//! Delays, one by one.

use drivelab_view::format::seconds;
use drivelab_view::{Cell, Column, Quantity, Row, Section, Table};

use super::streams;
use crate::read_back::{listed, units};
use crate::stalls::{DelayFound, Stalls};
use crate::watched::HealthSource;
use crate::{ComparedResult, Comparison};

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
            let health = one.findings.health.after_delay(delay.at_s(), next).to_string();
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
