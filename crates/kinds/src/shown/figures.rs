//! Figures with a value of each result.

use drivelab_view::{Better, Block, Figures, IntoCell, Quantity, Section};

use crate::{ComparedResult, Comparison, ResultKind};

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
    pub fn add<C: IntoCell>(
        &mut self,
        name: (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&'c ComparedResult<'a, K>) -> Option<C>,
    ) {
        let cells = self.compared.iter().map(|one| of(one).into_cell(quantity));
        self.figures.add(name, quantity, better, cells.collect());
    }

    /// The figures as a section of their own, which every renderer shows.
    pub fn section(self, heading: &str) -> Section {
        Section::summary(Some(heading), vec![Block::Figures(self.figures)])
    }
}
