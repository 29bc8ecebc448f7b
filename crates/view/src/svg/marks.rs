//! The colour, the mark and the line of every series: outlines of marks as parts of paths, thickness and opacity.

use std::fmt::Write as _;

use super::canvas::{Coordinate, SvgCanvas, SvgInk};
use crate::Chart;
use crate::chart::{Colours, Series, Shape};
use crate::format::each_once;
use crate::palette::{self, Mark};

/// The width of the line of a series in pixels.
pub(super) const LINE_WIDTH: f64 = 2.6;
pub(super) const RING_RADIUS: f64 = 9.0;
/// How opaque a band is.
pub(super) const BAND: &str = "opacity=\"0.2\"";
/// How opaque a bar is: bars of several series lie over each other.
pub(super) const BAR: &str = "opacity=\"0.6\"";
/// How far hollow marks are apart at least, in pixels.
const HOLLOW_GAP: f64 = 14.0;
/// From one cross to the next, in pixels.
const CROSS_GAP: f64 = 14.0;

/// A path of marks of one outline and size.
pub(super) struct MarkPath {
    mark: Mark,
    radius: f64,
    path: String,
}

impl MarkPath {
    pub fn new(mark: Mark, radius: f64) -> MarkPath {
        MarkPath { mark, radius, path: String::new() }
    }

    pub fn add(&mut self, (x, y): (f64, f64)) {
        let _ = write!(self.path, "M{} {}{}", Coordinate(x), Coordinate(y), outline(self.mark, self.radius));
    }

    pub fn fill(self, canvas: &mut SvgCanvas, ink: SvgInk, more: &str) {
        match self.mark {
            // A point with round ends is the shortest way to write a disc.
            Mark::Disc => {
                let more =
                    format!("stroke-linecap=\"round\"{}{more}", if more.is_empty() { "" } else { " " });
                canvas.stroke(&self.path, ink, self.radius * 2.0, &more);
            }
            _ => canvas.fill(&self.path, ink, more),
        }
    }
}

/// The outline of a mark around the current point of a path.
fn outline(mark: Mark, radius: f64) -> String {
    let (r, s) = (radius * 1.15, radius * 0.9);
    let at = Coordinate;
    let (double, side) = (at(2.0 * r), at(2.0 * s));
    match mark {
        Mark::Disc => "h0".to_owned(),
        Mark::Square => format!("m-{0} -{0}h{side}v{side}h-{side}z", at(s)),
        Mark::Triangle => format!("m-{0} {1}h{double}l-{0} -{double}z", at(r), at(s)),
        Mark::Inverted => format!("m-{0} -{1}h{double}l-{0} {double}z", at(r), at(s)),
        Mark::Diamond => {
            let r = at(radius * 1.3);
            format!("m-{r} 0l{r} -{r} {r} {r} -{r} {r}z")
        }
        Mark::Cross => {
            let (arm, thick) = (at(r * 0.8), at(r * 0.8));
            let half = at(r * 0.4);
            format!(
                "m-{half} -{0}h{thick}v{arm}h{arm}v{thick}h-{arm}v{arm}h-{thick}v-{arm}h-{arm}v-{thick}h{arm}z",
                at(r * 1.2)
            )
        }
        Mark::Hourglass => format!("m-{0} -{0}h{double}l-{double} {double}h{double}z", at(r)),
    }
}

pub(super) fn rings(
    canvas: &mut SvgCanvas,
    places: impl Iterator<Item = (f64, f64)>,
    radius: f64,
    look: Look,
) {
    let mut path = String::new();
    let (r, double) = (Coordinate(radius), Coordinate(radius * 2.0));
    for (x, y) in places {
        let (x, y) = (Coordinate(x - radius), Coordinate(y));
        let _ = write!(path, "M{x} {y}a{r} {r} 0 1 0 {double} 0a{r} {r} 0 1 0 -{double} 0");
    }
    canvas.stroke(&path, look.ink, 2.2, "");
}

/// Crosses at places, which run along one edge. Those that would run together are thinned until each can be seen.
pub(super) fn crosses(canvas: &mut SvgCanvas, places: impl Iterator<Item = (f64, f64)>, look: Look) {
    let mut path = String::new();
    let mut last = f64::NEG_INFINITY;
    for (x, y) in places {
        if (x - last).abs() < CROSS_GAP {
            continue;
        }
        last = x;
        let _ = write!(path, "M{} {}m-5 -5l10 10m0 -10l-10 10", Coordinate(x), Coordinate(y));
    }
    canvas.stroke(&path, look.ink, 2.2, "");
}

/// Hollow marks that stand on places: values for which a logarithmic axis has none. Of those that would lie over each other,
/// which run along one edge, only so many are drawn that each can be seen.
pub(super) fn hollow(canvas: &mut SvgCanvas, places: impl Iterator<Item = (f64, f64)>, ink: SvgInk) {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for (x, y) in places {
        if last
            .is_some_and(|(before, level)| (x - before).abs() < HOLLOW_GAP && (y - level).abs() < HOLLOW_GAP)
        {
            continue;
        }
        last = Some((x, y));
        let _ = write!(path, "M{} {}m-6 -11h12l-6 11z", Coordinate(x), Coordinate(y));
    }
    canvas.stroke(&path, ink, 1.6, "");
}

/// The head of an arrow whose tip lies at a place.
pub(super) fn arrow(path: &mut String, (x, y): (f64, f64), is_up: bool) {
    let sign = if is_up { "" } else { "-" };
    let _ = write!(path, "M{} {}l-6 {sign}11h12z", Coordinate(x), Coordinate(y));
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub ink: SvgInk,
    pub mark: Mark,
    /// The lengths of the dashes of its line and of the gaps between them.
    pub dashes: Option<&'static str>,
}

/// The lines of series of one colour; a dashed line begins with the second one.
const DASHES: [Option<&str>; 5] = [None, Some("10 7"), Some("16 5 4 5"), Some("3 6"), Some("24 6")];

pub(super) fn look(chart: &Chart, series: &Series) -> Look {
    let dashed = usize::from(series.shape == Shape::DashedLine);
    if chart.colours == Colours::OfNames {
        let hue = rank(chart.series.iter(), series);
        return Look { ink: SvgInk::Hue(hue), mark: palette::mark(hue), dashes: DASHES[dashed] };
    }
    let of_subject = chart.series.iter().filter(|other| other.subject == series.subject);
    let rank = rank(of_subject.filter(|other| other.shape == series.shape), series);
    // Dashes of the second kind would look like those of a dashed line.
    let dashes = DASHES[if rank == 0 { dashed } else { (rank + 1 + dashed) % DASHES.len() }];
    Look {
        ink: SvgInk::Hue(series.subject),
        mark: palette::mark(series.subject.saturating_add(rank)),
        dashes,
    }
}

/// The place of a series's name among the different names of some series.
fn rank<'a>(all: impl Iterator<Item = &'a Series>, series: &Series) -> usize {
    let names = each_once(all.map(|other| other.name.as_str()));
    names.iter().position(|name| *name == series.name).unwrap_or(0)
}
