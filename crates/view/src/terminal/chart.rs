//! Charts on the terminal: bars for a few values, a plot for many, a line of levels for each of several series.

use super::canvas::TextCanvas;
use super::grid::{Grid, GridLine};
use super::style::Ink;
use super::wrap::{left, right, shorten, width};
use crate::bins::{AxisStretch, SeriesBin, axis_text, binned, points, whole};
use crate::cell_text::{CellText, Head, column_head};
use crate::chart::{Axis, Chart, Heat, Series, Shape};
use crate::subject::one_of_several;
use crate::{Quantity, Subject};

const MOST_BARS: usize = 24;
const LONGEST_BAR: usize = 40;
/// Rows of characters of a plot, and the most columns.
const ROWS: usize = 6;
const MOST_COLUMNS: usize = 72;

/// A chart: what lies along its axes, how many values there are, the least and the greatest one.
pub(super) fn chart(canvas: &mut TextCanvas, chart: &Chart, subjects: &[Subject]) {
    canvas.paragraph(0, Ink::Strong, &chart.title);
    let axis = chart.across.first();
    // Marks of other values, and intervals, have no values of their own.
    let (marked, shown): (Vec<&Series>, Vec<&Series>) = chart
        .series
        .iter()
        .filter(|series| points(series).next().is_some())
        .partition(|series| matches!(series.shape, Shape::TopCrosses | Shape::Rings | Shape::Band));
    let (across, up) = (stretch(axis, &shown), up_stretch(chart, &shown));
    if let (Some(axis), Some(across), Some(up)) = (axis, across, up) {
        match shown.as_slice() {
            [series] if points(series).count() <= MOST_BARS => bars(canvas, chart, axis, series),
            [series] => plot(canvas, (axis, &chart.up), series, (across, up)),
            several => lines(canvas, (axis, &chart.up), (several, subjects), (across, up)),
        }
    }
    for series in marked {
        let count = Quantity::Count.text(points(series).count() as f64);
        let name = series_name(series, chart, subjects);
        canvas.paragraph(0, Ink::Faint, &format!("{name}: marked at n = {count} places."));
    }
    chart.heats.iter().for_each(|one| heat(canvas, chart, one, subjects));
    chart.notes.iter().for_each(|note| canvas.paragraph(0, Ink::Faint, note));
}

fn stretch(axis: Option<&Axis>, shown: &[&Series]) -> Option<AxisStretch> {
    AxisStretch::over(axis?.scale, shown.iter().flat_map(|series| points(series).map(|(x, _)| x)))
}

fn up_stretch(chart: &Chart, shown: &[&Series]) -> Option<AxisStretch> {
    let numbers = shown.iter().flat_map(|series| points(series).map(|(_, y)| y));
    let span = chart.up.span.into_iter().flat_map(|(low, high)| [low, high]);
    AxisStretch::over(chart.up.scale, numbers.chain(span)).map(AxisStretch::with_zero)
}

/// What a series is called: by its subject where there are several, by its name where a subject has several.
fn series_name(series: &Series, chart: &Chart, subjects: &[Subject]) -> String {
    let names = chart.series.iter().map(|series| (series.subject, series.name.as_str()));
    full_name((series.subject, &series.name), names, subjects)
}

fn full_name<'a>(
    (subject, name): (usize, &str),
    mut all: impl Iterator<Item = (usize, &'a str)>,
    subjects: &[Subject],
) -> String {
    let Some(Subject { label, .. }) = one_of_several(subjects, Some(subject)) else { return name.to_owned() };
    let is_alone = !all.any(|(other, other_name)| other == subject && other_name != name);
    if is_alone || name.is_empty() || name == label { label.clone() } else { format!("{label}, {name}") }
}

/// A bar from zero on for each value.
fn bars(canvas: &mut TextCanvas, chart: &Chart, axis: &Axis, series: &Series) {
    let style = canvas.style;
    let heads =
        [axis.label.clone(), column_head(&chart.up.label, chart.up.quantity)].map(|head| style.clean(&head));
    let room = style.columns() / 3;
    let shown: Vec<(String, String, f64)> = points(series)
        .map(|(x, y)| {
            let place = shorten(&style.clean(&axis_text(axis, x)), room, style.cut_mark());
            let value = shorten(&style.clean(&chart.up.quantity.bare(y)), room, style.cut_mark());
            (place, value, y)
        })
        .collect();
    let head = heads.each_ref().map(|head| shorten(head, room, style.cut_mark()));
    let places = shown.iter().map(|(place, _, _)| width(place)).chain([width(&head[0])]).max().unwrap_or(0);
    let values = shown.iter().map(|(_, value, _)| width(value)).chain([width(&head[1])]).max().unwrap_or(0);
    let most = shown.iter().map(|(_, _, y)| *y).fold(0.0, f64::max);
    let columns = style.columns().saturating_sub(places + values + 4).min(LONGEST_BAR);
    let line = format!("{}  {}", right(&head[0], places), right(&head[1], values));
    canvas.line(&[(Ink::Faint, &line)]);
    for (place, value, y) in &shown {
        let line = format!("{}  {}  ", right(place, places), right(value, values));
        let share = if most > 0.0 { y / most } else { 0.0 };
        canvas.line(&[(Ink::Plain, &line), (Ink::Curve, &bar(share, columns, style.ascii))]);
    }
    let summary = whole(series).map_or_else(String::new, |all| extent(&chart.up, &all));
    canvas.paragraph(0, Ink::Faint, &summary);
}

/// The number of values, the least and the greatest one.
fn extent(up: &Axis, all: &SeriesBin) -> String {
    let [least, most] = [all.min, all.max].map(|number| up.quantity.text(number));
    format!("n = {}, min {least}, max {most}", Quantity::Count.text(all.count as f64))
}

fn plot(
    canvas: &mut TextCanvas,
    (axis, vertical): (&Axis, &Axis),
    series: &Series,
    (across, up): (AxisStretch, AxisStretch),
) {
    let style = canvas.style;
    let marks = [up.high, up.low].map(|number| style.clean(&axis_text(vertical, number)));
    let gutter = marks.iter().map(|mark| width(mark)).max().unwrap_or(0).min(style.columns() / 3);
    let marks = marks.map(|mark| shorten(&mark, gutter, style.cut_mark()));
    let columns = (style.columns() - gutter - 2).min(MOST_COLUMNS);
    let (bar, corner, line) = if style.ascii { ('|', '+', "-") } else { ('│', '└', "─") };
    let rows = dot_rows(points(series), (across, up), (columns, ROWS), style.ascii);
    for (row, dots) in rows.iter().enumerate() {
        let mark = match row {
            0 => marks[0].as_str(),
            row if row == ROWS - 1 => marks[1].as_str(),
            _ => "",
        };
        let lead = format!("{} {bar}", right(mark, gutter));
        canvas.line(&[(Ink::Plain, &lead), (Ink::Curve, dots.trim_end())]);
    }
    canvas.line(&[(Ink::Plain, &format!("{} {corner}{}", " ".repeat(gutter), line.repeat(columns)))]);
    let ends = [across.low, across.high].map(|number| style.clean(&axis_text(axis, number)));
    let ends = ends.map(|end| shorten(&end, columns / 2 - 1, style.cut_mark()));
    let begin = left(&ends[0], columns - width(&ends[1]));
    canvas.line(&[(Ink::Plain, &format!("{}{begin}{}", " ".repeat(gutter + 2), ends[1]))]);
    let extent = whole(series).map_or_else(String::new, |all| extent(vertical, &all));
    let scale = if up.is_log { ", logarithmic" } else { "" };
    let words = format!("{} against {}{scale}; {extent}", vertical.label, in_sentence(&axis.label));
    canvas.paragraph(0, Ink::Faint, &words);
}

/// A label as it stands within a sentence: a capital letter only where it is one of several, as in LBA.
fn in_sentence(label: &str) -> String {
    let mut characters = label.chars();
    match (characters.next(), characters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => label.to_owned(),
    }
}

/// A line for each series, all on the same axes: the mean of each bin as a level, a space where there is none.
fn lines(
    canvas: &mut TextCanvas,
    (axis, vertical): (&Axis, &Axis),
    (series, subjects): (&[&Series], &[Subject]),
    (across, up): (AxisStretch, AxisStretch),
) {
    let style = canvas.style;
    let steps = if style.ascii { ASCII_LEVELS } else { LEVELS };
    let names: Vec<(usize, &str)> = series.iter().map(|one| (one.subject, one.name.as_str())).collect();
    let name = |one: &Series| full_name((one.subject, &one.name), names.iter().copied(), subjects);
    let heads = ["min", "max", "n"];
    let values = |all: &SeriesBin| {
        let [least, most] = [all.min, all.max].map(|number| vertical.quantity.bare(number));
        [least, most, Quantity::Count.text(all.count as f64)]
    };
    let found: Vec<(&Series, [String; 3])> =
        series.iter().filter_map(|one| Some((*one, values(&whole(one)?)))).collect();
    let taken: usize = (0..heads.len())
        .map(|index| 2 + found.iter().map(|(_, values)| width(&values[index])).max().unwrap_or(0).max(3))
        .sum();
    let widest = series.iter().map(|one| width(&name(one))).max().unwrap_or(0).min(style.columns() * 2 / 5);
    let room = style.columns().saturating_sub(taken + widest + 2).clamp(8, MOST_COLUMNS);
    let rows = found.iter().map(|(one, values)| {
        let level = |bin: SeriesBin| steps[up.step(bin.mean, steps.len())];
        let line =
            binned(one, across, room).into_iter().map(|bin| bin.map_or(' ', level)).collect::<String>();
        let cells = [&line].into_iter().chain(values).map(CellText::words);
        GridLine::Row { head: name(one), cells: cells.collect() }
    });
    let [from, until] = [across.low, across.high].map(|number| axis_text(axis, number));
    let head = format!("{}, {from} to {until}", axis.label);
    let columns = [Head::words(head)].into_iter().chain(heads.map(Head::numbers)).collect();
    Grid { corner: String::new(), columns, lines: rows.collect() }.write(canvas);
    let [lowest, .., highest] = steps;
    let [low, high] = [up.low, up.high].map(|number| axis_text(vertical, number));
    let scale = if up.is_log { ", logarithmic" } else { "" };
    let legend = format!("{}: {lowest} is {low}, {highest} is {high}{scale}.", vertical.label);
    canvas.paragraph(0, Ink::Faint, &legend);
}

/// What a heat map counts: its picture needs more room than a terminal has.
fn heat(canvas: &mut TextCanvas, chart: &Chart, heat: &Heat, subjects: &[Subject]) {
    let total: f64 =
        heat.columns.iter().flat_map(|column| &column.counts).map(|count| f64::from(*count)).sum();
    let names = chart.heats.iter().map(|heat| (heat.subject, heat.name.as_str()));
    let name = full_name((heat.subject, &heat.name), names, subjects);
    let [low, high] =
        [0, heat.edges.len().saturating_sub(1)].map(|edge| axis_text(&chart.up, heat.edges.get(edge)));
    let columns = Quantity::Count.text(heat.columns.len() as f64);
    let label = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let words = format!(
        "{label}heat map of {} {} in {columns} columns, {} from {low} to {high}; the page has the picture.",
        heat.quantity.text(total),
        heat.unit,
        in_sentence(&chart.up.label),
    );
    canvas.paragraph(0, Ink::Faint, &words);
}

/// Dots in a braille cell: two columns of four.
const DOTS_WIDE: usize = 2;
const DOTS_HIGH: usize = 4;
/// The bit of each dot of a braille cell, by row and column.
const BRAILLE_BITS: [[u32; DOTS_WIDE]; DOTS_HIGH] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const BRAILLE_BLANK: u32 = 0x2800;
/// Marks for one to four and more dots in a cell, where braille cannot be shown.
const ASCII_MARKS: [char; 5] = [' ', '.', ':', '*', '#'];
/// Levels from the lowest to the highest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_LEVELS: [char; 8] = ['_', '.', '-', '=', '+', '*', '#', '@'];

/// The points on two stretches as dots, in `columns` x `rows` characters, the rows from the top.
fn dot_rows(
    points: impl Iterator<Item = (f64, f64)>,
    (across, up): (AxisStretch, AxisStretch),
    (columns, rows): (usize, usize),
    ascii: bool,
) -> Vec<String> {
    // The bits of the dots of each character.
    let mut cells = vec![vec![0_u32; columns]; rows];
    for (x, y) in points {
        let (column, row) =
            (across.step(x, columns * DOTS_WIDE), rows * DOTS_HIGH - 1 - up.step(y, rows * DOTS_HIGH));
        cells[row / DOTS_HIGH][column / DOTS_WIDE] |= BRAILLE_BITS[row % DOTS_HIGH][column % DOTS_WIDE];
    }
    let character = |bits: &u32| match (ascii, *bits) {
        (true, bits) => ASCII_MARKS[(bits.count_ones() as usize).min(ASCII_MARKS.len() - 1)],
        (false, 0) => ' ',
        (false, bits) => char::from_u32(BRAILLE_BLANK + bits).unwrap_or(' '),
    };
    cells.iter().map(|row| row.iter().map(character).collect()).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the number of columns"
)]
fn bar(share: f64, columns: usize, ascii: bool) -> String {
    let length = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    if ascii { "#" } else { "█" }.repeat(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_rate_is_a_level_line_and_zero_lies_at_the_bottom() {
        let across = AxisStretch { low: 0.0, high: 4.0, is_log: false };
        let up = AxisStretch { low: 100.0, high: 10_000.0, is_log: true };
        let points = [(0.0, 10_000.0), (1.0, 10_000.0), (2.0, 0.0), (3.0, 0.0)];
        let rows = |ascii| dot_rows(points.into_iter(), (across, up), (2, 2), ascii);
        assert_eq!(rows(false), ["⠉ ", " ⣀"]);
        assert_eq!(rows(true), [": ", " :"]);
    }
}
