//! Intervals around values: lines with ends, or bands.

use std::fmt::Write as _;

use super::canvas::{Coordinate, SvgCanvas};
use super::marks::{BAND, Look, arrow};
use super::plane::{self, Plane};
use crate::chart::Series;

/// Half the width of the ends of an interval's line in pixels; where intervals are many they have none.
const END_WIDTH: f64 = 6.0;
const ENDS_MAX: usize = 80;

/// Draws the interval of each value as a line. The axis is chosen by the values: a line that reaches beyond it ends in an
/// arrow.
pub(super) fn draw(
    canvas: &mut SvgCanvas,
    plane: &Plane,
    (series, look): (&Series, Look),
    indices: &[usize],
) {
    let Some(spread) = &series.spread else { return };
    let (mut lines, mut arrows) = (String::new(), String::new());
    let width = if indices.len() > ENDS_MAX { 0.0 } else { END_WIDTH };
    for index in indices {
        let Some(spot) = plane.spot(plane::place(series, *index), series.ys.get(*index)) else { continue };
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
pub(super) fn band(
    canvas: &mut SvgCanvas,
    plane: &Plane,
    (series, look): (&Series, Look),
    indices: &[usize],
) {
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
        for (order, (x, y)) in upper.chain(lower).enumerate() {
            let begin = if order == 0 { "M" } else { "L" };
            let _ = write!(path, "{begin}{} {}", Coordinate(x), Coordinate(y));
        }
        path.push('z');
    }
    canvas.fill(&path, look.ink, BAND);
}
