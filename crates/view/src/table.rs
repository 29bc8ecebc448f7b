//! Tables of typed cells.

use crate::{Better, Quantity, Tone, Value};

/// A table. Its columns say what they measure, its cells hold values and not their text.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the table in file names, unique in its view, such as `buffers`.
    pub id: String,
    /// What the table shows.
    pub caption: String,
    /// What the heads of the rows are, such as "Stream"; empty where the caption says it.
    pub corner: String,
    /// The columns beside the heads of the rows.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What a page colours each value by; none where it colours none.
    pub shading: Option<Shading>,
    /// What the table is taken from, or what marks mean, in sentences.
    pub notes: Vec<String>,
}

/// Among which values a page colours each one by its distance from the best. The columns say which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shading {
    /// Those of its row.
    OfRow,
    /// Those of the rows of its group.
    OfGroup,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its head, without a unit.
    pub head: String,
    /// What its values measure.
    pub quantity: Quantity,
    /// Which of its values are the better ones.
    pub better: Better,
    /// Whether a page shows the size of its values as bars.
    pub has_bars: bool,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its head.
    pub head: String,
    /// The subject that it belongs to, by whose mark a page shows it.
    pub subject: Option<usize>,
    /// The group that it belongs to; rows of one group stand next to each other below its name.
    pub group: Option<String>,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// There is no such value: renderers show a hyphen.
    #[default]
    Nothing,
    /// A value.
    Value(Value),
    /// A value that is better than all others with which it was compared, and was shown to be.
    Best(Value),
    /// Words, such as "not asked" or "no cliff".
    Text(String),
    /// Words that judge.
    Verdict(Tone, String),
}

impl Cell {
    /// The value of a cell that has one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Cell::Value(value) | Cell::Best(value) => Some(value),
            Cell::Nothing | Cell::Text(_) | Cell::Verdict(..) => None,
        }
    }

    /// A cell of this number, or of nothing.
    pub fn number(quantity: Quantity, number: Option<f64>) -> Cell {
        number.map_or(Cell::Nothing, |number| Value::new(quantity, number).into())
    }

    /// A cell of this count, or of nothing.
    pub fn count(quantity: Quantity, number: Option<u64>) -> Cell {
        Cell::number(quantity, number.map(|number| number as f64))
    }

    /// A cell of words.
    pub fn text(words: impl Into<String>) -> Cell {
        Cell::Text(words.into())
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Cell {
        Cell::Value(value)
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Cell {
        Cell::Text(words)
    }
}

impl Table {
    /// A table without rows.
    pub fn new(id: &str, caption: &str, corner: &str, columns: Vec<Column>) -> Table {
        let (id, caption, corner) = (id.to_owned(), caption.to_owned(), corner.to_owned());
        Table { id, caption, corner, columns, rows: Vec::new(), shading: None, notes: Vec::new() }
    }

    /// Adds a row that belongs to no group and to no subject.
    pub fn row(&mut self, head: impl Into<String>, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}: a cell for each column", self.id);
        self.rows.push(Row { head: head.into(), subject: None, group: None, cells });
    }

    /// The table with a note below it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Table {
        self.notes.push(note.into());
        self
    }

    /// Leaves out the columns in which no row has a value.
    pub fn leave_out_empty_columns(&mut self) {
        for place in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row.cells[place] == Cell::Nothing) {
                self.columns.remove(place);
                self.rows.iter_mut().for_each(|row| drop(row.cells.remove(place)));
            }
        }
    }
}

impl Column {
    /// A column whose values do not judge.
    pub fn new(head: &str, quantity: Quantity) -> Column {
        Column { head: head.to_owned(), quantity, better: Better::Neither, has_bars: false }
    }

    /// The column with these values as the better ones.
    #[must_use]
    pub fn judged(mut self, better: Better) -> Column {
        self.better = better;
        self
    }
}

/// What a cell can be made of: a number in the base unit of what its column measures, a value with its bounds, or words.
pub trait IntoCell {
    /// The cell in a column of this quantity.
    fn into_cell(self, quantity: Quantity) -> Cell;
}

impl IntoCell for f64 {
    fn into_cell(self, quantity: Quantity) -> Cell {
        Value::new(quantity, self).into()
    }
}

impl IntoCell for u64 {
    fn into_cell(self, quantity: Quantity) -> Cell {
        Value::new(quantity, self as f64).into()
    }
}

impl<C: Into<Cell>> IntoCell for C {
    fn into_cell(self, _: Quantity) -> Cell {
        self.into()
    }
}

impl<C: IntoCell> IntoCell for Option<C> {
    fn into_cell(self, quantity: Quantity) -> Cell {
        self.map_or(Cell::Nothing, |found| found.into_cell(quantity))
    }
}

/// What a cell of a row holds.
type CellOf<'f, R> = Box<dyn Fn(&R) -> Cell + 'f>;

/// The columns of a table whose rows are made of values of one type: each says what it measures and how its cell is found.
pub struct Columns<'f, R: ?Sized> {
    columns: Vec<Column>,
    cells: Vec<CellOf<'f, R>>,
}

impl<'f, R: ?Sized> Columns<'f, R> {
    /// No column yet.
    #[expect(clippy::new_without_default, reason = "columns are added right away")]
    pub fn new() -> Columns<'f, R> {
        Columns { columns: Vec::new(), cells: Vec::new() }
    }

    /// One more column, and what its cell of a row holds.
    #[must_use]
    pub fn with<C: IntoCell>(
        mut self,
        head: &str,
        quantity: Quantity,
        of: impl Fn(&R) -> C + 'f,
    ) -> Columns<'f, R> {
        self.columns.push(Column::new(head, quantity));
        self.cells.push(Box::new(move |row| of(row).into_cell(quantity)));
        self
    }

    /// One more column, of words.
    #[must_use]
    pub fn words<C: IntoCell>(self, head: &str, of: impl Fn(&R) -> C + 'f) -> Columns<'f, R> {
        self.with(head, Quantity::Number, of)
    }

    /// These values of the last column are the better ones.
    #[must_use]
    pub fn judged(mut self, better: Better) -> Columns<'f, R> {
        self.columns.iter_mut().next_back().into_iter().for_each(|last| last.better = better);
        self
    }

    /// The last column has bars behind its values.
    #[must_use]
    pub fn with_bars(mut self) -> Columns<'f, R> {
        self.columns.iter_mut().next_back().into_iter().for_each(|last| last.has_bars = true);
        self
    }

    /// A table with these columns and no row.
    pub fn table(&self, id: &str, caption: &str, corner: &str) -> Table {
        Table::new(id, caption, corner, self.columns.clone())
    }

    /// A table with these rows, each with its head.
    pub fn filled<'r, H: Into<String>>(
        &self,
        (id, caption, corner): (&str, &str, &str),
        rows: impl IntoIterator<Item = &'r R>,
        head: impl Fn(&'r R) -> H,
    ) -> Table
    where
        R: 'r,
    {
        let mut table = self.table(id, caption, corner);
        rows.into_iter().for_each(|row| table.row(head(row), self.cells(row)));
        table
    }

    /// The cells of a row.
    pub fn cells(&self, row: &R) -> Vec<Cell> {
        self.cells.iter().map(|cell| cell(row)).collect()
    }
}
