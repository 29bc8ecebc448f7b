//! Figures by which drives are compared across kinds of results.

use crate::{Better, Quantity, Value};

/// A figure that a table of drives shows of a result, under a name that says what it is without the rest of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// What it is, such as "Steady random writes"; results of one kind that were asked for differently have different names.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Which value is the better one.
    pub better: Better,
}

impl KeyFigure {
    /// A figure; none where there is no number.
    pub fn new(
        name: impl Into<String>,
        quantity: Quantity,
        better: Better,
        number: Option<f64>,
    ) -> Option<KeyFigure> {
        Some(KeyFigure { name: name.into(), value: Value::new(quantity, number?), better })
    }
}
