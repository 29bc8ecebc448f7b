//! Figures by which drives are compared across kinds of results.

use crate::{Better, Quantity, Value};

/// What a drive is used for that a figure speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUse {
    /// Reads, and writes after which the drive rests: a desktop.
    ReadsAndShortWrites,
    /// Random writes that go on: a server.
    LongRandomWrites,
    /// Sequential writes that go on: a recorder, a backup.
    LongSequentialWrites,
}

/// A figure that a table of drives shows of a result, under a name that says what it is without the rest of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// What it is, such as "Steady random writes"; results of one kind that were asked for differently have different names.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Which value is the better one.
    pub better: Better,
    /// What it speaks of; none where it speaks of no use in particular.
    pub usage: Option<FigureUse>,
    /// Whether it was measured before its rate had settled: none is better than another then.
    pub is_unsettled: bool,
}

impl KeyFigure {
    /// A figure; none where there is no number.
    pub fn new(
        name: impl Into<String>,
        quantity: Quantity,
        better: Better,
        number: Option<f64>,
    ) -> Option<KeyFigure> {
        Some(KeyFigure::of_value(name, Value::new(quantity, number?), better))
    }

    /// A figure with a value that has an interval or is a bound.
    pub fn of_value(name: impl Into<String>, value: Value, better: Better) -> KeyFigure {
        KeyFigure { name: name.into(), value, better, usage: None, is_unsettled: false }
    }

    /// Of these figures the first of each name, in their order: the columns of a table of results.
    pub fn each_once<'a>(all: impl IntoIterator<Item = &'a KeyFigure>) -> Vec<&'a KeyFigure> {
        let mut figures: Vec<&KeyFigure> = Vec::new();
        for figure in all {
            if figure.among(figures.iter().copied()).is_none() {
                figures.push(figure);
            }
        }
        figures
    }

    /// The one of its name among these; none where there is none.
    pub fn among<'a>(&self, figures: impl IntoIterator<Item = &'a KeyFigure>) -> Option<&'a KeyFigure> {
        figures.into_iter().find(|other| other.name == self.name)
    }

    /// The figure as one that speaks of this use.
    #[must_use]
    pub fn speaks_of(self, usage: FigureUse) -> KeyFigure {
        KeyFigure { usage: Some(usage), ..self }
    }

    /// The figure as one that is compared only where the rate had settled.
    #[must_use]
    pub fn if_settled(self, is_settled: bool) -> KeyFigure {
        let better = if is_settled { self.better } else { Better::Neither };
        KeyFigure { better, is_unsettled: !is_settled, ..self }
    }
}
