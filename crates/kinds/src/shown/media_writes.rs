//! What drives wrote to their flash in each phase.

use drivelab_record::MediaWrites;
use drivelab_view::{Block, Columns, Quantity, Section, Value};

use crate::{Comparison, ResultKind, StoredResult};

/// A summary has the table where there are at most this many phases of each result.
const ROWS_IN_SUMMARY: usize = 16;

/// The phases of each result with what was written in them; nothing where no drive counts it.
pub(crate) fn media_writes<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let columns = Columns::<MediaWrites>::new()
        .with("Written by the host", Quantity::Bytes, |writes| writes.host.map(|writes| writes.amount))
        .with("Written to the flash", Quantity::Bytes, |writes| writes.flash.map(|writes| writes.amount))
        .with("Write amplification", Quantity::Factor, |writes| {
            let (value, error) = writes.write_amplification()?;
            let interval = (error > 0.0).then_some((value - error, value + error));
            Some(Value::new(Quantity::Factor, value).within_known(interval))
        });
    let mut table = columns.table("media-writes", "", "Phase");
    for one in compared.iter() {
        let phases = by_name(one).into_iter();
        table.rows.extend(phases.map(|(name, writes)| one.row(name, columns.cells(&writes))));
    }
    table.notes.push(
        "By the drive's own counters, or a simulated drive's account; phases of one name are added up. Where counters go in \
         steps, the interval is what the steps leave open."
            .to_owned(),
    );
    let is_short = table.rows.len() <= ROWS_IN_SUMMARY * compared.len();
    let section = |table| {
        let (title, blocks) = ("Writes to the flash", vec![Block::Table(table)]);
        if is_short { Section::summary(Some(title), blocks) } else { Section::full(title, blocks) }
    };
    (!table.rows.is_empty()).then(|| section(table))
}

/// Phases of one name together, in the order in which they began; those in which nothing was written are left out.
fn by_name<K: ResultKind>(kept: &StoredResult<K>) -> Vec<(String, MediaWrites)> {
    let mut found: Vec<(String, MediaWrites)> = Vec::new();
    for phase in &kept.run.phases {
        let Some(writes) = phase.written.filter(|writes| *writes != MediaWrites::default()) else { continue };
        match found.iter_mut().find(|(name, _)| *name == phase.name) {
            Some((_, so_far)) => *so_far = so_far.plus(&writes),
            None => found.push((phase.name.clone(), writes)),
        }
    }
    found.retain(|(_, writes)| has_writes(writes));
    found
}

fn has_writes(writes: &MediaWrites) -> bool {
    let all = [writes.host, writes.flash, writes.all_pages];
    all.into_iter().flatten().any(|counted| counted.amount > 0)
}
