//! Columns of numbers.

use std::sync::Arc;

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
