//! The vocabulary of everything that is shown.

use drivelab_record::Notice;

use crate::{Catalogue, Chart, Conditions, Figures, Table, Verdict};

/// One thing that is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph of plain sentences.
    Text(String),
    /// What one result comes to, with the notices that take from it.
    Verdict(Verdict),
    /// Figures of one result, or of several that are compared.
    Figures(Figures),
    /// Any other table.
    Table(Table),
    /// A table of many things, of which a reader chooses.
    Catalogue(Catalogue),
    /// A picture of values, which are also its table.
    Chart(Chart),
    /// What the reader has to know before believing the figures.
    Notices(Vec<Notice>),
    /// Under which conditions the results were made.
    Conditions(Conditions),
    /// Blocks that a page shows when they are asked for.
    Fold(Fold),
}

/// Blocks that a page shows when they are asked for; the summary on the terminal leaves them out.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// What is folded away, such as "All 56 cells".
    pub summary: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}
