//! Series of values.

use serde::Serialize;

use crate::Quantity;
use crate::chart::Data;

/// Values against the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name, such as "Reads"; that of its subject where nothing else tells it from the others.
    pub name: String,
    /// The subject that it belongs to.
    pub subject: usize,
    /// How it is drawn.
    pub shape: Shape,
    /// Places on each of the chart's horizontal axes, in ascending order.
    pub xs: Vec<Data>,
    /// The values, as many as there are places.
    pub ys: Data,
    /// The ends of an interval around each value.
    pub spread: Option<Spread>,
    /// What else is known at each place, for hover texts and tables.
    pub extras: Vec<Extra>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DocumentShape"))]
pub enum Shape {
    /// A dot for each value.
    Dots,
    /// A smaller dot for each value: the extreme of a bin beside its mean.
    SmallDots,
    /// A ring around each value, which marks it among those of another series.
    Rings,
    /// A cross at the upper edge of the chart for each place; the value is what is counted there.
    TopCrosses,
    /// A line from value to value.
    Line,
    /// A dashed line from value to value.
    DashedLine,
    /// A line from value to value with a dot for each.
    DottedLine,
    /// A step at each place, which holds until the next one.
    Steps,
    /// A bar from the lower edge to each value, as wide as the way to the next place.
    Bars,
    /// The interval alone, as a shaded band.
    Band,
}

/// The ends of an interval around each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The lower ends.
    pub low: Data,
    /// The upper ends.
    pub high: Data,
}

/// What else is known at each place of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// What it is, such as "longest I/O".
    pub name: String,
    /// What its numbers are.
    pub quantity: Quantity,
    /// The numbers, as many as there are places.
    pub values: Data,
}

impl Series {
    /// A series on the one horizontal axis of its chart.
    pub fn new(name: impl Into<String>, subject: usize, shape: Shape, xs: Data, ys: Data) -> Series {
        debug_assert_eq!(xs.len(), ys.len(), "a place for each value");
        Series { name: name.into(), subject, shape, xs: vec![xs], ys, spread: None, extras: Vec::new() }
    }

    /// A series of points.
    pub fn of_points(
        name: impl Into<String>,
        subject: usize,
        shape: Shape,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        Series::new(name, subject, shape, xs.into_iter().collect(), ys.into_iter().collect())
    }
}
