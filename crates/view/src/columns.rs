//! Columns of a table, each with what its cells hold.

use crate::{Better, Cell, Column, Quantity, Table, Value};

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

impl IntoCell for Value {
    fn into_cell(self, _: Quantity) -> Cell {
        self.into()
    }
}

impl IntoCell for String {
    fn into_cell(self, _: Quantity) -> Cell {
        Cell::Text(self)
    }
}

impl IntoCell for Cell {
    fn into_cell(self, _: Quantity) -> Cell {
        self
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
