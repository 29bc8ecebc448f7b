//! Who waited and what went on meanwhile, in tables.

use drivelab_view::{Block, Cell, Column, Quantity, Row, Section, Table};

use super::tables::of_subject;
use super::{JudgedTrace, moment, why};
use crate::trace::device_name;
use crate::trace::{PartyFindings, ProcessFindings, SpellFindings, StreamFindings, WaitingFindings};

/// Rows of one trace; the document has more.
const ROWS: usize = 10;

/// Who waited, and what else was in the queue; nothing where no program waited.
pub(super) fn parties(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let has_waits =
        |one: &&JudgedTrace<'_>| one.found.waiting.as_ref().is_some_and(|waiting| waiting.spells > 0);
    if !shown.iter().any(|one| has_waits(&one)) {
        return None;
    }
    let columns = || {
        vec![
            Column::new("I/Os", Quantity::Count),
            Column::new("Bytes", Quantity::Bytes),
            Column::new("Time in sum", Quantity::Nanoseconds),
            Column::new("Share", Quantity::Share),
            Column::new("Longest I/O", Quantity::Nanoseconds),
        ]
    };
    let mut waiters = Table::new("waiters", "Who waited, and for what", "Work", columns());
    let mut meanwhile =
        Table::new("meanwhile", "What else was in the queue at those times", "Work", columns());
    for (place, waiting) in waitings(shown) {
        let subject = of_subject(shown, place);
        let row = |party: &PartyFindings, sum: f64| Row { subject, ..party_row(party, sum) };
        waiters.rows.extend(waiting.waiters.iter().take(ROWS).map(|one| row(one, waiting.waits_sum_s)));
        meanwhile
            .rows
            .extend(waiting.meanwhile.iter().take(ROWS).map(|one| row(one, waiting.meanwhile_sum_s)));
    }
    let note = "The time in sum is that of all I/Os one after the other: those that were in flight together count each.";
    meanwhile.notes.push(note.to_owned());
    let mut blocks = vec![Block::Table(waiters)];
    if !meanwhile.rows.is_empty() {
        blocks.push(Block::Table(meanwhile));
    }
    Some(Section::summary(Some("Who waited, and what was in the way"), blocks))
}

/// Those traces of which waits are known, with their places.
fn waitings<'a>(shown: &'a [JudgedTrace<'a>]) -> impl Iterator<Item = (usize, &'a WaitingFindings)> {
    shown.iter().enumerate().filter_map(|(place, one)| Some((place, one.found.waiting.as_ref()?)))
}

fn party_row(party: &PartyFindings, sum: f64) -> Row {
    Row {
        head: format!("{}, {}", why::in_words(party), device_name::in_words(&party.device)),
        subject: None,
        group: None,
        cells: vec![
            Cell::count(Quantity::Count, Some(party.ios)),
            Cell::count(Quantity::Bytes, Some(party.bytes)),
            Cell::number(Quantity::Nanoseconds, Some(party.time_s * 1e9)),
            Cell::number(Quantity::Share, Some(party.time_s / sum)),
            Cell::count(Quantity::Nanoseconds, Some(party.longest_ns)),
        ],
    }
}

/// The longest spells; nothing where no program waited.
pub(super) fn spells(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = vec![
        Column::new("Duration", Quantity::Nanoseconds),
        Column::new("Waited for", Quantity::Number),
        Column::new("Meanwhile", Quantity::Number),
    ];
    let mut table = Table::new("spells", "", "Began", columns);
    for (place, waiting) in waitings(shown) {
        let subject = of_subject(shown, place);
        table.rows.extend(waiting.worst.iter().take(ROWS).map(|spell| Row { subject, ..spell_row(spell) }));
    }
    (!table.rows.is_empty())
        .then(|| Section::full("The longest times that programs waited", vec![Block::Table(table)]))
}

fn spell_row(spell: &SpellFindings) -> Row {
    let in_words = |parties: &[PartyFindings]| match parties {
        [] => Cell::Nothing,
        parties => Cell::Text(parties.iter().map(why::in_words).collect::<Vec<_>>().join(", ")),
    };
    Row {
        head: moment(spell.at, spell.from_ns),
        subject: None,
        group: None,
        cells: vec![
            Cell::count(Quantity::Nanoseconds, Some(spell.nanos)),
            in_words(&spell.waiters),
            in_words(&spell.meanwhile),
        ],
    }
}

/// What each process did; nothing where no source knows processes.
pub(super) fn processes(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = vec![
        Column::new("I/Os waited for", Quantity::Count),
        Column::new("Their time in sum", Quantity::Nanoseconds),
        Column::new("Reads", Quantity::Count),
        Column::new("Read", Quantity::Bytes),
        Column::new("Writes", Quantity::Count),
        Column::new("Written", Quantity::Bytes),
        Column::new("Flushes", Quantity::Count),
        Column::new("Sequential", Quantity::Share),
    ];
    let mut table = Table::new("processes", "", "Process", columns);
    for (place, waiting) in waitings(shown) {
        let row = |one: &ProcessFindings| Row {
            head: one.process.clone().unwrap_or_else(|| "not known".to_owned()),
            subject: of_subject(shown, place),
            group: None,
            cells: vec![
                Cell::count(Quantity::Count, Some(one.waits)),
                Cell::number(Quantity::Nanoseconds, Some(one.waited_s * 1e9)),
                Cell::count(Quantity::Count, Some(one.reads)),
                Cell::count(Quantity::Bytes, Some(one.read_bytes)),
                Cell::count(Quantity::Count, Some(one.writes)),
                Cell::count(Quantity::Bytes, Some(one.written_bytes)),
                Cell::count(Quantity::Count, Some(one.flushes)),
                Cell::number(Quantity::Share, one.sequential),
            ],
        };
        table.rows.extend(waiting.processes.iter().take(2 * ROWS).map(row));
    }
    let note =
        "Those that waited stand first, then those that moved the most bytes; the JSON document has more.";
    table.notes.push(note.to_owned());
    (!table.rows.is_empty()).then(|| Section::full("Processes", vec![Block::Table(table)]))
}

/// The I/Os by operation, size and order.
pub(super) fn streams(shown: &[JudgedTrace<'_>]) -> Option<Section> {
    let columns = vec![
        Column::new("I/Os", Quantity::Count),
        Column::new("Share", Quantity::Share),
        Column::new("Together", Quantity::Share),
    ];
    let mut table = Table::new("streams", "", "I/O stream", columns);
    for (place, waiting) in waitings(shown) {
        let mut together = 0.0;
        for stream in waiting.streams.iter().take(2 * ROWS) {
            together += stream.share;
            table.rows.push(Row {
                head: stream_in_words(stream),
                subject: of_subject(shown, place),
                group: None,
                cells: vec![
                    Cell::count(Quantity::Count, Some(stream.ios)),
                    Cell::number(Quantity::Share, Some(stream.share)),
                    Cell::number(Quantity::Share, Some(together)),
                ],
            });
        }
    }
    let note = "An I/O stream is all reads or writes of one size and order (SNIA, Real World Storage Workload). Sequential \
                is what begins where the I/O before of the same process ended.";
    table.notes.push(note.to_owned());
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
