//! Rates as dots.

use std::fmt::Write as _;

use super::axis::Axis;
use super::frame::{ALONE, Frame, Size, close, open};
use super::ink;
use crate::binned::Binned;
use crate::names::{bins_in_words, loop_words};
use crate::run::{Comparison, RunReport};

/// A picture of one run's rates, alone. Where `from_s` is not zero, only what comes after is shown.
pub(super) fn picture(run: &RunReport, index: usize, axes: (Axis, Axis), part: Part) -> String {
    let title = format!("{}: {}", run.label, part.words());
    let mut svg = open(ALONE, &title);
    panel(&mut svg, Panel { run, index, top: 0.0, size: ALONE, axes, part }, &title);
    close(svg)
}

/// Which part of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Steady,
}

impl Part {
    fn words(self) -> &'static str {
        match self {
            Part::Whole => "the whole run",
            Part::Steady => "the steady part",
        }
    }
}

/// The size of a panel among others.
const AMONG: Size = Size { width: 960.0, height: 260.0 };

/// Every run's whole course in panels one under another, on the same axes.
pub(crate) fn small_multiples(comparison: &Comparison, axes: (Axis, Axis)) -> String {
    let size = Size { height: AMONG.height * comparison.runs.len() as f64, ..AMONG };
    let mut svg = open(size, &comparison.title);
    for (index, run) in comparison.runs.iter().enumerate() {
        let top = index as f64 * AMONG.height;
        panel(&mut svg, Panel { run, index, top, size: AMONG, axes, part: Part::Whole }, &run.label);
    }
    close(svg)
}

#[derive(Clone, Copy)]
struct Panel<'a, 'b> {
    run: &'a RunReport<'b>,
    index: usize,
    top: f64,
    size: Size,
    axes: (Axis, Axis),
    part: Part,
}

fn panel(svg: &mut String, panel: Panel, title: &str) {
    let Panel { run, index, top, size, axes, part } = panel;
    let frame = Frame::within(size, top, axes.0, axes.1);
    let binned = Binned::of(run);
    let first = match part {
        Part::Whole => 0,
        Part::Steady => run.figures.steady_part.from_s.div_ceil(binned.bin_s),
    };
    let start = |bin: usize| (bin * binned.bin_s) as f64;
    let shown: Vec<usize> = (first..binned.bins.len()).filter(|bin| start(*bin) >= axes.0.low).collect();
    let scale = if axes.1.log { "log scale" } else { "linear scale" };
    let mut words =
        format!("IOPS, {}, {scale} · {}", bins_in_words(binned.bin_s, shown.len()), loop_words(run));
    let is_zero = |bin: &usize| axes.1.log && binned.bins[*bin].iops <= 0.0;
    let failed = |bin: &usize| binned.bins[*bin].failed > 0;
    if shown.iter().any(is_zero) {
        words.push_str(" · hollow marks on the floor: no I/O in that second");
    }
    if shown.iter().any(failed) {
        words.push_str(" · crosses at the top: I/Os failed");
    }
    frame.draw(svg, title, &words);
    let at = |bin: &usize| (frame.at_x(start(*bin)), frame.at_y(binned.bins[*bin].iops));
    dots(svg, shown.iter().filter(|bin| !is_zero(bin)).map(at), ink::run(index));
    marks(svg, shown.iter().filter(|bin| is_zero(bin)).map(at), "m-3 -7h6l-3 6z", ink::run(index));
    let top_of = |bin: &usize| (frame.at_x(start(*bin)), frame.top + 5.0);
    marks(svg, shown.iter().filter(|bin| failed(bin)).map(top_of), "m-2.5 -2.5l5 5m0 -5l-5 5", ink::ALERT);
}

/// Dots as one path of points with round ends, which is the shortest way to write thousands.
fn dots(svg: &mut String, places: impl Iterator<Item = (f64, f64)>, colour: &str) {
    let mut path = String::new();
    for (x, y) in places {
        let _ = write!(path, "M{} {}h0", tenth(x), tenth(y));
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\".8\" stroke-width=\"3\" stroke-linecap=\"round\"/>"
        );
    }
}

fn marks(svg: &mut String, places: impl Iterator<Item = (f64, f64)>, shape: &str, colour: &str) {
    let mut path = String::new();
    for (x, y) in places {
        let _ = write!(path, "M{} {}{shape}", tenth(x), tenth(y));
    }
    if !path.is_empty() {
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\"/>");
    }
}

/// A coordinate with one decimal, and without it where that is zero.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}
