//! Tables of many things, such as all drives that were ever tested.

use crate::{Cell, Chart, Column, Quantity, Row, Table};

/// A table of many things whose figures come from several results. A page sorts and filters its rows, hides its columns and
/// compares rows that are ticked; other renderers show [`Catalogue::table`].
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The table in file names and links, unique in its view, such as `drives`.
    pub id: String,
    /// What the table shows.
    pub caption: String,
    /// What the heads of the rows are, such as "Drive".
    pub corner: String,
    /// The columns of figures.
    pub columns: Vec<Column>,
    /// How one of the figures went on in time: the subject of each series is the place of its row. A page shows each one as a
    /// small picture in its row, and those of rows that are compared as a chart. None where no row has one.
    pub curves: Option<Chart>,
    /// The rows.
    pub rows: Vec<CatalogueRow>,
    /// What the table is taken from, or what marks mean, in sentences.
    pub notes: Vec<String>,
}

/// A row of a catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueRow {
    /// Its head.
    pub head: String,
    /// What it is, in one line.
    pub about: String,
    /// A cell for each column.
    pub cells: Vec<CatalogueCell>,
    /// What the figures come from.
    pub sources: Vec<CatalogueSource>,
}

/// A cell of a catalogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CatalogueCell {
    /// What it holds.
    pub cell: Cell,
    /// Values of one column are compared where these are equal: then they were asked for alike, and measured to the end.
    pub comparable: Option<usize>,
    /// Whether it was asked for differently than most of its column, or under other conditions.
    pub differs: bool,
}

/// What figures of a row come from: one result.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueSource {
    /// What it is, such as "quick test".
    pub name: String,
    /// When it was measured, and how it ended where that was not as planned; empty where there is nothing to say.
    pub remark: String,
    /// Its page, as a link from this page; none where it has none.
    pub link: Option<String>,
    /// Its folder, for the command that opens it.
    pub folder: String,
    /// What differs from most results of its kind, such as "duration 20 s instead of 2,000 s".
    pub differing: Vec<String>,
}

/// How a figure went on in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What its values measure.
    pub quantity: Quantity,
    /// From one value to the next, in seconds.
    pub step_s: f64,
    /// The values, means of as much time each.
    pub values: Vec<f64>,
}

impl Curve {
    /// The most values that a small picture shows.
    pub const VALUES_MAX: usize = 120;

    /// The curve of values of a second each, as means of equal parts of the time: at most [`Curve::VALUES_MAX`]. None of no
    /// values.
    pub fn of_seconds(quantity: Quantity, seconds: &[u32]) -> Option<Curve> {
        let width = seconds.len().div_ceil(Curve::VALUES_MAX).max(1);
        let mean = |part: &[u32]| part.iter().copied().map(f64::from).sum::<f64>() / part.len() as f64;
        let values = seconds.chunks(width).map(mean).collect();
        (!seconds.is_empty()).then_some(Curve { quantity, step_s: width as f64, values })
    }
}

/// The column of [`Catalogue::table`] that says which results differ from most others.
const DIFFERING: &str = "Differs from most";

impl Catalogue {
    /// Leaves out the columns in which no row has a value.
    pub fn leave_out_empty_columns(&mut self) {
        for place in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row.cells[place].cell == Cell::Nothing) {
                self.columns.remove(place);
                self.rows.iter_mut().for_each(|row| drop(row.cells.remove(place)));
            }
        }
    }

    /// The same as a plain table: without pictures and links, with what differs in words.
    pub fn table(&self) -> Table {
        let has_differing = self.rows.iter().any(|row| row.differing().next().is_some());
        let differing = has_differing.then(|| Column::new(DIFFERING, Quantity::Number));
        let columns = self.columns.iter().cloned().chain(differing).collect();
        let mut table = Table::new(&self.id, &self.caption, &self.corner, columns);
        table.rows = self.rows.iter().map(|row| row.plain(has_differing)).collect();
        table.notes.clone_from(&self.notes);
        table
    }
}

impl CatalogueRow {
    /// What differs of its sources, each with the name of the source.
    fn differing(&self) -> impl Iterator<Item = String> {
        let differing = self.sources.iter().filter(|source| !source.differing.is_empty());
        differing.map(|source| format!("{}: {}", source.name, source.differing.join(", ")))
    }

    fn plain(&self, has_differing: bool) -> Row {
        let differing: Vec<String> = self.differing().collect();
        let differing = if differing.is_empty() { Cell::Nothing } else { Cell::Text(differing.join("; ")) };
        let cells = self.cells.iter().map(|cell| cell.cell.clone());
        Row {
            head: self.head.clone(),
            subject: None,
            group: None,
            cells: cells.chain(has_differing.then_some(differing)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_holds_the_mean_of_each_part_of_the_time() {
        let seconds: Vec<u32> = (0..241).collect();
        let curve = Curve::of_seconds(Quantity::Iops, &seconds).expect("values");
        assert_eq!((curve.step_s, curve.values.len()), (3.0, 81));
        assert_eq!(
            (curve.values[0], curve.values[80]),
            (1.0, 240.0),
            "the last part is one second short of two"
        );
        let short = Curve::of_seconds(Quantity::Iops, &[5, 6]).expect("values");
        assert_eq!((short.step_s, short.values), (1.0, vec![5.0, 6.0]));
        assert_eq!(Curve::of_seconds(Quantity::Iops, &[]), None);
    }
}
