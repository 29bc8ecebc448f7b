//! The page of an index.

use std::collections::HashSet;

use drivelab_documents::{ClockTime, Drive, SimulatedTarget, Started, overrides_in_words};
use drivelab_view::chart::{Axis, Data, Scale, Series, Shape};
use drivelab_view::format::{capitalised, count, things};
use drivelab_view::{
    Better, Block, Catalogue, CatalogueCell, CatalogueRow, CatalogueSource, Cell, Chart, Column, Columns,
    Quantity, Section, Table, View,
};

use super::{DriveOfIndex, Index, IndexedResult, IndexedTrace, ResultState};

/// Drives that did not do as they were asked are named before the table, up to so many.
const LAPSES_MAX: usize = 10;

/// What the columns before the figures hold.
const FIRST: [(&str, Quantity); 3] =
    [("Capacity", Quantity::Bytes), ("Firmware", Quantity::Number), ("Last measured", Quantity::Number)];

/// The view of an index: every drive with its figures, and the traces.
pub fn view(index: &Index) -> View {
    let mut blocks = vec![Block::Text(in_short(index))];
    blocks.extend(lapses(index));
    blocks.extend(index.left_out.iter().map(|why| Block::Text(format!("Left out: {why}"))));
    if !index.drives.is_empty() {
        blocks.push(Block::Catalogue(drives(index)));
    }
    let traces = (!index.traces.is_empty())
        .then(|| Section::full("Traces", vec![Block::Table(traces(&index.traces))]));
    let sections = [Section::summary(None, blocks)].into_iter().chain(traces).collect();
    let title = match index.drives.len() {
        0 => "Index of traces".to_owned(),
        1 => format!("Index of {}", index.drives[0].drive.model),
        several => format!("Index of {} drives", count(several as f64)),
    };
    View { title, kind: "index".to_owned(), name: "index", subjects: Vec::new(), sections }
}

/// How much there is, and what of it is not to be relied on.
fn in_short(index: &Index) -> String {
    let some = |number: usize, thing: &str| match number {
        1 => format!("one {thing}"),
        _ => things(number as u64, thing),
    };
    let results = index.drives.iter().flat_map(|drive| &drive.results);
    let number = results.clone().count();
    let in_state = |state| results.clone().filter(|one| one.found.state == state).count();
    let mut found =
        format!("{} of {}", capitalised(&some(number, "result")), some(index.drives.len(), "drive"));
    if !index.traces.is_empty() {
        found = format!("{found}, and {}", some(index.traces.len(), "trace"));
    }
    let states = [
        (ResultState::CheckFailed, "failed a check"),
        (ResultState::BrokeOff, "broke off"),
        (ResultState::Interrupted, "interrupted by the user"),
        (ResultState::Killed, "killed or still under way"),
    ];
    let not_well: Vec<String> = states
        .into_iter()
        .map(|(state, words)| (in_state(state), words))
        .filter(|(number, _)| *number > 0)
        .map(|(number, words)| format!("{} {words}", count(number as f64)))
        .collect();
    if not_well.is_empty() {
        format!("{found}. Nothing stands against any of the results.")
    } else {
        format!("{found}. Of the results, {}.", not_well.join(", "))
    }
}

/// What drives did not do as they were asked, by the first result of each that has something of it.
fn lapses(index: &Index) -> Vec<Block> {
    let named = index.drives.iter().zip(names(index));
    let mut all: Vec<String> = named
        .filter_map(|(drive, name)| {
            let sentence = drive.results.iter().find_map(|one| one.lapses.as_ref())?;
            Some(format!("{name}: {sentence}"))
        })
        .collect();
    let left_out = all.len().saturating_sub(LAPSES_MAX);
    all.truncate(LAPSES_MAX);
    if left_out > 0 {
        all.push(format!("{} more did not do all that they were asked for.", count(left_out as f64)));
    }
    all.into_iter().map(Block::Text).collect()
}

fn drives(index: &Index) -> Catalogue {
    let columns = columns(index);
    let named = index.drives.iter().zip(names(index));
    let rows = named.map(|(drive, name)| row(drive, (name, about(index, drive)), &columns)).collect();
    let mut catalogue = Catalogue {
        id: "drives".to_owned(),
        caption: "Drives, each with the figures of its newest results".to_owned(),
        corner: "Drive".to_owned(),
        columns,
        curves: curves(index),
        rows,
        notes: notes(index),
    };
    catalogue.leave_out_empty_columns();
    catalogue
}

fn columns(index: &Index) -> Vec<Column> {
    let first = FIRST.iter().map(|(head, quantity)| Column::new(head, *quantity));
    let figures = index.figure_names.iter().filter_map(|name| {
        let all = index.drives.iter().flat_map(|drive| &drive.figures).map(|one| &one.figure);
        let own = || all.clone().filter(|figure| figure.name == *name);
        // Figures of which some are not judged, such as rates that are not steady, are in one column with those that are.
        let better = own().map(|figure| figure.better).find(|better| *better != Better::Neither);
        let column = Column::new(name, own().next()?.value.quantity);
        Some(column.judged(better.unwrap_or(Better::Neither)))
    });
    first.chain(figures).collect()
}

/// The simulated drives by their targets.
fn simulated(index: &Index) -> Vec<SimulatedTarget<'_>> {
    let simulated = index.drives.iter().map(|drive| &drive.drive).filter(|drive| drive.simulated);
    simulated.map(|drive| SimulatedTarget::parse(&drive.model)).collect()
}

/// What the drives are called, in their order: as the user calls them, or else by their own names, simulated ones without what
/// all of these override alike.
fn names(index: &Index) -> Vec<String> {
    let simulated = simulated(index);
    let shared = SimulatedTarget::shared(&simulated);
    let own_name = |drive: &DriveOfIndex| match &drive.drive {
        own if own.simulated => SimulatedTarget::parse(&own.model).without(&shared),
        own => own.model.clone(),
    };
    let is_alone = |called: &str| {
        index.drives.iter().filter(|other| other.called.as_deref() == Some(called)).count() == 1
    };
    let name = |drive: &DriveOfIndex| match &drive.called {
        None => own_name(drive),
        Some(called) if is_alone(called) => called.clone(),
        Some(called) => format!("{called}, {}", own_name(drive)),
    };
    index.drives.iter().map(name).collect()
}

fn notes(index: &Index) -> Vec<String> {
    let mut notes = vec![
        "Figures are those of when each result was made: the records of its I/Os were not read again."
            .to_owned(),
    ];
    let shared = overrides_in_words(&SimulatedTarget::shared(&simulated(index)));
    notes.extend(shared.map(|shared| format!("Every simulated drive has {shared}.")));
    notes.extend(index.drives.iter().filter_map(|drive| drive.doubt.clone()));
    notes.extend(not_plotted(index));
    notes.extend(undated(index));
    if index.drives.iter().flat_map(|drive| &drive.results).any(|one| !one.found.differing.is_empty()) {
        notes.push(
            "≠ The result was asked for differently than more than half of its kind, or measured under other \
             conditions: the column of results says in what it differs."
                .to_owned(),
        );
    }
    notes
}

/// Which drives are in no picture.
fn not_plotted(index: &Index) -> Option<String> {
    let has_other =
        |drive: &DriveOfIndex| drive.curve.is_none() && drive.results.iter().any(|one| one.curve.is_some());
    let named = index.drives.iter().zip(names(index)).filter(|(drive, _)| has_other(drive));
    let named: Vec<String> = named.map(|(_, name)| name).collect();
    (!named.is_empty()).then(|| {
        format!(
            "Not in the picture of random writes, as these were asked for in another way than those in it, or did not come to \
             their end: {}.",
            named.join("; ")
        )
    })
}

/// By what the newest of results is known that have no date.
fn undated(index: &Index) -> Option<String> {
    let has_choice = |drive: &DriveOfIndex| {
        let mut undated = drive.results.iter().map(|one| &one.found).filter(|one| one.started.is_none());
        let mut kinds = HashSet::new();
        undated.any(|one| !kinds.insert(&one.kind))
    };
    index.drives.iter().any(has_choice).then(|| {
        "Results of simulated drives have no date: the newest one is the one whose findings were written last.".to_owned()
    })
}

/// What tells a drive from others: its serial number, and where another one has the same, its own name or its namespace.
fn about(index: &Index, drive: &DriveOfIndex) -> String {
    let own = &drive.drive;
    let model = drive.called.as_ref().map(|_| own.model.clone());
    model.into_iter().chain(number_of(index, own)).collect::<Vec<_>>().join(", ")
}

fn number_of(index: &Index, own: &Drive) -> Option<String> {
    let serial = own.serial.as_ref()?;
    let of_serial = index.drives.iter().filter(|other| other.drive.serial.as_ref() == Some(serial)).count();
    let namespace = own.namespace.map(|number| format!("namespace {number}"));
    let more = own.wwn.clone().or(namespace).or_else(|| own.path.clone()).filter(|_| of_serial > 1);
    Some(more.map_or_else(|| format!("serial {serial}"), |more| format!("serial {serial}, {more}")))
}

fn row(drive: &DriveOfIndex, (name, about): (String, String), columns: &[Column]) -> CatalogueRow {
    let own = &drive.drive;
    let newest = drive.results.iter().filter_map(|one| one.found.started.as_ref()).max_by_key(|one| one.at);
    let first = [
        Cell::count(Quantity::Bytes, Some(own.size_bytes).filter(|size| *size > 0)),
        own.firmware.clone().map_or(Cell::Nothing, Cell::Text),
        newest.map_or(Cell::Nothing, |started| Cell::Text(started.at.day())),
    ];
    let first = first.into_iter().map(|cell| CatalogueCell { cell, ..CatalogueCell::default() });
    let figures = columns[FIRST.len()..].iter().map(|column| cell(drive, column));
    CatalogueRow {
        head: name,
        about,
        cells: first.chain(figures).collect(),
        sources: drive.results.iter().map(|one| source(one, drive)).collect(),
    }
}

fn cell(drive: &DriveOfIndex, column: &Column) -> CatalogueCell {
    let Some(own) = drive.figures.iter().find(|one| one.figure.name == column.head) else {
        return CatalogueCell::default();
    };
    let is_judged = own.figure.better != Better::Neither;
    let result = &drive.results[own.result];
    CatalogueCell {
        cell: Cell::Value(own.figure.value),
        comparable: result.asked_alike.filter(|_| is_judged),
        differs: !result.found.differing.is_empty(),
    }
}

fn source(result: &IndexedResult, drive: &DriveOfIndex) -> CatalogueSource {
    let found = &result.found;
    let state = match found.state {
        ResultState::Passed => None,
        ResultState::CheckFailed => {
            Some(result.lapses.clone().unwrap_or_else(|| "its check failed".to_owned()))
        }
        ResultState::BrokeOff => Some(match &result.lapses {
            Some(lapses) => format!("broke off: {lapses}"),
            None => "broke off".to_owned(),
        }),
        ResultState::Interrupted => Some("interrupted".to_owned()),
        ResultState::Killed => Some("killed or still under way".to_owned()),
    };
    let firmware = result.drive.firmware.as_ref().filter(|_| result.drive.firmware != drive.drive.firmware);
    let firmware = firmware.map(|firmware| format!("firmware {firmware}"));
    let remark = [found.started.as_ref().map(|started| started.at.day()), state, firmware];
    let has_namesake = drive.results.iter().filter(|other| other.found.kind == found.kind).count() > 1;
    CatalogueSource {
        name: if has_namesake || result.is_named {
            format!("{}: {}", found.kind, found.label)
        } else {
            found.kind.clone()
        },
        remark: remark.into_iter().flatten().collect::<Vec<_>>().join(", "),
        link: result.page.clone(),
        folder: found.folder.clone(),
        differing: found.differing.iter().map(super::Differing::in_words).collect(),
    }
}

/// How the random writes of each drive went on.
fn curves(index: &Index) -> Option<Chart> {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let mut chart = Chart::new(
        "curves",
        "Random writes",
        vec![across],
        Axis::new("Rate", Quantity::Iops, Scale::LogOrLinear),
    );
    "The rate of random writes of each drive in time, as means of equal parts of it."
        .clone_into(&mut chart.about);
    for (place, (drive, name)) in index.drives.iter().zip(names(index)).enumerate() {
        let Some(curve) = &drive.curve else { continue };
        let xs = Data::Regular { start: curve.step_s / 2.0, step: curve.step_s, count: curve.values.len() };
        let ys = curve.values.iter().copied().collect();
        chart.series.push(Series::new(&name, place, Shape::Line, xs, ys));
    }
    (!chart.is_empty()).then_some(chart)
}

fn traces(traces: &[IndexedTrace]) -> Table {
    let recorded = |started: &Started| format!("{}, on {}", started.at.in_words(), started.machine);
    let columns = Columns::<IndexedTrace>::new()
        .words("Began", |trace| {
            trace.started.as_ref().map(recorded).or_else(|| trace.began.map(ClockTime::in_words))
        })
        .words("Source", |trace| trace.source.clone());
    let mut table =
        columns.filled(("traces", "Traces of block I/O", "Folder"), traces, |trace| &trace.folder);
    table.notes.push("drivelab trace show FOLDER shows one of them.".to_owned());
    table
}
