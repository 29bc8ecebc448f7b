//! Rates as dots.

use std::fmt::Write as _;

use super::axis::Axis;
use super::dots::{path_of_dots, tenth};
use super::frame::{ALONE, Frame, Size, close, open};
use super::ink;
use crate::binned::{Binned, WideBin};
use crate::names::{bins_in_words, judged_part, loop_words};
use crate::run::{Comparison, RunReport};

/// A picture of one run's rates, alone. Where `from_s` is not zero, only what comes after is shown.
pub(super) fn picture(run: &RunReport, index: usize, axes: (Axis, Axis), part: Part) -> String {
    let title = format!("{}: {}", run.label, part.words(run));
    let mut svg = open(ALONE, &title);
    panel(&mut svg, Panel { run, index, top: 0.0, size: ALONE, axes, part }, &title);
    close(svg)
}

/// Which part of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// What the figures are taken from.
    Judged,
}

impl Part {
    fn words(self, run: &RunReport) -> String {
        match self {
            Part::Whole => "the whole run".to_owned(),
            Part::Judged => judged_part(run),
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

/// The widths of dots in pixels: of a second or of a mean, and of the slowest second of a bin.
const DOT: f64 = 3.0;
const SMALL_DOT: f64 = 1.8;

fn panel(svg: &mut String, panel: Panel, title: &str) {
    let Panel { run, index, top, size, axes, part } = panel;
    let frame = Frame::within(size, top, axes.0, axes.1);
    let binned = Binned::of(run);
    let dots = shown(run, &binned, part, axes.0.low);
    frame.draw(svg, title, &words(run, &binned, &dots, axes.1.log));
    let is_zero = |rate: f64| axes.1.log && rate <= 0.0;
    let at = |start_s: f64, rate: f64| (frame.at_x(start_s), frame.at_y(rate));
    let means = dots.iter().filter(|(_, bin)| !is_zero(bin.iops)).map(|(start, bin)| at(*start, bin.iops));
    path_of_dots(svg, means, DOT, ink::run(index));
    if binned.bin_s > 1 {
        let slow = dots.iter().filter(|(_, bin)| !is_zero(bin.slowest));
        path_of_dots(svg, slow.map(|(start, bin)| at(*start, bin.slowest)), SMALL_DOT, ink::run(index));
    }
    let still = dots.iter().filter(|(_, bin)| is_zero(bin.slowest)).map(|(start, _)| at(*start, 0.0));
    marks(svg, still, "m-3 -7h6l-3 6z", ink::run(index));
    let failed = dots.iter().filter(|(_, bin)| bin.failed > 0);
    let failed = failed.map(|(start, _)| (frame.at_x(*start), frame.top + 5.0));
    marks(svg, failed, "m-2.5 -2.5l5 5m0 -5l-5 5", ink::ALERT);
}

/// The bins to draw, each with its start in seconds.
fn shown(run: &RunReport, binned: &Binned, part: Part, low_s: f64) -> Vec<(f64, WideBin)> {
    let first = match part {
        Part::Whole => 0,
        Part::Judged => run.figures.steady_part.from_s.div_ceil(binned.bin_s),
    };
    let starts = (0..).map(|bin: usize| (bin * binned.bin_s) as f64);
    let all = starts.zip(binned.bins.iter().copied()).skip(first);
    all.filter(|(start, _)| *start >= low_s).collect()
}

/// Bin width, count and mode, and what the marks mean that occur.
fn words(run: &RunReport, binned: &Binned, dots: &[(f64, WideBin)], log: bool) -> String {
    let scale = if log { "log scale" } else { "linear scale" };
    let mut words =
        format!("IOPS, {}, {scale} · {}", bins_in_words(binned.bin_s, dots.len()), loop_words(run));
    if binned.bin_s > 1 {
        words.push_str(" · large dots: mean, small dots: slowest second of the bin");
    }
    if log && dots.iter().any(|(_, bin)| bin.slowest <= 0.0) {
        words.push_str(" · hollow marks on the floor: a second without an I/O");
    }
    if dots.iter().any(|(_, bin)| bin.failed > 0) {
        words.push_str(" · crosses at the top: I/Os failed");
    }
    words
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
