//! Charts as still pictures.

mod canvas;
mod clock_ticks;
mod frame;
mod heat;
mod landmarks;
mod legend;
mod look;
mod marks;
mod panels;
mod picture;
mod plane;
mod scale;
mod series;
mod style;
mod thin;
mod ticks;
mod units;
mod whiskers;
mod words;

pub use style::{Ground, SvgStyle};

use crate::{Chart, Subject};

/// A chart as a complete SVG picture with its title, axes, legend and notes. It shows the first of several horizontal axes.
/// Up to three subjects share a frame, unless their series have their colours by name; more have one each, on the same axes.
/// Values that are not finite are left out, so that lines have gaps there.
pub fn svg(chart: &Chart, subjects: &[Subject], style: SvgStyle) -> String {
    picture::draw(chart, subjects, style)
}
