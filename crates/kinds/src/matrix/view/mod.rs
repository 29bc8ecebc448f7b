//! What is shown of matrices: first which combination is the fastest, then one table of rates, then curves and comparisons.

mod cells;
mod charts;
mod comparisons;
mod head;

pub(super) use cells::rate_of;
use cells::{ShownCells, few_of, left_out_of};
use drivelab_stats::{Axis, MatrixCell};
use drivelab_view::{Better, Block, Cell, Column, Fold, Ranking, Row, Section, Shading, Table, View};
use head::fastest_threads;

use crate::matrix::settings::{axis_names, cell_name, column_name, threads_name};
use crate::matrix::{CellFindings, Matrix, RateUnit};
use crate::{ComparedResult, Comparison, StoredResult, shown};

pub(super) fn view(results: &Comparison<'_, Matrix>) -> View {
    let cells = ShownCells::from_results(results);
    let mut sections = vec![Section::summary(None, head::head(results, &cells))];
    sections.extend(rates(results, &cells));
    sections.extend(charts::against_threads(&cells));
    sections.extend(side_by_side(results, &cells));
    sections.extend(comparisons::comparisons(results));
    shown::view(results, sections)
}

/// The tables of rates: of few numbers of threads, and folded away of all.
fn rates(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Section> {
    let axis = cells.column_axis();
    let mut blocks = tables(results, cells, axis, ThreadsOfTable::Few);
    if blocks.is_empty() {
        return None;
    }
    if axis != Axis::Threads && left_out_of(&cells.threads()).is_some() {
        let summary = format!("All {} numbers of threads", cells.threads().len());
        let all = tables(results, cells, axis, ThreadsOfTable::All);
        blocks.push(Block::Fold(Fold { summary, blocks: all }));
    }
    Some(Section::summary(Some("Rates"), blocks))
}

/// The schedulers in columns, where the tables of rates have file systems there.
fn side_by_side(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Section> {
    let axis = Axis::Scheduler;
    if cells.column_axis() == axis || cells.columns(axis).len() < 2 {
        return None;
    }
    let blocks = tables(results, cells, axis, ThreadsOfTable::Few);
    let summary = format!("Rates with {} {}", cells.columns(axis).len(), axis_names(axis).1);
    let fold = Block::Fold(Fold { summary, blocks });
    Some(Section::full("I/O schedulers side by side", vec![fold]))
}

/// Which numbers of threads a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadsOfTable {
    /// As many as a summary shows.
    Few,
    /// Every one.
    All,
}

/// The rates, a table for each unit: with the values of an axis in columns, and in rows everything else that cells differ in;
/// of several results a row for each.
fn tables(
    results: &Comparison<'_, Matrix>,
    cells: &ShownCells<'_>,
    axis: Axis,
    threads: ThreadsOfTable,
) -> Vec<Block> {
    let maker = Maker { results, cells, axis, threads };
    RateUnit::ALL.into_iter().filter_map(|unit| maker.table(unit)).map(Block::Table).collect()
}

struct Maker<'a> {
    results: &'a Comparison<'a, Matrix>,
    cells: &'a ShownCells<'a>,
    axis: Axis,
    threads: ThreadsOfTable,
}

impl Maker<'_> {
    fn table(&self, unit: RateUnit) -> Option<Table> {
        let (quantity, _) = unit.quantity();
        let columns = self.cells.columns(self.axis);
        let head = |cell: &&MatrixCell| {
            let name = if columns.len() > 1 { column_name(self.axis, cell) } else { "Rate".to_owned() };
            Column::new(&name, quantity).judged(Better::High)
        };
        let heads = columns.iter().map(head).collect();
        let mut table = Table::new(&self.id(unit), &self.caption(unit), "", heads);
        for rest in self.cells.rests(self.axis).iter().filter(|rest| self.has(unit, rest)) {
            table.rows.extend(self.rows(rest, &columns));
        }
        table.shading = self.shading(columns.len());
        table.notes = self.notes(&table);
        (!table.rows.is_empty()).then_some(table)
    }

    fn has(&self, unit: RateUnit, rest: &MatrixCell) -> bool {
        let is_wanted = self.axis == Axis::Threads
            || self.threads == ThreadsOfTable::All
            || few_of(&self.cells.threads()).contains(&rest.threads);
        is_wanted && RateUnit::from_work(rest.work) == unit
    }

    fn rows(&self, rest: &MatrixCell, columns: &[&MatrixCell]) -> Vec<Row> {
        match &**self.results {
            [one] => vec![self.row_of_one(one, rest, columns)],
            _ => self.rows_of_several(rest, columns),
        }
    }

    /// The row of a single result, below the name of what differs from it in threads alone.
    fn row_of_one(&self, kept: &StoredResult<Matrix>, rest: &MatrixCell, columns: &[&MatrixCell]) -> Row {
        let without_threads = Axis::Threads.rest(rest);
        let is_grouped = self.axis != Axis::Threads && self.cells.threads().len() > 1;
        let (head, group) = if is_grouped {
            (threads_name(rest.threads), Some(cell_name(&without_threads)))
        } else {
            (cell_name(&without_threads), None)
        };
        let place = |column: &&MatrixCell| self.cells.place(0, self.axis, rest, column);
        let places: Vec<usize> = columns.iter().filter_map(place).collect();
        let found = &kept.findings;
        let fastest = match self.axis {
            Axis::Threads => fastest_threads(found, &places),
            _ => None,
        };
        let leads = |place: usize| {
            let mut leaders = found.leaders.iter().filter(|leader| leader.axis == self.axis && leader.wins);
            leaders.any(|leader| leader.best == place) || fastest == Some(place)
        };
        let cell = |column: &&MatrixCell| match place(column) {
            None => Cell::Nothing,
            Some(place) if leads(place) => Cell::Best(rate_of(&found.cells[place])),
            Some(place) => rate_of(&found.cells[place]).into(),
        };
        Row { head, subject: None, group, cells: columns.iter().map(cell).collect() }
    }

    /// A row for each result that has any of these cells.
    fn rows_of_several(&self, rest: &MatrixCell, columns: &[&MatrixCell]) -> Vec<Row> {
        let found = |column: &&MatrixCell| {
            let of = |result| self.cells.at(result, self.axis, rest, column);
            (0..self.results.len()).map(of).collect::<Vec<_>>()
        };
        let by_column: Vec<Vec<Option<&CellFindings>>> = columns.iter().map(found).collect();
        let row = |one: &ComparedResult<'_, Matrix>| {
            let cell = |found: &Vec<Option<&CellFindings>>| match found[one.place] {
                None => Cell::Nothing,
                Some(own) if self.is_best(own, found) => Cell::Best(rate_of(own)),
                Some(own) => rate_of(own).into(),
            };
            let cells: Vec<Cell> = by_column.iter().map(cell).collect();
            let is_there = cells.iter().any(|cell| *cell != Cell::Nothing);
            is_there.then(|| Row { group: Some(cell_name(rest)), ..one.row(one.label(), cells) })
        };
        self.results.iter().filter_map(row).collect()
    }

    /// Whether the interval of a rate lies above those of all others; never where figures are not ranked.
    fn is_best(&self, own: &CellFindings, all: &[Option<&CellFindings>]) -> bool {
        let mut others = all.iter().flatten().filter(|other| !std::ptr::eq(**other, own)).peekable();
        let is_compared = self.results.is_ranked() && others.peek().is_some();
        is_compared && others.all(|other| own.rate.is_above(&other.rate))
    }

    fn shading(&self, columns: usize) -> Option<Shading> {
        match self.results.len() {
            1 => (columns > 1).then_some(Shading::OfRow),
            _ => self.results.is_ranked().then_some(Shading::OfGroup),
        }
    }

    fn id(&self, unit: RateUnit) -> String {
        let kind = match unit {
            RateUnit::MegabytesPerSecond => "sequential",
            RateUnit::Iops => "random",
            RateUnit::FilesPerSecond => "small-files",
        };
        let all = if self.threads == ThreadsOfTable::All { "-all" } else { "" };
        // Other tables than those of rates have the schedulers in columns.
        let axis = if self.axis == self.cells.column_axis() { "" } else { "-by-scheduler" };
        format!("{kind}-rates{axis}{all}")
    }

    fn caption(&self, unit: RateUnit) -> String {
        let kind = match unit {
            RateUnit::MegabytesPerSecond => "Sequential I/O",
            RateUnit::Iops => "Random I/O of 4 KiB",
            RateUnit::FilesPerSecond => "Small files of 4 KiB",
        };
        let threads = match self.cells.threads().as_slice() {
            [one] => format!(", {}", threads_name(*one)),
            _ => String::new(),
        };
        format!("{kind}{threads}: mean rate over runs")
    }

    /// What the marks mean, and why there may be none.
    fn notes(&self, table: &Table) -> Vec<String> {
        let leaves_out = self.axis != Axis::Threads && self.threads == ThreadsOfTable::Few;
        let left_out = left_out_of(&self.cells.threads()).filter(|_| leaves_out);
        let mut notes: Vec<String> = left_out.into_iter().collect();
        let has_best = table.rows.iter().flat_map(|row| &row.cells).any(|cell| matches!(cell, Cell::Best(_)));
        let is_contest = self.axis != Axis::Threads && self.cells.columns(self.axis).len() > 1;
        if self.axis == Axis::Threads && has_best && self.results.len() == 1 {
            notes.push(
                "The best value is marked where each number of threads of its row is shown to be slower than the next one on the \
                 way to it."
                    .to_owned(),
            );
        } else if is_contest && self.results.len() == 1 {
            notes.push(format!(
                "The best value is marked where every other {} of its row is shown to be slower; elsewhere a difference may be \
                 chance, whatever the colours.",
                axis_names(self.axis).0
            ));
        } else if has_best {
            notes.push(
                "The best value is marked where its interval lies above those of all others.".to_owned(),
            );
        }
        match &self.results.ranking {
            Ranking::NotRanked(why) if self.results.len() > 1 => notes.push(why.clone()),
            _ => {}
        }
        notes
    }
}
