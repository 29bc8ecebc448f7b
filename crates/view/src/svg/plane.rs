//! The rectangle that values are drawn in.

use super::scale::{AxisScale, tamed};
use crate::Chart;
use crate::bins::ends;
use crate::chart::{Heat, Series, Shape};

/// A rectangle with an axis along its lower and its left edge; its upper left corner is the origin of coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub width: f64,
    pub height: f64,
    pub x: AxisScale,
    pub y: AxisScale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
    /// Whether a logarithmic axis has no place for it: it lies on the edge and is drawn hollow.
    pub is_below: bool,
}

impl Plane {
    /// Where a place on the horizontal axis lies, in pixels from the left.
    pub fn across(&self, value: f64) -> Option<f64> {
        Some(self.x.place(value)? * self.width)
    }

    /// Where a value lies, in pixels from above.
    pub fn down(&self, value: f64) -> Option<f64> {
        Some((1.0 - self.y.place(value)?) * self.height)
    }

    /// Where a value lies; none where it is missing.
    pub fn spot(&self, x: f64, y: f64) -> Option<Spot> {
        let is_below = self.x.is_below(x) || self.y.is_below(y);
        Some(Spot { x: self.across(x)?, y: self.down(y)?, is_below })
    }
}

/// The place of a value on the first horizontal axis; not a number where it is missing.
pub(super) fn place(series: &Series, index: usize) -> f64 {
    series.xs.first().map_or(f64::NAN, |places| places.get(index))
}

/// Where the bar or the step that begins at a place ends: at the next place, or as far away as that was from the one before.
pub(super) fn end_of_place(series: &Series, index: usize) -> f64 {
    let (here, next) = (place(series, index), place(series, index + 1));
    if next.is_finite() || index == 0 {
        return if next.is_finite() { next } else { here };
    }
    here + (here - place(series, index - 1))
}

/// Every number that the horizontal axis has to hold.
pub(super) fn across_values(chart: &Chart) -> Vec<f64> {
    let mut all = Vec::new();
    // A last step beside other values ends with them: how long it holds is not known.
    let has_steps_only = chart.series.iter().all(|series| matches!(series.shape, Shape::Bars | Shape::Steps));
    for series in &chart.series {
        let count = series.xs.first().map_or(0, |places| places.len().min(series.ys.len()));
        all.extend((0..count).map(|index| place(series, index)));
        if count > 0 && (series.shape == Shape::Bars || series.shape == Shape::Steps && has_steps_only) {
            all.push(end_of_place(series, count - 1));
        }
    }
    for heat in chart.heats.iter().filter(|heat| !heat.columns.is_empty()) {
        all.extend([heat.start, heat.start + heat.width * heat.columns.len() as f64]);
    }
    all
}

/// Every number that the vertical axis has to hold: the values, not their intervals, unless a band is all that is drawn.
pub(super) fn up_values(chart: &Chart) -> Vec<f64> {
    let mut all = Vec::new();
    for series in &chart.series {
        match (series.shape, &series.spread) {
            (Shape::Band, Some(spread)) => all.extend(spread.low.iter().chain(spread.high.iter())),
            (Shape::TopCrosses, _) | (Shape::Band, None) => {}
            _ => all.extend(series.ys.iter()),
        }
    }
    all.extend(chart.heats.iter().filter_map(used_edges).flatten());
    all
}

/// The edges of the lowest and of the highest row of a heat map that hold anything.
fn used_edges(heat: &Heat) -> Option<[f64; 2]> {
    let rows = heat.columns.iter().flat_map(|column| {
        let used = column.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(row, _)| column.first.saturating_add(row))
    });
    let (first, last) = ends(rows)?;
    Some([heat.edges.get(first), heat.edges.get(last.saturating_add(1))])
}

/// Whether a chart has a value for which its vertical axis has no place, and that is drawn hollow.
pub(super) fn has_hollow(chart: &Chart, y: &AxisScale) -> bool {
    let hollow = |series: &Series| {
        let is_drawn = !matches!(series.shape, Shape::TopCrosses | Shape::Bars | Shape::Band);
        is_drawn && series.ys.iter().any(|value| y.is_below(value))
    };
    chart.series.iter().any(hollow)
}

/// Whether an interval of a chart reaches beyond its vertical axis.
pub(super) fn has_cut(chart: &Chart, y: &AxisScale) -> bool {
    let cut = |series: &Series| {
        let Some(spread) = series.spread.as_ref().filter(|_| series.shape != Shape::Band) else {
            return false;
        };
        let ends = |index: usize| [spread.low.get(index), spread.high.get(index)];
        let known = (0..series.ys.len()).filter(|index| tamed(series.ys.get(*index)).is_some());
        known.flat_map(ends).any(|end| !end.is_nan() && !y.holds(end))
    };
    chart.series.iter().any(cut)
}
