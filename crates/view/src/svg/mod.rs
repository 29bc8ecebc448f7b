//! Charts as still pictures.

mod canvas;
mod clock_ticks;
mod frame;
mod heat;
mod landmarks;
mod legend;
mod marks;
mod panels;
mod picture;
mod plane;
mod scale;
mod series;
mod ticks;
mod units;
mod whiskers;
mod words;

use crate::{Chart, FileStart, Subject};

/// What every picture in a file begins with.
const FILE_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Made by drivelab -->\n";

/// What every picture in a file begins with, by which a picture of this program is known; and what else it has in it: nothing.
pub const SVG_MARK: FileStart = FileStart { start: FILE_START.as_bytes(), part: b"" };

/// A chart as a complete SVG picture with its title, axes, legend and notes. It shows the first of several horizontal axes.
/// Up to three subjects share a frame, unless their series have their colours by name; more have one each, on the same axes.
/// Values that are not finite are left out, so that lines have gaps there.
pub fn svg(chart: &Chart, subjects: &[Subject]) -> String {
    picture::draw(chart, subjects)
}
