//! Tables of a run's phases, of injected delays, and of what the machine did.

use drivelab_stats::Gauged;
use drivelab_view::{Block, Cell, Column, Fold, Quantity, Section, Table, Value};

use crate::{Comparison, ResultKind};

/// The most injected delays of a run that are listed; the JSON document has all.
const DELAYS: usize = 50;

/// Every phase of every run.
pub(crate) fn phases<K: ResultKind>(compared: &Comparison<'_, K>) -> Section {
    let columns = vec![
        Column::new("lasted", Quantity::Seconds),
        Column::new("bytes moved", Quantity::Bytes),
        Column::new("succeeded", Quantity::Count),
        Column::new("failed", Quantity::Count),
    ];
    let mut table = Table::new("phases", "Phases, preparation included", "Phase", columns);
    for (one, ios) in compared.recorded() {
        for phase in &ios.found.phases {
            let cells = vec![
                Cell::number(Quantity::Seconds, Some(phase.duration_s)),
                Cell::count(Quantity::Bytes, phase.moved_bytes),
                Cell::count(Quantity::Count, phase.completed),
                Cell::count(Quantity::Count, phase.failed),
            ];
            table.rows.push(one.grouped_row(&phase.name, cells));
        }
    }
    Section::full("Phases", vec![Block::Table(table)])
}

/// The delays that were injected into simulated drives, folded away; nothing where none was.
pub(crate) fn delays<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let columns = vec![
        Column::new("lasted", Quantity::Nanoseconds),
        Column::new("written since the one before", Quantity::Bytes),
    ];
    let mut table = Table::new("injected-delays", "Injected delays", "At", columns);
    for (one, ios) in compared.recorded() {
        let found = ios.found.simulation.iter().flat_map(|found| &found.injected_delays);
        let all = found.clone().count();
        for delay in found.take(DELAYS) {
            let cells = vec![
                Value::new(Quantity::Nanoseconds, delay.duration_ns as f64).into(),
                Cell::count(Quantity::Bytes, delay.bytes_since_previous),
            ];
            table.rows.push(one.grouped_row(format!("{:.3} s", delay.at_s), cells));
        }
        if all > DELAYS {
            table.notes.push(format!("{}: {} more are in the JSON document.", one.label(), all - DELAYS));
        }
    }
    if table.rows.is_empty() {
        return None;
    }
    let text = "What was injected into the simulated drive, to hold the figures against.".to_owned();
    let fold = Fold { summary: "Every delay".to_owned(), blocks: vec![Block::Table(table)] };
    Some(Section::full("Injected delays", vec![Block::Text(text), Block::Fold(fold)]))
}

/// What the machine did before, during and after the measured phase, folded away; nothing where nothing was read.
pub(crate) fn gauges<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Block> {
    let columns = ["before", "during", "after"].map(|head| Column::new(head, Quantity::Number)).to_vec();
    let mut table =
        Table::new("gauges", "Means before, during and after the measured phase", "Reading", columns);
    for one in compared.iter() {
        for gauge in one.gauges.iter().filter(|gauge| gauge.is_known()) {
            let Gauged { name, unit, course } = gauge;
            let cells = [course.before(), course.during(), course.after()]
                .map(|value| Cell::number(Quantity::Number, value));
            table.rows.push(one.grouped_row(format!("{name}, {unit}"), cells.to_vec()));
        }
    }
    let summary = "Readings before, during and after".to_owned();
    (!table.rows.is_empty()).then(|| Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] }))
}
