//! Where the time goes, what the processors did, and every run.

use drivelab_view::{
    Better, Block, Cell, Column, Columns, Figures, Fold, IntoCell as _, Quantity, Row, Table, Value,
};

use super::super::{PathCell, PathRun, Paths, ProcessorUse};
use super::{files_of, lengths, paths};
use crate::shown::ComparedFigures;
use crate::{ComparedResult, Comparison, MeanOverRuns, StoredResult};

/// Where the time of each cell went; nothing where it is not known, as on a simulated drive.
pub fn time(results: &Comparison<'_, Paths>) -> Option<Vec<Block>> {
    let share = |head: &str| Column::new(head, Quantity::Share);
    let columns =
        ["making the data", "processor", "waiting for the device", "device idle"].map(share).to_vec();
    let mut table = Table::new("time-shares", "Shares of the time", "Path", columns);
    add_rows(&mut table, results, |cell| {
        cell.processors?;
        let shares = cell.time_shares;
        let all = [Some(shares.preparing), shares.processor, shares.waiting, shares.device_idle];
        Some(all.into_iter().map(|share| Cell::number(Quantity::Share, share)).collect())
    });
    table.notes.push(
        "The first three add up to the whole time: processor is what the program and the kernel do for it besides making the \
         data. The device is idle while it waits for work; of raw-passthrough the kernel does not report that. Where other \
         programs had the processor while the data were made, the second and the third are not known."
            .to_owned(),
    );
    (!table.rows.is_empty()).then(|| vec![Block::Table(table)])
}

/// What the machine's processors did, and how long they were idle while a task waited for I/O.
pub fn processors(results: &Comparison<'_, Paths>) -> Option<Vec<Block>> {
    let busy = shares(results, "processors-busy", "Processors busy", |of| {
        [of.before.busy(), of.during.busy(), of.after.busy()]
    });
    let iowait = shares(results, "io-wait", "Processors idle in I/O wait", |of| {
        [of.before.iowait, of.during.iowait, of.after.iowait]
    });
    (!busy.rows.is_empty()).then(|| vec![Block::Table(busy), Block::Table(iowait)])
}

fn shares(
    results: &Comparison<'_, Paths>,
    id: &str,
    caption: &str,
    of: fn(&ProcessorUse) -> [f64; 3],
) -> Table {
    let columns = ["before", "during", "after"].map(|head| Column::new(head, Quantity::Share)).to_vec();
    let mut table = Table::new(id, caption, "Path", columns);
    add_rows(&mut table, results, |cell| {
        let shares = of(cell.processors.as_ref()?);
        Some(shares.map(|share| Cell::number(Quantity::Share, Some(share))).to_vec())
    });
    table.notes.push("Shares of the time of all processors of the machine, all runs together.".to_owned());
    table
}

/// Every run, folded away.
pub fn runs(results: &Comparison<'_, Paths>) -> Vec<Block> {
    // A run, and its cell.
    let columns = Columns::<(&PathRun, &PathCell)>::new()
        .with("place in the order", Quantity::Count, |(run, _)| run.place + 1)
        .with("rate", Quantity::BytesPerSecond, |(run, cell)| run.rate_mb_s(cell.file_bytes) * 1e6)
        .with("time", Quantity::Nanoseconds, |(run, _)| run.elapsed_ns)
        .with("making the data", Quantity::Nanoseconds, |(run, _)| run.preparing_ns)
        .with("processor, user", Quantity::Nanoseconds, |(run, _)| run.own_user_ns)
        .with("processor, system", Quantity::Nanoseconds, |(run, _)| run.own_system_ns)
        .with("device busy", Quantity::Nanoseconds, |(run, _)| run.device_busy_ns);
    let mut table = columns.table("runs", "Runs", "Path and run");
    for one in results.iter() {
        for cell in &one.findings.cells {
            let head = |run: &PathRun| format!("{}, run {}", cell.path.word(), run.run + 1);
            table
                .rows
                .extend(cell.runs.iter().map(|run| row(one, cell, head(run), columns.cells(&(run, cell)))));
        }
    }
    let summary = format!("All {} runs", table.rows.len());
    vec![Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] })]
}

/// A row for each cell of each result that has something to show.
fn add_rows(
    table: &mut Table,
    results: &Comparison<'_, Paths>,
    cells_of: impl Fn(&PathCell) -> Option<Vec<Cell>>,
) {
    for one in results.iter() {
        for cell in &one.findings.cells {
            let cells = cells_of(cell);
            table.rows.extend(cells.map(|cells| row(one, cell, cell.path.word().to_owned(), cells)));
        }
    }
}

/// A row of a cell below its length of files, and its result where there are several.
fn row(one: &ComparedResult<'_, Paths>, cell: &PathCell, head: String, cells: Vec<Cell>) -> Row {
    let files = files_of(cell.file_bytes);
    let group = one.group().map_or(files.clone(), |label| format!("{label}, {files}"));
    Row { group: Some(group), ..one.row(head, cells) }
}

/// A figure of a cell: its name, what it measures, which is better, where it is, and its unit in terms of the base unit.
pub(super) struct MeasuredFigure {
    id: &'static str,
    pub name: &'static str,
    pub quantity: Quantity,
    better: Better,
    pub of: fn(&PathCell) -> MeanOverRuns,
    pub unit: f64,
}

pub(super) const RATE: MeasuredFigure = MeasuredFigure {
    id: "rate",
    name: "Rate",
    quantity: Quantity::BytesPerSecond,
    better: Better::High,
    of: |cell| cell.rate_mb_s,
    unit: 1e6,
};

pub(super) const TIME: MeasuredFigure = MeasuredFigure {
    id: "time-per-file",
    name: "Time for each file",
    quantity: Quantity::Nanoseconds,
    better: Better::Low,
    of: |cell| cell.file_time_ns,
    unit: 1.0,
};

/// A table of paths for one result; of several, a table of drives and paths for each length of files.
pub fn blocks(results: &Comparison<'_, Paths>) -> Vec<Block> {
    match &**results {
        [one] => [RATE, TIME].iter().map(|measured| Block::Table(table(one, measured))).collect(),
        _ => [RATE, TIME].iter().map(|measured| Block::Figures(figures(results, measured))).collect(),
    }
}

fn table(kept: &StoredResult<Paths>, measured: &MeasuredFigure) -> Table {
    let (found, paths) = (&kept.findings, kept.findings.paths());
    let columns =
        paths.iter().map(|path| Column::new(path.word(), measured.quantity).judged(measured.better));
    let mut table = Table::new(measured.id, measured.name, "Files", columns.collect());
    for length in found.file_lengths() {
        let fastest = found.fastest(length);
        let cells =
            paths.iter().map(|path| match found.cell(*path, length).map(|cell| value(cell, measured)) {
                Some(value) if fastest == Some(*path) => Cell::Best(value),
                value => value.into_cell(measured.quantity),
            });
        table.row(files_of(length), cells.collect());
    }
    table.notes.push("Means over runs, with intervals by Student's t that end at zero.".to_owned());
    table
}

fn figures(results: &Comparison<'_, Paths>, measured: &MeasuredFigure) -> Figures {
    let mut figures = ComparedFigures::new(measured.id, results);
    for length in lengths(results) {
        let group = format!("{}: {}", measured.name, files_of(length));
        for path in paths(results) {
            figures.add((&group, path.word()), measured.quantity, measured.better, |one| {
                one.findings.cell(path, length).map(|cell| value(cell, measured))
            });
        }
    }
    figures.figures
}

fn value(cell: &PathCell, measured: &MeasuredFigure) -> Value {
    (measured.of)(cell).value(measured.quantity, measured.unit)
}
