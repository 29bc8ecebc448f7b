//! More results of one kind than a page has pictures for: a table of all, and pictures of the first.

use std::path::PathBuf;

use drivelab_kinds::{Ended, tell_apart};
use drivelab_view::format::{capitalised, count};
use drivelab_view::{Block, Cell, Columns, KeyFigure, Section, Table, View};

use crate::Failure;
use crate::kept_summary::KeptSummary;
use crate::kinds::KindEntry;

/// As many results of a kind have pictures and tables of their own.
const ALL_SHOWN_MAX: usize = 20;
/// Of more, the first of them, as many as are drawn together.
const FIRST_SHOWN: usize = 8;

/// How many of so many results of a kind have pictures and tables of their own.
pub fn shown_of(results: usize) -> usize {
    if results > ALL_SHOWN_MAX { FIRST_SHOWN } else { results }
}

pub struct ManyResults {
    /// A table of them, and what of them is left out.
    pub view: View,
    /// Whether all of them passed their checks.
    pub pass: bool,
    /// Why some of these could not be opened.
    pub failures: Vec<Failure>,
}

impl ManyResults {
    /// Of the results in these folders; none where all of them have pictures.
    pub fn summarize(kind: &KindEntry, folders: &[PathBuf]) -> Option<ManyResults> {
        let shown = shown_of(folders.len());
        if shown == folders.len() {
            return None;
        }
        let (mut rows, mut opened, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        for (place, folder) in folders.iter().enumerate() {
            match (kind.summarize)(folder) {
                Ok(summary) => {
                    rows.push(summary);
                    opened.push(folder.clone());
                }
                // Why one of the first cannot be opened is said where it is opened.
                Err(_) if place < shown => {}
                Err(failure) => failures.push(failure),
            }
        }
        let pass = failures.is_empty() && rows.iter().all(|one| one.passes);
        let words = rows.first().map_or(kind.name, |one| one.kind);
        let table = table(kind.name, &rows, &opened);
        Some(ManyResults { view: view(words, table, (folders.len(), shown)), pass, failures })
    }
}

fn view(words: &str, table: Table, (all, shown): (usize, usize)) -> View {
    let text = format!(
        "{} results of a {words}: this table has a row for each. The pictures and tables below are of the first {}; those of \
         the other {} are left out. `drivelab report DIR DIR` shows those that you choose, up to {ALL_SHOWN_MAX}; `drivelab \
         index` is the page for many results.",
        count(all as f64),
        count(shown as f64),
        count((all - shown) as f64)
    );
    let blocks = vec![Block::Text(text), Block::Table(table)];
    View {
        title: format!("{} results: {}", count(all as f64), capitalised(words)),
        kind: words.to_owned(),
        name: "results",
        subjects: Vec::new(),
        sections: vec![Section::summary(None, blocks)],
    }
}

fn table(name: &str, rows: &[KeptSummary], folders: &[PathBuf]) -> Table {
    let mut columns = Columns::<KeptSummary>::new().words("Drive", drive).words("Outcome", outcome);
    for figure in KeyFigure::each_once(rows.iter().flat_map(|one| &one.figures)) {
        let own = |one: &KeptSummary| figure.among(&one.figures).map(|own| own.value);
        columns = columns.with(&figure.name, figure.value.quantity, own).judged(figure.better);
    }
    let mut table = columns.table(&format!("all-{name}"), "Each result, in the order of the names", "Result");
    for (one, name) in rows.iter().zip(names(rows, folders)) {
        table.row(name, columns.cells(one));
    }
    table
}

/// What the results are called: by their labels, and where several have the same, by their folders as well.
fn names(rows: &[KeptSummary], folders: &[PathBuf]) -> Vec<String> {
    let labels: Vec<String> = rows.iter().map(|one| one.run.label.clone()).collect();
    let shown = |(one, folder): (&KeptSummary, &PathBuf)| {
        folder.file_name().map(|name| one.hidden.in_text(&name.to_string_lossy()))
    };
    let folders: Vec<Option<String>> = rows.iter().zip(folders).map(shown).collect();
    tell_apart(&labels, &folders.iter().map(Option::as_deref).collect::<Vec<_>>())
}

fn drive(one: &KeptSummary) -> Cell {
    let drive = &one.run.drive;
    match &drive.serial {
        _ if drive.simulated => Cell::text(one.run.target.clone()),
        Some(serial) => Cell::text(format!("{} ({serial})", drive.model)),
        None => Cell::text(drive.model.clone()),
    }
}

fn outcome(one: &KeptSummary) -> Cell {
    match one.ended {
        Ended::Whole if one.passes => Cell::text("done"),
        Ended::Whole => Cell::text(one.lapses.clone().unwrap_or_else(|| "its check failed".to_owned())),
        Ended::BrokeOff => Cell::text(match &one.lapses {
            Some(lapses) => format!("broke off: {lapses}"),
            None => "broke off".to_owned(),
        }),
        Ended::Interrupted => Cell::text("interrupted"),
        Ended::Killed => Cell::text("killed or still under way"),
    }
}
