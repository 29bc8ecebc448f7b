//! Heat maps.

use crate::Quantity;
use crate::chart::Data;

/// Counts over both axes: columns of equal width along the horizontal axis, rows between the edges of the vertical one.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Its name, where a subject has several.
    pub name: String,
    /// The subject that it belongs to.
    pub subject: usize,
    /// Where the first column begins on the chart's first horizontal axis.
    pub start: f64,
    /// The width of a column.
    pub width: f64,
    /// The edges of the rows in ascending order, one more than there are rows.
    pub edges: Data,
    /// The columns.
    pub columns: Vec<HeatColumn>,
    /// What a cell counts, such as "I/Os".
    pub unit: String,
    /// What the numbers of cells are; colours follow their logarithm.
    pub quantity: Quantity,
}

/// A column of a heat map: its counts from a row on; rows outside hold nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatColumn {
    /// The lowest row with a count.
    pub first: usize,
    /// The counts from there on.
    pub counts: Vec<u32>,
}
