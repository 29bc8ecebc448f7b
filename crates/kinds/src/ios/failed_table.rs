//! The addresses of failed I/Os, as a table.

use drivelab_view::format::count;
use drivelab_view::{Block, Columns, Fold, Quantity, Section};

use super::FailedAt;
use crate::{Comparison, ResultKind};

/// Places of one result that are listed; the JSON document has a hundred of each phase.
const SHOWN_MAX: usize = 50;

/// The places of every result; nothing where no I/O failed.
pub(super) fn section<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
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
        let shown: Vec<_> = all.take(SHOWN_MAX).collect();
        let failed: u64 = phases.iter().filter_map(|phase| phase.failed).sum();
        elsewhere += failed.saturating_sub(shown.iter().map(|(_, failed)| failed.count).sum());
        table
            .rows
            .extend(shown.iter().map(|failed| one.row(failed.1.operation.word(), columns.cells(failed))));
    }
    if table.rows.is_empty() {
        return None;
    }
    let merged =
        "The kernel may merge I/Os that follow each other, and all of a merged request fail with it.";
    table.notes.extend(["Sectors of 512 bytes.".to_owned(), merged.to_owned()]);
    if elsewhere > 0 {
        table.notes.push(format!(
            "The {SHOWN_MAX} lowest addresses of each result are listed. {} I/Os failed at other addresses: each of them is \
             in the records.",
            count(elsewhere as f64)
        ));
    }
    let fold = Fold { summary: "Every address".to_owned(), blocks: vec![Block::Table(table)] };
    Some(Section::full("I/Os that failed", vec![Block::Fold(fold)]))
}
