//! What is shown of matrices: first which combination is the fastest, then one table of rates, then curves and comparisons.

mod cells;
mod charts;
mod comparisons;
mod head;

pub(super) use cells::rate_of;
use cells::{ShownCells, quantity_of};
use drivelab_stats::{Axis, MatrixCell};
use drivelab_view::{Better, Block, Cell, Column, Fold, Ranking, Row, Section, Shading, Table, Value, View};
use head::fastest_threads;

use crate::matrix::Matrix;
use crate::matrix::settings::{WorkFamily, axis_names, cell_name, column_name, threads_name};
use crate::{ComparedResult, Comparison, StoredResult, shown};

/// The view of one matrix, or of several next to each other.
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
    let few = tables(results, cells, axis, ThreadsOfTable::Few);
    if few.is_empty() {
        return None;
    }
    let mut blocks: Vec<Block> = few.into_iter().map(Block::Table).collect();
    if axis != Axis::Threads && cells.has_many_threads() {
        let all = tables(results, cells, axis, ThreadsOfTable::All).into_iter().map(Block::Table).collect();
        let summary = format!("All {} numbers of threads", cells.threads().len());
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
    let blocks: Vec<Block> =
        tables(results, cells, axis, ThreadsOfTable::Few).into_iter().map(Block::Table).collect();
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
) -> Vec<Table> {
    let maker = Maker { results, cells, axis, threads };
    WorkFamily::ALL.into_iter().filter_map(|family| maker.table(family)).collect()
}

struct Maker<'a> {
    results: &'a Comparison<'a, Matrix>,
    cells: &'a ShownCells<'a>,
    axis: Axis,
    threads: ThreadsOfTable,
}

impl Maker<'_> {
    fn table(&self, family: WorkFamily) -> Option<Table> {
        let rests: Vec<MatrixCell> =
            self.cells.rests(self.axis).into_iter().filter(|rest| self.has(family, rest)).collect();
        let quantity = self.cells.all().find(|one| WorkFamily::from_work(one.cell.work) == family);
        let (quantity, _) = quantity_of(quantity?.found.unit);
        let columns = self.cells.columns(self.axis);
        let head = |cell: &&MatrixCell| {
            let name = if columns.len() > 1 { column_name(self.axis, cell) } else { "Rate".to_owned() };
            Column::new(&name, quantity).judged(Better::High)
        };
        let heads = columns.iter().map(head).collect();
        let mut table = Table::new(&self.id(family), &self.caption(family), "", heads);
        for rest in &rests {
            table.rows.extend(self.rows(rest, &columns));
        }
        table.shading = self.shading(columns.len());
        table.notes = self.notes(&table);
        (!table.rows.is_empty()).then_some(table)
    }

    fn has(&self, family: WorkFamily, rest: &MatrixCell) -> bool {
        let is_wanted = self.axis == Axis::Threads
            || self.threads == ThreadsOfTable::All
            || self.cells.few_threads().contains(&rest.threads);
        is_wanted && WorkFamily::from_work(rest.work) == family
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
        let shown = columns.iter().filter_map(|column| self.cells.at(0, self.axis, rest, column));
        let places: Vec<usize> = shown.map(|shown| shown.place).collect();
        let fastest = match self.axis {
            Axis::Threads => fastest_threads(&kept.findings, &places),
            _ => None,
        };
        let cell = |column: &&MatrixCell| {
            let Some(shown) = self.cells.at(0, self.axis, rest, column) else { return Cell::Nothing };
            let leads = kept
                .findings
                .leaders
                .iter()
                .any(|leader| leader.axis == self.axis && leader.wins && leader.best == shown.place);
            let wins = leads || fastest == Some(shown.place);
            if wins { Cell::Best(rate_of(shown.found)) } else { rate_of(shown.found).into() }
        };
        Row { head, subject: None, group, cells: columns.iter().map(cell).collect() }
    }

    /// A row for each result that has any of these cells.
    fn rows_of_several(&self, rest: &MatrixCell, columns: &[&MatrixCell]) -> Vec<Row> {
        let values = |column: &&MatrixCell| -> Vec<Option<Value>> {
            let of = |result| self.cells.at(result, self.axis, rest, column).map(|one| rate_of(one.found));
            (0..self.results.len()).map(of).collect()
        };
        let by_column: Vec<Vec<Option<Value>>> = columns.iter().map(values).collect();
        let best: Vec<Option<usize>> = by_column.iter().map(|values| self.best_of(values)).collect();
        let row = |one: &ComparedResult<'_, Matrix>| {
            let cell = |(values, best): (&Vec<Option<Value>>, &Option<usize>)| match values[one.place] {
                None => Cell::Nothing,
                Some(value) if *best == Some(one.place) => Cell::Best(value),
                Some(value) => value.into(),
            };
            let cells: Vec<Cell> = by_column.iter().zip(&best).map(cell).collect();
            let is_there = cells.iter().any(|cell| *cell != Cell::Nothing);
            is_there.then(|| Row { group: Some(cell_name(rest)), ..one.row(one.label(), cells) })
        };
        self.results.iter().filter_map(row).collect()
    }

    /// The result whose interval lies above those of all others; none where figures are not ranked.
    fn best_of(&self, values: &[Option<Value>]) -> Option<usize> {
        let known: Vec<(usize, Value)> =
            values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))).collect();
        if !self.results.is_ranked() || known.len() < 2 {
            return None;
        }
        let low = |value: &Value| value.interval.map(|ends| ends.low);
        let high = |value: &Value| value.interval.map(|ends| ends.high);
        let is_above = |(place, value): &&(usize, Value)| {
            let others = known.iter().filter(|(other, _)| other != place);
            others
                .into_iter()
                .all(|(_, other)| low(value).zip(high(other)).is_some_and(|(low, high)| low > high))
        };
        known.iter().find(is_above).map(|(place, _)| *place)
    }

    fn shading(&self, columns: usize) -> Option<Shading> {
        match self.results.len() {
            1 => (columns > 1).then_some(Shading::OfRow),
            _ => self.results.is_ranked().then_some(Shading::OfGroup),
        }
    }

    fn id(&self, family: WorkFamily) -> String {
        let kind = match family {
            WorkFamily::Sequential => "sequential",
            WorkFamily::Random => "random",
            WorkFamily::SmallFiles => "small-files",
        };
        let all = if self.threads == ThreadsOfTable::All { "-all" } else { "" };
        let axis = match (self.axis == self.cells.column_axis(), self.axis) {
            (true, _) => "",
            (false, Axis::FileSystem) => "-by-file-system",
            (false, Axis::Scheduler) => "-by-scheduler",
            (false, Axis::Caching) => "-by-caching",
            (false, Axis::Threads) => "-by-threads",
        };
        format!("{kind}-rates{axis}{all}")
    }

    fn caption(&self, family: WorkFamily) -> String {
        let kind = match family {
            WorkFamily::Sequential => "Sequential I/O",
            WorkFamily::Random => "Random I/O of 4 KiB",
            WorkFamily::SmallFiles => "Small files of 4 KiB",
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
        let mut notes: Vec<String> =
            self.cells.left_out_threads().filter(|_| leaves_out).into_iter().collect();
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
