//! Tables of a run's phases, of injected delays, and of what the machine did.

use drivelab_stats::Gauged;
use drivelab_view::{Block, Columns, Fold, Quantity, Section};

use super::{InjectedDelayFindings, PhaseFindings};
use crate::{Comparison, ResultKind};

/// The most injected delays of a run that are listed; the JSON document has all.
const DELAYS: usize = 50;

/// Every phase of every run.
pub(crate) fn phases<K: ResultKind>(compared: &Comparison<'_, K>) -> Section {
    let columns = Columns::<PhaseFindings>::new()
        .with("lasted", Quantity::Seconds, |phase| phase.duration_s)
        .with("bytes moved", Quantity::Bytes, |phase| phase.moved_bytes)
        .with("succeeded", Quantity::Count, |phase| phase.completed)
        .with("failed", Quantity::Count, |phase| phase.failed);
    let mut table = columns.table("phases", "Phases, preparation included", "Phase");
    for (one, ios) in compared.recorded() {
        let phases = ios.found.phases.iter();
        table.rows.extend(phases.map(|phase| one.grouped_row(&phase.name, columns.cells(phase))));
    }
    Section::full("Phases", vec![Block::Table(table)])
}

/// The delays that were injected into simulated drives, folded away; nothing where none was.
pub(crate) fn delays<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let columns = Columns::<InjectedDelayFindings>::new()
        .with("lasted", Quantity::Nanoseconds, |delay| delay.duration_ns)
        .with("written since the one before", Quantity::Bytes, |delay| delay.bytes_since_previous);
    let mut table = columns.table("injected-delays", "Injected delays", "At");
    for (one, ios) in compared.recorded() {
        let found = ios.found.simulation.iter().flat_map(|found| &found.injected_delays);
        let all = found.clone().count();
        let head = |delay: &InjectedDelayFindings| format!("{:.3} s", delay.at_s);
        table.rows.extend(found.take(DELAYS).map(|delay| one.grouped_row(head(delay), columns.cells(delay))));
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
    let columns = Columns::<Gauged>::new()
        .with("before", Quantity::Number, |gauge| gauge.course.before())
        .with("during", Quantity::Number, |gauge| gauge.course.during())
        .with("after", Quantity::Number, |gauge| gauge.course.after());
    let mut table = columns.table("gauges", "Means before, during and after the measured phase", "Reading");
    for one in compared.iter() {
        let head = |gauge: &Gauged| format!("{}, {}", gauge.name, gauge.unit);
        let known = one.gauges.iter().filter(|gauge| gauge.is_known());
        table.rows.extend(known.map(|gauge| one.grouped_row(head(gauge), columns.cells(gauge))));
    }
    let summary = "Readings before, during and after".to_owned();
    (!table.rows.is_empty()).then(|| Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] }))
}
