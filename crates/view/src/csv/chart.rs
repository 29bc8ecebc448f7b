//! Charts as CSV.

use super::field;
use super::sheet::Sheet;
use super::tables::label;
use crate::Subject;
use crate::chart::{Axis, Chart, Data, Extra, Heat, Series, Shape};
use crate::subject::one_of_several;

/// The series of a chart; none where it has no values.
pub(super) fn series(chart: &Chart, subjects: &[Subject]) -> Option<String> {
    let all: Vec<&Series> = chart.series().filter(|series| !series.ys.is_empty()).collect();
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
    let mut heads = places(chart, longest);
    let are_named = all.len() > 1 || subjects.len() > 1;
    for series in all {
        let name = if are_named { name(series, subjects) } else { chart.up.label.clone() };
        let value = field::head(&[&name], chart.up.quantity.suffix());
        heads.push(value.clone());
        if series.spread.is_some() {
            heads.extend([format!("{value}_low"), format!("{value}_high")]);
        }
        let lead = if are_named { name.as_str() } else { "" };
        heads.extend(series.extras.iter().map(|extra| extra_head(lead, extra)));
    }
    let mut sheet = Sheet::new(heads);
    for index in 0..longest.ys.len() {
        let mut fields = at(chart, &longest.xs, index);
        for series in all {
            fields.push(field::number(series.ys.get(index)));
            if let Some(spread) = &series.spread {
                fields.extend([&spread.low, &spread.high].map(|end| field::number(end.get(index))));
            }
            fields.extend(series.extras.iter().map(|extra| field::number(extra.values.get(index))));
        }
        sheet.row(fields);
    }
    sheet.finish()
}

/// A row for each value, with its series and its subject. What series count at the upper edge has a column of its own.
fn long(chart: &Chart, all: &[&Series], subjects: &[Subject]) -> String {
    let has_subjects = subjects.len() > 1;
    let has_spread = all.iter().any(|series| series.spread.is_some());
    let has_counts = all.iter().any(|series| series.shape == Shape::TopCrosses);
    let extras = all_extras(all);
    let longest = all.iter().max_by_key(|series| series.xs.len());
    let mut heads = vec!["series".to_owned()];
    heads.extend(has_subjects.then(|| "subject".to_owned()));
    let across = longest.map_or_else(Vec::new, |series| places(chart, series));
    heads.extend(across.iter().cloned());
    let value = field::head(&[&chart.up.label], chart.up.quantity.suffix());
    heads.push(value.clone());
    if has_spread {
        heads.extend([format!("{value}_low"), format!("{value}_high")]);
    }
    heads.extend(has_counts.then(|| "count".to_owned()));
    heads.extend(extras.iter().map(|extra| extra_head("", extra)));
    let mut sheet = Sheet::new(heads);
    for series in all {
        let counts = series.shape == Shape::TopCrosses;
        for index in 0..series.ys.len() {
            let value = field::number(series.ys.get(index));
            let mut fields = vec![field::text(&series.name)];
            fields.extend(has_subjects.then(|| label(subjects, Some(series.subject))));
            let mut places = at(chart, &series.xs, index);
            places.resize(across.len(), String::new());
            fields.extend(places);
            fields.push(if counts { String::new() } else { value.clone() });
            if has_spread {
                let spread = series.spread.as_ref();
                let end =
                    |end: Option<&Data>| end.map_or_else(String::new, |end| field::number(end.get(index)));
                fields.extend([end(spread.map(|ends| &ends.low)), end(spread.map(|ends| &ends.high))]);
            }
            fields.extend(has_counts.then(|| if counts { value } else { String::new() }));
            for extra in &extras {
                let own = series.extras.iter().find(|own| is_same(own, extra));
                fields.push(own.map_or_else(String::new, |own| field::number(own.values.get(index))));
            }
            sheet.row(fields);
        }
    }
    sheet.finish()
}

/// What is known at places of any series, each kind once.
fn all_extras<'a>(all: &[&'a Series]) -> Vec<&'a Extra> {
    let mut extras: Vec<&Extra> = Vec::new();
    for extra in all.iter().flat_map(|series| &series.extras) {
        if !extras.iter().any(|known| is_same(known, extra)) {
            extras.push(extra);
        }
    }
    extras
}

fn is_same(one: &Extra, other: &Extra) -> bool {
    one.name == other.name && one.quantity == other.quantity
}

fn extra_head(lead: &str, extra: &Extra) -> String {
    field::head(&[lead, &extra.name], extra.quantity.suffix())
}

/// The heads of the columns for places, one for each horizontal axis.
fn places(chart: &Chart, series: &Series) -> Vec<String> {
    let axes = chart.across.iter().take(series.xs.len());
    axes.map(place_head).collect()
}

fn place_head(axis: &Axis) -> String {
    let suffix = if axis.clock.is_some() { "" } else { axis.quantity.suffix() };
    field::head(&[&axis.label], suffix)
}

/// The fields of a place on each horizontal axis.
fn at(chart: &Chart, xs: &[Data], index: usize) -> Vec<String> {
    chart.across.iter().zip(xs).map(|(axis, xs)| place(axis, xs.get(index))).collect()
}

/// A place: a number, or a time of the axis' clock, which spreadsheets read.
fn place(axis: &Axis, place: f64) -> String {
    if axis.clock.is_some() && place.is_finite() { axis.text(place) } else { field::number(place) }
}

/// A series among others: by its subject and by what the subject's series are called.
fn name(series: &Series, subjects: &[Subject]) -> String {
    match one_of_several(subjects, Some(series.subject)) {
        Some(subject) if subject.label == series.name => subject.label.clone(),
        Some(subject) => format!("{} {}", subject.label, series.name),
        None => series.name.clone(),
    }
}

/// What the name of the file of a chart's heat maps ends with, and the file: a row for each cell that counts something.
pub(super) fn heat(chart: &Chart, subjects: &[Subject]) -> Option<(&'static str, String)> {
    let all: Vec<&Heat> = chart.heats().filter(|heat| !heat.columns.is_empty()).collect();
    let ending = if chart.series().any(|series| !series.ys.is_empty()) { "-heat" } else { "" };
    let (first, axis) = (all.first()?, chart.across.first()?);
    let has_subjects = subjects.len() > 1;
    let has_names = all.iter().any(|heat| !heat.name.is_empty());
    let up = field::head(&[&chart.up.label], chart.up.quantity.suffix());
    let mut heads = Vec::new();
    heads.extend(has_subjects.then(|| "subject".to_owned()));
    heads.extend(has_names.then(|| "series".to_owned()));
    heads.push(place_head(axis));
    heads.extend([format!("{up}_low"), format!("{up}_high"), field::head(&[&first.unit], "")]);
    let mut sheet = Sheet::new(heads);
    for heat in all {
        for (index, column) in heat.columns.iter().enumerate() {
            let place = heat.start + heat.width * index as f64;
            for (row, count) in column.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let row = column.first + row;
                let mut fields = Vec::new();
                fields.extend(has_subjects.then(|| label(subjects, Some(heat.subject))));
                fields.extend(has_names.then(|| field::text(&heat.name)));
                fields.push(self::place(axis, place));
                fields.extend([heat.edges.get(row), heat.edges.get(row + 1)].map(field::number));
                fields.push(count.to_string());
                sheet.row(fields);
            }
        }
    }
    Some((ending, sheet.finish()))
}
