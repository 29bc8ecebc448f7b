//! Figures with a value of each result.

use drivelab_view::{Better, Block, Cell, Figures, Quantity, Section, Value};

use crate::{ComparedResult, Comparison, ResultKind};

/// What a figure of a result can be: a number in the base unit of what it measures, a value with its bounds, or words.
pub(crate) trait FigureCell {
    /// The cell of a table that shows it.
    fn cell(self, quantity: Quantity) -> Cell;
}

impl FigureCell for f64 {
    fn cell(self, quantity: Quantity) -> Cell {
        Value::new(quantity, self).into()
    }
}

impl FigureCell for u64 {
    fn cell(self, quantity: Quantity) -> Cell {
        Value::new(quantity, self as f64).into()
    }
}

impl FigureCell for Value {
    fn cell(self, _: Quantity) -> Cell {
        self.into()
    }
}

impl FigureCell for Cell {
    fn cell(self, _: Quantity) -> Cell {
        self
    }
}

/// Figures of the results of a comparison, to which more are added.
pub(crate) struct ComparedFigures<'c, 'a, K: ResultKind> {
    /// The results.
    pub compared: &'c Comparison<'a, K>,
    /// The figures so far.
    pub figures: Figures,
}

impl<'c, 'a, K: ResultKind> ComparedFigures<'c, 'a, K> {
    /// No figure yet; `id` is the name of their table in file names.
    pub fn new(id: &str, compared: &'c Comparison<'a, K>) -> ComparedFigures<'c, 'a, K> {
        let figures = Figures::new(id, compared.len(), compared.ranking().clone());
        ComparedFigures { compared, figures }
    }

    /// Adds a figure by its group and name, unless no result has a value for it.
    pub fn add<C: FigureCell>(
        &mut self,
        name: (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&'c ComparedResult<'a, K>) -> Option<C>,
    ) {
        let cells =
            self.compared.iter().map(|one| of(one).map_or(Cell::Nothing, |found| found.cell(quantity)));
        self.figures.add(name, quantity, better, cells.collect());
    }

    /// The figures as a section of their own, which every renderer shows.
    pub fn section(self, heading: &str) -> Section {
        Section::summary(Some(heading), vec![Block::Figures(self.figures)])
    }
}
