//! Heat maps.

use std::fmt::Write as _;

use super::canvas::{Coordinate, SvgCanvas, SvgInk};
use super::plane::Plane;
use crate::Chart;
use crate::bins::ends;
use crate::chart::{Heat, HeatColumn};
use crate::palette::SHADE_COUNT;

/// Columns are no narrower than this in pixels; narrower ones are drawn as one.
const COLUMN_WIDTH_MIN: f64 = 2.0;

/// The fewest and the most that a cell of any heat map of a chart counts; none where all are empty.
pub(super) fn count_range(chart: &Chart) -> Option<(u32, u32)> {
    let counts = chart.heats.iter().flat_map(|heat| &heat.columns).flat_map(|column| &column.counts);
    ends(counts.copied().filter(|count| *count > 0))
}

/// Draws a heat map: one path of rectangles for every shade.
pub(super) fn draw(canvas: &mut SvgCanvas, plane: &Plane, heat: &Heat, range: (u32, u32)) {
    let mut paths = vec![String::new(); SHADE_COUNT];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds of pixels")]
    let room = (plane.width / COLUMN_WIDTH_MIN) as usize;
    let joined = heat.columns.len().div_ceil(room.max(1)).max(1);
    for (index, columns) in heat.columns.chunks(joined).enumerate() {
        let first = index * joined;
        let edge = |column: usize| plane.across(heat.start + heat.width * column as f64);
        let (Some(left), Some(right)) = (edge(first), edge(first + columns.len())) else { continue };
        let counts = greatest(columns, heat.edges.len().saturating_sub(1));
        for (rows, shade) in runs(&counts, range) {
            let (bottom, top) = (plane.down(heat.edges.get(rows.0)), plane.down(heat.edges.get(rows.1)));
            let (Some(bottom), Some(top)) = (bottom, top) else { continue };
            rectangle(&mut paths[shade], [left, top, right, bottom]);
        }
    }
    for (shade, path) in paths.iter().enumerate() {
        canvas.fill(path, SvgInk::Shade(shade), "shape-rendering=\"crispEdges\"");
    }
}

/// The greatest count in each of so many rows of some columns.
fn greatest(columns: &[HeatColumn], rows: usize) -> Vec<u32> {
    let mut most = vec![0; rows];
    for column in columns {
        for (row, count) in column.counts.iter().enumerate() {
            if let Some(cell) = most.get_mut(column.first.saturating_add(row)) {
                *cell = (*cell).max(*count);
            }
        }
    }
    most
}

/// Rows of one shade that lie next to each other, as their lower and upper edges.
fn runs(counts: &[u32], range: (u32, u32)) -> Vec<((usize, usize), usize)> {
    let mut found: Vec<((usize, usize), usize)> = Vec::new();
    for (row, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let shade = shade_of(*count, range);
        match found.last_mut() {
            Some(((_, end), last)) if *end == row && *last == shade => *end = row + 1,
            _ => found.push(((row, row + 1), shade)),
        }
    }
    found
}

/// A rectangle on whole pixels, so that neighbours meet without a seam; it is at least one pixel wide and high.
fn rectangle(path: &mut String, [left, top, right, bottom]: [f64; 4]) {
    let (left, top) = (left.round(), top.round());
    let (width, height) = ((right.round() - left).max(1.0), (bottom.round() - top).max(1.0));
    let at = Coordinate;
    let (width, height) = (at(width), at(height));
    let _ = write!(path, "M{} {}h{width}v{height}h-{width}z", at(left), at(top));
}

/// The shade of a count, by its logarithm.
fn shade_of(count: u32, (low, high): (u32, u32)) -> usize {
    if high <= low {
        return SHADE_COUNT - 1;
    }
    let share = (f64::from(count) / f64::from(low)).ln() / (f64::from(high) / f64::from(low)).ln();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below SHADE_COUNT")]
    let shade = (share.clamp(0.0, 1.0) * (SHADE_COUNT - 1) as f64).round() as usize;
    shade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_follow_the_logarithm_of_counts() {
        assert_eq!([1, 100, 10_000].map(|count| shade_of(count, (1, 10_000))), [0, 12, 23]);
        assert_eq!(runs(&[0, 7, 7, 0, 7], (7, 7)), [((1, 3), 23), ((4, 5), 23)]);
    }
}
