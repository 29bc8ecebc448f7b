//! Service time against time, as colours.

use std::fmt::Write as _;

use drivelab_analysis::HeatMap;

use super::frame::{ALONE, Frame, close, open, text};
use super::held::HeldAxes;
use super::ink::{self, MUTED, SHADES};
use crate::format::{rate, whole};
use crate::names::loop_words;
use crate::run::RunReport;

/// A picture of one run's service times over time.
pub(super) fn picture(run: &RunReport, axes: &HeldAxes) -> String {
    let title = format!("{}: service time over time", run.label);
    let heat = run.measured.heat();
    let column_s = heat.column_nanos() as f64 / 1e9;
    let words = format!(
        "I/Os a second in a cell of {column_s} s by a quarter of an octave · n = {} · {}",
        whole(run.measured.service().moments().count()),
        loop_words(run)
    );
    let frame = Frame::within(ALONE, 0.0, axes.time, axes.latency);
    let mut svg = open(ALONE, &title);
    frame.draw(&mut svg, &title, &words);
    for (step, path) in cells(heat, &frame, axes.heat).iter().enumerate().filter(|(_, path)| !path.is_empty())
    {
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            ink::shade(step)
        );
    }
    legend(&mut svg, axes.heat);
    close(svg)
}

/// One path of rectangles for every shade.
fn cells(heat: &HeatMap, frame: &Frame, range: (f64, f64)) -> Vec<String> {
    let column_s = heat.column_nanos() as f64 / 1e9;
    let mut paths = vec![String::new(); SHADES];
    for (index, column) in heat.columns().enumerate() {
        // The last column may reach beyond the last whole second, where the axis ends.
        let end = frame.left + frame.width;
        let edge = |column: usize| halved(frame.at_x(column as f64 * column_s).min(end));
        let (left, right) = (edge(index), edge(index + 1));
        if left >= end {
            continue;
        }
        for (row, count) in column.iter().enumerate().filter(|(_, count)| **count > 0) {
            let edge = |row: usize| halved(frame.at_y(HeatMap::row_floor_nanos(row) as f64));
            let (bottom, top) = (edge(row), edge(row + 1));
            let shade = &mut paths[shade_of(f64::from(*count) / column_s, range)];
            let (width, height) = ((right - left).max(0.5), (bottom - top).max(0.5));
            let _ = write!(shade, "M{left:.1} {top:.1}h{width:.1}v{height:.1}h-{width:.1}z");
        }
    }
    paths
}

/// On half a pixel, a whole one of the PNG: neighbours then meet without a seam.
fn halved(place: f64) -> f64 {
    (place * 2.0).round() / 2.0
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and SHADES")]
fn shade_of(density: f64, (low, high): (f64, f64)) -> usize {
    let share = (density / low).ln() / (high / low).ln();
    (share.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize
}

/// The scale of colours, at the upper right.
fn legend(svg: &mut String, (low, high): (f64, f64)) {
    const STEP: f64 = 5.0;
    let right = ALONE.width - 24.0;
    let most = format!("{} a second", rate(high));
    let bar = right - 8.0 * most.len() as f64;
    text(svg, (right, 24.0), "end", MUTED, 12, false, &most);
    for step in 0..SHADES {
        let x = bar - (SHADES - step) as f64 * STEP;
        let _ = writeln!(svg, "<path d=\"M{x:.1} 14h5v10h-5z\" fill=\"{}\"/>", ink::shade(step));
    }
    let fewest = if low < 1.0 { format!("1 in {:.0} s", 1.0 / low) } else { rate(low) };
    text(svg, (bar - SHADES as f64 * STEP - 8.0, 24.0), "end", MUTED, 12, false, &fewest);
}
