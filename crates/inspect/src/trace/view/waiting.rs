//! Who waited and what went on meanwhile, in tables.

use drivelab_view::{Block, Cell, Columns, Quantity, Section};

use super::tables::row;
use super::{moment, why};
use crate::trace::devices;
use crate::trace::{
    AnalysedTrace, PartyFindings, ProcessFindings, SpellFindings, StreamFindings, WaitingFindings,
};

/// Rows of one trace; the document has more.
const ROWS: usize = 10;

/// Who waited, and what else was in the queue; nothing where no program waited.
pub(super) fn parties(shown: &[AnalysedTrace]) -> Option<Section> {
    let has_waits =
        |one: &&AnalysedTrace| one.found.waiting.as_ref().is_some_and(|waiting| waiting.spells > 0);
    if !shown.iter().any(|one| has_waits(&one)) {
        return None;
    }
    // A party, and the time in sum of all parties of its table.
    let columns = Columns::<(&PartyFindings, f64)>::new()
        .with("I/Os", Quantity::Count, |(party, _)| party.ios)
        .with("Bytes", Quantity::Bytes, |(party, _)| party.bytes)
        .with("Time in sum", Quantity::Nanoseconds, |(party, _)| party.time_s * 1e9)
        .with("Share", Quantity::Share, |(party, sum)| party.time_s / sum)
        .with("Longest I/O", Quantity::Nanoseconds, |(party, _)| party.longest_ns);
    let mut waiters = columns.table("waiters", "Who waited, and for what", "Work");
    let mut meanwhile = columns.table("meanwhile", "What else was in the queue at those times", "Work").with_note(
        "The time in sum is that of all I/Os one after the other: those that were in flight together count each.",
    );
    for (place, waiting) in waitings(shown) {
        let of_tables = [
            (&mut waiters, &waiting.waiters, waiting.waits_sum_s),
            (&mut meanwhile, &waiting.meanwhile, waiting.meanwhile_sum_s),
        ];
        for (table, parties, sum) in of_tables {
            for party in parties.iter().take(ROWS) {
                let head = format!("{}, {}", why::in_words(party), devices::in_words(&party.device));
                table.rows.push(row(shown, place, head, columns.cells(&(party, sum))));
            }
        }
    }
    let mut blocks = vec![Block::Table(waiters)];
    if !meanwhile.rows.is_empty() {
        blocks.push(Block::Table(meanwhile));
    }
    Some(Section::summary(Some("Who waited, and what was in the way"), blocks))
}

/// Those traces of which waits are known, with their places.
fn waitings(shown: &[AnalysedTrace]) -> impl Iterator<Item = (usize, &WaitingFindings)> {
    shown.iter().enumerate().filter_map(|(place, one)| Some((place, one.found.waiting.as_ref()?)))
}

/// The longest spells; nothing where no program waited.
pub(super) fn spells(shown: &[AnalysedTrace]) -> Option<Section> {
    let in_words = |parties: &[PartyFindings]| match parties {
        [] => Cell::Nothing,
        parties => Cell::Text(parties.iter().map(why::in_words).collect::<Vec<_>>().join(", ")),
    };
    let columns = Columns::<SpellFindings>::new()
        .with("Duration", Quantity::Nanoseconds, |spell| spell.nanos)
        .words("Waited for", |spell| in_words(&spell.waiters))
        .words("Meanwhile", |spell| in_words(&spell.meanwhile));
    let mut table = columns.table("spells", "", "Began");
    for (place, waiting) in waitings(shown) {
        let spells = waiting.worst.iter().take(ROWS);
        let head = |spell: &SpellFindings| moment(spell.at, spell.from_ns);
        table.rows.extend(spells.map(|spell| row(shown, place, head(spell), columns.cells(spell))));
    }
    (!table.rows.is_empty())
        .then(|| Section::full("The longest times that programs waited", vec![Block::Table(table)]))
}

/// What each process did; nothing where no source knows processes.
pub(super) fn processes(shown: &[AnalysedTrace]) -> Option<Section> {
    let columns = Columns::<ProcessFindings>::new()
        .with("I/Os waited for", Quantity::Count, |one| one.waits)
        .with("Their time in sum", Quantity::Nanoseconds, |one| one.waited_s * 1e9)
        .with("Reads", Quantity::Count, |one| one.reads)
        .with("Read", Quantity::Bytes, |one| one.read_bytes)
        .with("Writes", Quantity::Count, |one| one.writes)
        .with("Written", Quantity::Bytes, |one| one.written_bytes)
        .with("Flushes", Quantity::Count, |one| one.flushes)
        .with("Sequential", Quantity::Share, |one| one.sequential);
    let mut table = columns.table("processes", "", "Process").with_note(
        "Those that waited stand first, then those that moved the most bytes; the JSON document has more.",
    );
    for (place, waiting) in waitings(shown) {
        let name = |one: &ProcessFindings| one.process.clone().unwrap_or_else(|| "not known".to_owned());
        let processes = waiting.processes.iter().take(2 * ROWS);
        table.rows.extend(processes.map(|one| row(shown, place, name(one), columns.cells(one))));
    }
    (!table.rows.is_empty()).then(|| Section::full("Processes", vec![Block::Table(table)]))
}

pub(super) fn streams(shown: &[AnalysedTrace]) -> Option<Section> {
    // A stream, and the share of it and of those before it.
    let columns = Columns::<(&StreamFindings, f64)>::new()
        .with("I/Os", Quantity::Count, |(stream, _)| stream.ios)
        .with("Share", Quantity::Share, |(stream, _)| stream.share)
        .with("Together", Quantity::Share, |(_, together)| *together);
    let mut table = columns.table("streams", "", "I/O stream").with_note(
        "An I/O stream is all reads or writes of one size and order (SNIA, Real World Storage Workload). Sequential is what \
         begins where the I/O before of the same process ended.",
    );
    for (place, waiting) in waitings(shown) {
        let mut together = 0.0;
        for stream in waiting.streams.iter().take(2 * ROWS) {
            together += stream.share;
            let cells = columns.cells(&(stream, together));
            table.rows.push(row(shown, place, stream_in_words(stream), cells));
        }
    }
    (!table.rows.is_empty()).then(|| Section::full("I/O streams", vec![Block::Table(table)]))
}

fn stream_in_words(stream: &StreamFindings) -> String {
    let order = if stream.is_sequential { "sequential" } else { "scattered" };
    let work = if stream.is_read { "reads" } else { "writes" };
    match stream.bytes {
        Some(bytes) => format!("{order} {work} of {}", Quantity::BlockSize.text(bytes as f64)),
        None => format!("{order} {work} of more than 1 MiB"),
    }
}
