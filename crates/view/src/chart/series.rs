//! Series of values, and columns of numbers.

use std::sync::Arc;

use serde::Serialize;

use crate::Quantity;

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

/// A column of numbers; one that is not a number is a value that is missing. Charts may share a column, or parts of it:
/// documents hold it once.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Equal steps from a first number on.
    Regular {
        /// The first number.
        start: f64,
        /// From each number to the next one.
        step: f64,
        /// How many numbers there are.
        count: usize,
    },
    /// Part of a column.
    Part {
        /// The whole column.
        column: Arc<[f64]>,
        /// The first value of the part.
        from: usize,
        /// The value behind its last one.
        until: usize,
    },
}

impl Data {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Regular { count, .. } => *count,
            Data::Part { from, until, .. } => until - from,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a place below [`Data::len`]; not a number behind that.
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Data::Regular { start, step, count } if index < *count => start + step * index as f64,
            Data::Part { column, from, until } if from + index < *until => column[from + index],
            Data::Regular { .. } | Data::Part { .. } => f64::NAN,
        }
    }

    /// All numbers.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The same column from a place on.
    #[must_use]
    pub fn from(&self, index: usize) -> Data {
        let index = index.min(self.len());
        match self {
            Data::Regular { start, step, count } => {
                Data::Regular { start: start + step * index as f64, step: *step, count: count - index }
            }
            Data::Part { column, from, until } => {
                Data::Part { column: Arc::clone(column), from: from + index, until: *until }
            }
        }
    }
}

impl FromIterator<f64> for Data {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Data {
        let column: Arc<[f64]> = numbers.into_iter().collect();
        Data::Part { from: 0, until: column.len(), column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_shares_its_column() {
        let all: Data = [1.0, 2.0, 3.0, 4.0].into_iter().collect();
        let part = all.from(3);
        assert_eq!(part.iter().collect::<Vec<_>>(), [4.0]);
        assert!(part.get(1).is_nan());
        assert!(all.from(9).is_empty());
        let (Data::Part { column: one, .. }, Data::Part { column: other, .. }) = (&all, &part) else {
            panic!("both are parts of a column");
        };
        assert!(Arc::ptr_eq(one, other));
    }

    #[test]
    fn regular_steps_go_on_from_where_a_part_begins() {
        let part = Data::Regular { start: 10.0, step: 5.0, count: 4 }.from(2);
        assert_eq!(part.iter().collect::<Vec<_>>(), [20.0, 25.0]);
    }
}
