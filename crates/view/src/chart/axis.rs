//! Axes.

use crate::Quantity;

/// What lies along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured, without its unit, such as "Time".
    pub label: String,
    /// What its numbers are.
    pub quantity: Quantity,
    /// How values become places.
    pub scale: Scale,
    /// The least that the axis reaches over, so that charts can be compared; it grows where values lie outside.
    pub span: Option<(f64, f64)>,
    /// Where it is marked.
    pub ticks: Ticks,
}

/// How values become places on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equally long; an axis of values that cannot be negative begins at zero.
    Linear,
    /// Equal factors are equally long.
    Log,
    /// Logarithmic at first; the page switches to linear.
    LogOrLinear,
}

/// Where an axis is marked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ticks {
    /// At round values.
    Round,
    /// At these values, in ascending order, such as the block sizes that were measured.
    At(Vec<f64>),
    /// At these values, in ascending order, each with a name of its own.
    Named(Vec<(f64, String)>),
}

impl Axis {
    /// An axis that is marked at round values and reaches as far as they do.
    pub fn new(label: &str, quantity: Quantity, scale: Scale) -> Axis {
        Axis { label: label.to_owned(), quantity, scale, span: None, ticks: Ticks::Round }
    }

    /// The axis, reaching at least from `low` to `high`.
    #[must_use]
    pub fn over(mut self, low: f64, high: f64) -> Axis {
        self.span = Some((low, high));
        self
    }

    /// The axis, marked at these values.
    #[must_use]
    pub fn marked_at(mut self, ticks: Vec<f64>) -> Axis {
        self.ticks = Ticks::At(ticks);
        self
    }
}
