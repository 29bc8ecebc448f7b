//! Tables of a run's phases, of injected delays, of what the machine did, and of I/Os that failed.

use drivelab_stats::Gauged;
use drivelab_view::format::count;
use drivelab_view::{Block, Columns, Fold, Quantity, Section};

use crate::kind::{FailedAt, InjectedDelayFindings, PhaseFindings};
use crate::{Comparison, ResultKind};

/// The most injected delays of a run that are listed; the JSON document has all.
const DELAYS: usize = 50;

/// Every phase of every run.
pub(super) fn phases<K: ResultKind>(compared: &Comparison<'_, K>) -> Section {
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
pub(super) fn delays<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
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
pub(super) fn gauges<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Block> {
    let columns = Columns::<Gauged>::new()
        .with("before", Quantity::Number, |gauge| gauge.course.before.get())
        .with("during", Quantity::Number, |gauge| gauge.course.during.get())
        .with("after", Quantity::Number, |gauge| gauge.course.after.get());
    let mut table = columns.table("gauges", "Means before, during and after the measured phase", "Reading");
    for one in compared.iter() {
        let head = |gauge: &Gauged| format!("{}, {}", gauge.name, gauge.unit);
        let known = one.gauges.iter().filter(|gauge| gauge.is_known());
        table.rows.extend(known.map(|gauge| one.grouped_row(head(gauge), columns.cells(gauge))));
    }
    let summary = "Readings before, during and after".to_owned();
    (!table.rows.is_empty()).then(|| Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] }))
}

/// Places of one result that are listed; the JSON document has a hundred of each phase.
const PLACES: usize = 50;

/// The places of every result; nothing where no I/O failed.
pub(super) fn failed<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    // The name of a phase, and what failed in it.
    let columns = Columns::<(&String, &FailedAt)>::new()
        .words("phase", |(phase, _)| (*phase).clone())
        .with("first sector", Quantity::Lba, |(_, failed)| failed.sector)
        .with("sectors", Quantity::Count, |(_, failed)| u64::from(failed.sectors))
        .words("error", |(_, failed)| failed.error.clone())
        .with("failed", Quantity::Count, |(_, failed)| failed.count);
    let mut table = columns.table("failed-ios", "I/Os that failed, by address", "Operation");
    let mut elsewhere = 0;
    for (one, ios) in compared.recorded() {
        let phases = &ios.found.phases;
        let all = phases.iter().flat_map(|phase| phase.failed_at.iter().map(|failed| (&phase.name, failed)));
        let shown: Vec<_> = all.take(PLACES).collect();
        let failed: u64 = phases.iter().filter_map(|phase| phase.failed).sum();
        elsewhere += failed.saturating_sub(shown.iter().map(|(_, failed)| failed.count).sum());
        table
            .rows
            .extend(shown.iter().map(|failed| one.row(failed.1.operation.name(), columns.cells(failed))));
    }
    if table.rows.is_empty() {
        return None;
    }
    let merged =
        "The kernel may merge I/Os that follow each other, and all of a merged request fail with it.";
    table.notes.extend(["Sectors of 512 bytes.".to_owned(), merged.to_owned()]);
    if elsewhere > 0 {
        table.notes.push(format!(
            "The {PLACES} lowest addresses of each result are listed. {} I/Os failed at other addresses: each of them is \
             in the records.",
            count(elsewhere as f64)
        ));
    }
    let fold = Fold { summary: "Every address".to_owned(), blocks: vec![Block::Table(table)] };
    Some(Section::full("I/Os that failed", vec![Block::Fold(fold)]))
}
