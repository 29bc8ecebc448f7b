//! Series of values, with intervals around them: lines with ends, or bands.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::canvas::{Coordinate, SvgCanvas};
use super::marks::{self, BAND, BAR, LINE_WIDTH, Look, MarkPath, RING_RADIUS, arrow};
use super::plane::{self, Plane, Spot};
use crate::chart::{Data, Series, Shape};

/// A line has no more values than this for each pixel of its width; more cannot be told apart.
const LINE_VALUES: f64 = 4.0;

/// Draws a series; `row` is its place among those that have crosses at the upper edge.
pub(super) fn draw(canvas: &mut SvgCanvas, plane: &Plane, (series, look, row): (&Series, Look, usize)) {
    let indices = thinned(&series.ys, line_values(series, plane));
    let spots: Vec<Option<Spot>> = indices.iter().map(|index| spot(plane, series, *index)).collect();
    let ink = look.ink;
    match series.shape {
        Shape::Dots => dots(canvas, &spots, look, dot_radius(spots.len())),
        Shape::SmallDots => dots(canvas, &spots, look, dot_radius(spots.len()) * 0.6),
        Shape::Rings => marks::rings(canvas, shown(&spots), RING_RADIUS, look),
        Shape::TopCrosses => {
            let level = 8.0 + row as f64 * 14.0;
            let counted = indices.iter().filter(|index| series.ys.get(**index) > 0.0);
            let places = counted.filter_map(|index| plane.across(plane::place(series, *index)));
            marks::crosses(canvas, places.map(|x| (x, level)), look);
        }
        Shape::Line | Shape::DashedLine => line(canvas, &spots, look),
        Shape::DottedLine => {
            line(canvas, &spots, look);
            dots(canvas, &spots, look, dot_radius(spots.len() * 4));
        }
        Shape::Steps => steps(canvas, plane, (series, look), &indices),
        Shape::Bars => bars(canvas, plane, (series, look), &indices),
        Shape::Band => band(canvas, plane, (series, look), &indices),
    }
    if !matches!(series.shape, Shape::Bars | Shape::Band | Shape::TopCrosses) {
        let hollow = spots.iter().flatten().filter(|spot| spot.is_below);
        marks::hollow(canvas, hollow.map(|spot| (spot.x, spot.y)), ink);
    }
    if series.shape != Shape::Band {
        whiskers(canvas, plane, (series, look), &indices);
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some thousands")]
fn line_values(series: &Series, plane: &Plane) -> Option<usize> {
    let is_line = matches!(series.shape, Shape::Line | Shape::DashedLine);
    is_line.then_some((plane.width * LINE_VALUES) as usize)
}

fn spot(plane: &Plane, series: &Series, index: usize) -> Option<Spot> {
    plane.spot(plane::place(series, index), series.ys.get(index))
}

fn dot_radius(count: usize) -> f64 {
    match count {
        0..=150 => 5.5,
        151..=1_000 => 3.8,
        _ => 2.8,
    }
}

/// The places of the values that the axes hold.
fn shown(spots: &[Option<Spot>]) -> impl Iterator<Item = (f64, f64)> {
    spots.iter().flatten().filter(|spot| !spot.is_below).map(|spot| (spot.x, spot.y))
}

/// Dots as one path; those that lie on the same place are written once.
fn dots(canvas: &mut SvgCanvas, spots: &[Option<Spot>], look: Look, radius: f64) {
    let mut marks = MarkPath::new(look.mark, radius);
    let mut seen = HashSet::new();
    for (x, y) in shown(spots) {
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
        let place = ((x * 2.0).round() as i32, (y * 2.0).round() as i32);
        if seen.insert(place) {
            marks.add((x, y));
        }
    }
    marks.fill(canvas, look.ink, if spots.len() > 1_000 { "opacity=\"0.75\"" } else { "" });
}

/// A line from value to value with gaps where there is none. A value without neighbours is a point.
fn line(canvas: &mut SvgCanvas, spots: &[Option<Spot>], look: Look) {
    let mut path = String::new();
    for run in spots.split(|spot| spot.is_none_or(|spot| spot.is_below)) {
        polyline(&mut path, run.iter().flatten().map(|spot| (spot.x, spot.y)));
        if run.len() == 1 {
            path.push_str("h0");
        }
    }
    stroke(canvas, &path, look);
}

/// Lines from the first place to the next ones.
fn polyline(path: &mut String, places: impl Iterator<Item = (f64, f64)>) {
    for (order, (x, y)) in places.enumerate() {
        let begin = if order == 0 { "M" } else { "L" };
        let _ = write!(path, "{begin}{} {}", Coordinate(x), Coordinate(y));
    }
}

fn stroke(canvas: &mut SvgCanvas, path: &str, look: Look) {
    let more = match look.dashes {
        Some(dashes) => format!("stroke-linejoin=\"round\" stroke-dasharray=\"{dashes}\""),
        None => "stroke-linejoin=\"round\" stroke-linecap=\"round\"".to_owned(),
    };
    canvas.stroke(path, look.ink, LINE_WIDTH, &more);
}

/// A level from each place to the next one.
fn steps(canvas: &mut SvgCanvas, plane: &Plane, (series, look): (&Series, Look), indices: &[usize]) {
    let mut path = String::new();
    let mut is_on = false;
    for span in spans(plane, series, indices) {
        let Some((spot, end)) = span.filter(|(spot, _)| !spot.is_below) else {
            is_on = false;
            continue;
        };
        let begin = if is_on { "L" } else { "M" };
        let _ = write!(path, "{begin}{} {}H{}", Coordinate(spot.x), Coordinate(spot.y), Coordinate(end));
        is_on = true;
    }
    stroke(canvas, &path, look);
}

/// Bars from the lower edge, or from zero where the axis reaches below it.
fn bars(canvas: &mut SvgCanvas, plane: &Plane, (series, look): (&Series, Look), indices: &[usize]) {
    let zero = if plane.y.is_log { None } else { plane.down(0.0) };
    let floor = zero.unwrap_or(plane.height);
    let mut path = String::new();
    for (spot, end) in spans(plane, series, indices).flatten() {
        let (top, bottom) = (spot.y.min(floor), spot.y.max(floor));
        // A gap between bars tells them apart where they are wide enough.
        let gap = if end - spot.x > 8.0 { 1.0 } else { 0.0 };
        let (width, height) = ((end - spot.x - 2.0 * gap).max(1.0), bottom - top);
        if height > 0.05 {
            let (x, y, w, h) = (spot.x + gap, top, Coordinate(width), Coordinate(height));
            let _ = write!(path, "M{} {}h{w}v{h}h-{w}z", Coordinate(x), Coordinate(y));
        }
    }
    canvas.fill(&path, look.ink, BAR);
}

/// Where the step or the bar of each place begins and ends; none where its value is missing.
fn spans(plane: &Plane, series: &Series, indices: &[usize]) -> impl Iterator<Item = Option<(Spot, f64)>> {
    indices.iter().enumerate().map(move |(order, index)| {
        let next = indices.get(order + 1).map(|next| plane::place(series, *next));
        let end = next.unwrap_or_else(|| plane::end_of_place(series, *index));
        Some((spot(plane, series, *index)?, plane.across(end)?))
    })
}

/// The places of at most so many values: in each of equally long parts the least and the greatest one. A part without any value
/// keeps its first place, so that the gap remains.
fn thinned(values: &Data, most: Option<usize>) -> Vec<usize> {
    let count = values.len();
    let Some(most) = most.filter(|most| *most < count) else { return (0..count).collect() };
    let parts = (most / 2).max(1);
    let mut kept = Vec::with_capacity(parts * 2);
    for part in 0..parts {
        let (from, until) = (part * count / parts, (part + 1) * count / parts);
        let known = || (from..until).filter(|index| values.get(*index).is_finite());
        let order = |one: &usize, other: &usize| values.get(*one).total_cmp(&values.get(*other));
        match (known().min_by(order), known().max_by(order)) {
            (Some(least), Some(greatest)) if least != greatest => {
                kept.extend([least.min(greatest), least.max(greatest)]);
            }
            (Some(only), _) => kept.push(only),
            _ => kept.push(from),
        }
    }
    kept
}

/// Half the width of the ends of an interval's line in pixels; where intervals are many they have none.
const END_WIDTH: f64 = 6.0;
const ENDS_MAX: usize = 80;

/// Draws the interval of each value as a line. The axis is chosen by the values: a line that reaches beyond it ends in an
/// arrow.
fn whiskers(canvas: &mut SvgCanvas, plane: &Plane, (series, look): (&Series, Look), indices: &[usize]) {
    let Some(spread) = &series.spread else { return };
    let (mut lines, mut arrows) = (String::new(), String::new());
    let width = if indices.len() > ENDS_MAX { 0.0 } else { END_WIDTH };
    for index in indices {
        let Some(spot) = spot(plane, series, *index) else { continue };
        for end in [spread.low.get(*index), spread.high.get(*index)].into_iter().filter(|end| !end.is_nan()) {
            let (at, is_cut) = end_of_interval(plane, end);
            let _ = write!(lines, "M{} {}V{}", Coordinate(spot.x), Coordinate(spot.y), Coordinate(at));
            if is_cut {
                arrow(&mut arrows, (spot.x, at), at < plane.height / 2.0);
            } else if width > 0.0 {
                let _ = write!(lines, "m-{0} 0h{1}", Coordinate(width), Coordinate(width * 2.0));
            }
        }
    }
    canvas.stroke(&lines, look.ink, 1.8, "");
    canvas.fill(&arrows, look.ink, "");
}

/// Where the end of an interval lies, and whether that is the end of the axis because it lies beyond.
fn end_of_interval(plane: &Plane, end: f64) -> (f64, bool) {
    let edge = if end > plane.y.low { 0.0 } else { plane.height };
    if plane.y.holds(end) { (plane.down(end).unwrap_or(edge), false) } else { (edge, true) }
}

/// Draws intervals alone, as areas with gaps where an end is missing.
fn band(canvas: &mut SvgCanvas, plane: &Plane, (series, look): (&Series, Look), indices: &[usize]) {
    let Some(spread) = &series.spread else { return };
    let ends = |index: &usize| {
        let x = plane.across(plane::place(series, *index))?;
        Some((x, plane.down(spread.low.get(*index))?, plane.down(spread.high.get(*index))?))
    };
    let ends: Vec<Option<(f64, f64, f64)>> = indices.iter().map(ends).collect();
    let mut path = String::new();
    for run in ends.split(Option::is_none).filter(|run| !run.is_empty()) {
        let upper = run.iter().flatten().map(|(x, _, high)| (*x, *high));
        let lower = run.iter().rev().flatten().map(|(x, low, _)| (*x, *low));
        polyline(&mut path, upper.chain(lower));
        path.push('z');
    }
    canvas.fill(&path, look.ink, BAND);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_gaps_are_kept() {
        let mut values: Vec<f64> = (0..1_000).map(f64::from).collect();
        values[333] = 5_000.0;
        values[777] = -5_000.0;
        values[400..600].fill(f64::NAN);
        let data: Data = values.into_iter().collect();
        let kept = thinned(&data, Some(40));
        assert!(kept.len() <= 40);
        assert!(kept.contains(&333) && kept.contains(&777));
        assert!(kept.is_sorted());
        assert!(kept.iter().any(|index| data.get(*index).is_nan()));
        assert_eq!(thinned(&data, None).len(), 1_000);
    }
}
