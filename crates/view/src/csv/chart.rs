//! Charts as CSV.

use super::field;
use super::sheet::Sheet;
use super::tables::label;
use crate::Subject;
use crate::cell_text::series_name;
use crate::chart::{Axis, Chart, Data, Heat, Series, Shape, Spread};
use crate::format::each_once;

/// The series of a chart; none where it has no values.
pub(super) fn series(chart: &Chart, subjects: &[Subject]) -> Option<String> {
    let all: Vec<&Series> = chart.series.iter().filter(|series| !series.ys.is_empty()).collect();
    let longest = all.iter().copied().max_by_key(|series| series.ys.len())?;
    let counts_something = all.iter().any(|series| series.shape == Shape::TopCrosses);
    let is_wide = !counts_something && all.iter().all(|series| begins_as(series, longest));
    Some(if is_wide { wide(chart, (&all, longest), subjects) } else { long(chart, &all, subjects) })
}

/// Whether the places of a series are the first ones of another.
fn begins_as(series: &Series, other: &Series) -> bool {
    let same = |one: &Data, other: &Data| {
        one.iter().zip(other.iter()).all(|(one, other)| one.to_bits() == other.to_bits())
    };
    series.xs.len() == other.xs.len()
        && series.xs.iter().zip(&other.xs).all(|(one, other)| one.len() <= other.len() && same(one, other))
}

/// A row for each place, with the values of each series next to each other.
fn wide(chart: &Chart, (all, longest): (&[&Series], &Series), subjects: &[Subject]) -> String {
    let mut sheet = Sheet::default();
    let count = longest.ys.len();
    for (axis, xs) in chart.across.iter().zip(&longest.xs) {
        sheet.column(&place_head(axis), (0..count).map(|index| place(axis, xs.get(index))));
    }
    let are_named = all.len() > 1 || subjects.len() > 1;
    for series in all {
        let name = if are_named { series_name(series, subjects) } else { chart.up.label.clone() };
        let value = field::head(&[&name], chart.up.quantity.suffix());
        sheet.numbers(&value, &series.ys, count);
        if let Some(spread) = &series.spread {
            sheet.numbers(&format!("{value}_low"), &spread.low, count);
            sheet.numbers(&format!("{value}_high"), &spread.high, count);
        }
        let lead = if are_named { name.as_str() } else { "" };
        for extra in &series.extras {
            let head = field::head(&[lead, &extra.name], extra.quantity.suffix());
            sheet.numbers(&head, &extra.values, count);
        }
    }
    sheet.finish()
}

/// A row for each value, with its series and its subject. What series count at the upper edge has a column of its own.
fn long(chart: &Chart, all: &[&Series], subjects: &[Subject]) -> String {
    let rows = || all.iter().flat_map(|series| (0..series.ys.len()).map(|index| (*series, index)));
    let counts = |series: &Series| series.shape == Shape::TopCrosses;
    let number =
        |data: Option<&Data>, index| data.map_or_else(String::new, |data| field::number(data.get(index)));
    let mut sheet = Sheet::default();
    sheet.column("series", rows().map(|(series, _)| field::text(&series.name)));
    if subjects.len() > 1 {
        sheet.column("subject", rows().map(|(series, _)| label(subjects, Some(series.subject))));
    }
    let axes = all.iter().map(|series| series.xs.len()).max().unwrap_or(0);
    for (which, axis) in chart.across.iter().take(axes).enumerate() {
        let at = |(series, index): (&Series, usize)| {
            series.xs.get(which).map_or_else(String::new, |xs| place(axis, xs.get(index)))
        };
        sheet.column(&place_head(axis), rows().map(at));
    }
    let value = field::head(&[&chart.up.label], chart.up.quantity.suffix());
    let values = rows().map(|(series, index)| number((!counts(series)).then_some(&series.ys), index));
    sheet.column(&value, values);
    if all.iter().any(|series| series.spread.is_some()) {
        let mut end = |ending: &str, data: fn(&Spread) -> &Data| {
            let of_rows = rows().map(|(series, index)| number(series.spread.as_ref().map(data), index));
            sheet.column(&format!("{value}_{ending}"), of_rows);
        };
        end("low", |ends| &ends.low);
        end("high", |ends| &ends.high);
    }
    if all.iter().any(|series| counts(series)) {
        let counted = rows().map(|(series, index)| number(counts(series).then_some(&series.ys), index));
        sheet.column("count", counted);
    }
    let extras = all.iter().flat_map(|series| &series.extras);
    for (name, quantity) in each_once(extras.map(|extra| (extra.name.as_str(), extra.quantity))) {
        let own = |(series, index): (&Series, usize)| {
            let own = series.extras.iter().find(|own| own.name == name && own.quantity == quantity);
            number(own.map(|own| &own.values), index)
        };
        sheet.column(&field::head(&[name], quantity.suffix()), rows().map(own));
    }
    sheet.finish()
}

fn place_head(axis: &Axis) -> String {
    let suffix = if axis.clock.is_some() { "" } else { axis.quantity.suffix() };
    field::head(&[&axis.label], suffix)
}

/// A place: a number, or a time of the axis' clock, which spreadsheets read.
fn place(axis: &Axis, place: f64) -> String {
    if axis.clock.is_some() && place.is_finite() { axis.text(place) } else { field::number(place) }
}

/// What the name of the file of a chart's heat maps ends with, and the file: a row for each cell that counts something.
pub(super) fn heat(chart: &Chart, subjects: &[Subject]) -> Option<(&'static str, String)> {
    let all: Vec<&Heat> = chart.heats.iter().filter(|heat| !heat.columns.is_empty()).collect();
    let ending = if chart.series.iter().any(|series| !series.ys.is_empty()) { "-heat" } else { "" };
    let (first, axis) = (all.first()?, chart.across.first()?);
    let up = field::head(&[&chart.up.label], chart.up.quantity.suffix());
    // Each cell that counts something: its heat map, its column, its row, its count.
    let mut cells: Vec<(&Heat, usize, usize, u32)> = Vec::new();
    for heat in &all {
        for (index, column) in heat.columns.iter().enumerate() {
            let counts = (column.first..).zip(&column.counts).filter(|(_, count)| **count > 0);
            cells.extend(counts.map(|(row, count)| (*heat, index, row, *count)));
        }
    }
    let mut sheet = Sheet::default();
    if subjects.len() > 1 {
        sheet.column("subject", cells.iter().map(|(heat, ..)| label(subjects, Some(heat.subject))));
    }
    if all.iter().any(|heat| !heat.name.is_empty()) {
        sheet.column("series", cells.iter().map(|(heat, ..)| field::text(&heat.name)));
    }
    let places = cells.iter().map(|(heat, column, ..)| place(axis, heat.start + heat.width * *column as f64));
    sheet.column(&place_head(axis), places);
    for (end, behind) in [("low", 0), ("high", 1)] {
        let edges = cells.iter().map(|(heat, _, row, _)| field::number(heat.edges.get(row + behind)));
        sheet.column(&format!("{up}_{end}"), edges);
    }
    sheet.column(&field::head(&[&first.unit], ""), cells.iter().map(|(.., count)| count.to_string()));
    Some((ending, sheet.finish()))
}
