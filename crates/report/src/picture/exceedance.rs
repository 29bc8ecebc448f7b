//! Exceedance curves of all runs in one picture.

use std::fmt::Write as _;

use drivelab_analysis::{Distribution, thinned_tail};

use super::frame::{Frame, Size, close, legend, open, with_legend};
use super::held::HeldAxes;
use super::ink;
use crate::numbers::FEW;
use crate::run::Comparison;

const SIZE: Size = Size { width: 960.0, height: 480.0 };

/// The curves, and under them which is whose.
pub(super) fn picture(comparison: &Comparison, axes: &HeldAxes) -> String {
    let title = format!("{}: exceedance", comparison.title);
    let mut svg = open(with_legend(SIZE, comparison.runs.len()), &title);
    let frame = Frame::within(SIZE, 0.0, axes.exceedance_nanos, axes.exceedance_share);
    let closed = comparison.runs.iter().any(|run| run.measured.response().is_none());
    let dotted = comparison.runs.iter().any(|run| run.measured.response().is_some());
    let mut words =
        "share of I/Os that took at least so long, log scales · hollow: fewer than ten I/Os".to_owned();
    if dotted {
        words.push_str(" · dotted: response time from the schedule");
    }
    if closed {
        words.push_str(" · closed loops under-report stalls");
    }
    frame.draw(&mut svg, &title, &words);
    for (index, run) in comparison.runs.iter().enumerate() {
        curve(&mut svg, &frame, &run.measured.service(), ink::run(index), "");
        if let Some(response) = run.measured.response() {
            curve(&mut svg, &frame, &response, ink::run(index), " stroke-dasharray=\"2 3\"");
        }
    }
    legend(&mut svg, SIZE, comparison.runs.iter().map(|run| run.label.as_str()));
    close(svg)
}

fn curve(svg: &mut String, frame: &Frame, distribution: &Distribution, colour: &str, dash: &str) {
    let count = distribution.moments().count() as f64;
    let points = thinned_tail(distribution);
    let at = |point: &drivelab_analysis::ExceedancePoint| {
        (frame.at_x(point.nanos as f64), frame.at_y(point.at_least as f64 / count))
    };
    let mut path = String::new();
    for point in points.iter().filter(|point| point.at_least >= FEW) {
        let (x, y) = at(point);
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.75\"{dash}/>"
        );
    }
    for point in points.iter().filter(|point| point.at_least < FEW) {
        let (x, y) = at(point);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"1.4\"/>"
        );
    }
}
