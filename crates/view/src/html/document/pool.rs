//! Columns, each held once.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Number;

use super::DocumentData;
use crate::chart::Data;

/// How many significant digits the numbers of a document have: a picture shows fewer.
const DIGITS: i32 = 5;
/// Up to here every whole number is exact as a number with a point, too.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The columns of a document. Charts that share a column, or parts of one, name the same one here.
#[derive(Default)]
pub(super) struct ColumnPool<'a> {
    columns: Vec<&'a Arc<[f64]>>,
    places: HashMap<*const f64, u32>,
}

impl<'a> ColumnPool<'a> {
    /// A column, or the part of one, as the document names it.
    pub(super) fn add(&mut self, data: &'a Data) -> DocumentData {
        match data {
            Data::Regular { start, step, count } => {
                DocumentData::Regular { start: *start, step: *step, count: index(*count) }
            }
            Data::Part { column, from, until } => {
                let next = index(self.columns.len());
                let place = *self.places.entry(column.as_ptr()).or_insert(next);
                if place == next {
                    self.columns.push(column);
                }
                DocumentData::Part(place, index(*from), index(*until))
            }
        }
    }

    pub(super) fn columns(&self) -> Vec<Vec<Option<Number>>> {
        let numbers = |column: &&Arc<[f64]>| rounded(column).into_iter().map(|one| number(one?)).collect();
        self.columns.iter().map(numbers).collect()
    }
}

/// A place in a list, which no page has four billion of.
pub(super) fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A number of a document. A whole one is written without a point, as most counts are.
fn number(number: f64) -> Option<Number> {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and small enough")]
    if number.fract() == 0.0 && number.abs() < MOST_WHOLE {
        return Some((number as i64).into());
    }
    Number::from_f64(number)
}

/// The numbers with as many digits as a picture needs. In a column of places each of which lies above the one before, all
/// are rounded by the same step: neighbours far from zero stay apart.
fn rounded(column: &[f64]) -> Vec<Option<f64>> {
    let rises = column.len() > 2 && column.windows(2).all(|pair| pair[0] < pair[1]);
    let span = column.last().zip(column.first()).map_or(0.0, |(last, first)| last - first);
    let least = if rises { span / column.len() as f64 } else { f64::INFINITY };
    column.iter().map(|number| number.is_finite().then(|| round(*number, least))).collect()
}

/// A number in five significant digits, or in as many as tell it from another one at the given distance.
fn round(number: f64, distance: f64) -> f64 {
    let size = number.abs().min(distance * 100.0);
    if number == 0.0 || size == 0.0 {
        return number;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of a finite number is small")]
    let exponent = size.log10().floor() as i32 - (DIGITS - 1);
    let text = if exponent < 0 {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        format!("{number:.decimals$}")
    } else {
        let step = 10_f64.powi(exponent);
        format!("{:.0}", (number / step).round() * step)
    };
    text.parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_is_shared_is_held_once() {
        let (all, other): (Data, Data) = ([1.0, 2.0].into_iter().collect(), [1.0, 2.0].into_iter().collect());
        let part = all.from(1);
        let mut pool = ColumnPool::default();
        let found = [pool.add(&all), pool.add(&part), pool.add(&other)];
        let wanted = [(0, 0, 2), (0, 1, 2), (1, 0, 2)]
            .map(|(column, from, until)| DocumentData::Part(column, from, until));
        assert_eq!(found, wanted);
        assert_eq!(pool.columns(), [[1.0, 2.0], [1.0, 2.0]].map(|column| column.map(number)));
    }

    #[test]
    fn whole_numbers_take_no_point() {
        let column = [Some(250.0), Some(0.5), None, Some(-0.0)].map(|one| number(one?));
        let text = serde_json::to_string(&column).expect("numbers become JSON");
        assert_eq!(text, "[250,0.5,null,0]");
    }

    #[test]
    fn regular_steps_stay_steps() {
        let data = Data::Regular { start: 0.5, step: 1.0, count: 3 };
        let text = serde_json::to_string(&ColumnPool::default().add(&data)).expect("numbers become JSON");
        assert_eq!(text, r#"{"start":0.5,"step":1.0,"count":3}"#);
    }

    #[test]
    fn numbers_have_five_digits_and_missing_ones_are_null() {
        let found = rounded(&[123_456.7, -0.001_234_567, 0.0, f64::NAN, f64::INFINITY, 1e12, 2.0 / 3.0]);
        let wanted = [Some(123_460.0), Some(-0.001_234_6), Some(0.0), None, None, Some(1e12), Some(0.666_67)];
        assert_eq!(found, wanted);
    }

    #[test]
    fn neighbours_far_from_zero_stay_apart() {
        let column: Vec<f64> = (0..100).map(|index| 1_700_000_000.0 + 0.25 * f64::from(index)).collect();
        let kept: Vec<f64> = rounded(&column).into_iter().flatten().collect();
        assert!(kept.windows(2).all(|pair| (pair[1] - pair[0] - 0.25).abs() < 0.01), "{kept:?}");
    }
}
