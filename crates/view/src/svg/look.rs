//! The colour, the mark and the line of every series.

use super::canvas::SvgInk;
use crate::Chart;
use crate::chart::{Colours, Series, Shape};
use crate::palette::{self, Mark};

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    /// Its colour.
    pub ink: SvgInk,
    /// The outline of its dots.
    pub mark: Mark,
    /// The lengths of the dashes of its line and of the gaps between them.
    pub dashes: Option<&'static str>,
}

/// The lines of series of one colour; a dashed line begins with the second one.
const DASHES: [Option<&str>; 5] = [None, Some("10 7"), Some("16 5 4 5"), Some("3 6"), Some("24 6")];

/// The look of a series of a chart.
pub(super) fn look(chart: &Chart, series: &Series) -> Look {
    let dashed = usize::from(series.shape == Shape::DashedLine);
    if chart.colours == Colours::OfNames {
        let hue = rank(chart.series(), series);
        return Look { ink: SvgInk::Hue(hue), mark: palette::mark(hue), dashes: DASHES[dashed] };
    }
    let of_subject = chart.series().filter(|other| other.subject == series.subject);
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
    let mut names: Vec<&str> = Vec::new();
    for name in all.map(|other| other.name.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.iter().position(|name| *name == series.name).unwrap_or(0)
}
