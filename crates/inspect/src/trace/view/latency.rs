//! Charts of service times.

use drivelab_analysis::{Distribution, LogBins, thinned_tail};
use drivelab_view::chart::{Axis, Scale, Series, Shape};
use drivelab_view::{Block, Quantity};

use super::{Shown, add, capital, chart, drawn, times};
use crate::slow::DIRECTIONS;

/// Means of several traces, distributions, and the latency tail.
pub(super) fn charts(shown: &[Shown<'_>]) -> Vec<Block> {
    [means(shown), distributions(shown), tails(shown)].into_iter().flatten().collect()
}

fn means(shown: &[Shown<'_>]) -> Option<Block> {
    if shown.len() < 2 {
        return None;
    }
    let mut means =
        chart(shown, ("means", "Mean read against mean write"), times("Mean read"), times("Mean write"));
    for (subject, one) in shown.iter().enumerate() {
        let service = &one.found.service_ns;
        let point =
            service.read.as_ref().zip(service.write.as_ref()).map(|(read, write)| (read.mean, write.mean));
        add(&mut means, Series::of_points("", subject, Shape::Dots, point));
    }
    drawn(means, "Dots: a trace each, by the mean service time of its reads and of its writes.")
}

/// The service times of each direction of each trace.
fn known<'a>(shown: &'a [Shown<'a>]) -> impl Iterator<Item = (usize, &'static str, &'a Distribution)> {
    shown.iter().enumerate().flat_map(|(subject, one)| {
        let of = move |(op, words)| (subject, words, &one.report.analysis.op(op).service.distribution);
        DIRECTIONS.map(of).into_iter().filter(|(_, _, found)| found.moments().count() > 0)
    })
}

fn distributions(shown: &[Shown<'_>]) -> Option<Block> {
    let up = Axis::new("Share of I/Os", Quantity::Share, Scale::LogOrLinear);
    let mut made = chart(shown, ("distribution", "Distribution of service times"), times("Service time"), up);
    for (subject, words, found) in known(shown) {
        let bins = LogBins::of(found.histogram());
        let total = found.moments().count() as f64;
        let xs = bins.edges.iter().take(bins.counts.len()).map(|edge| *edge as f64).collect();
        let ys = bins.counts.iter().map(|count| *count as f64 / total).collect();
        add(&mut made, Series::new(capital(words), subject, Shape::Steps, xs, ys));
    }
    made.notes.push("Bins of an eighth of an octave.".to_owned());
    drawn(made, "Steps: the share of reads and writes in each bin of service times.")
}

fn tails(shown: &[Shown<'_>]) -> Option<Block> {
    let up = Axis::new("Share of I/Os at or above", Quantity::Share, Scale::Log);
    let mut made = chart(shown, ("tail", "Latency tail (CCDF)"), times("Service time"), up);
    for (subject, words, found) in known(shown) {
        let total = found.moments().count() as f64;
        let points =
            thinned_tail(found).into_iter().map(|point| (point.nanos as f64, point.at_least as f64 / total));
        add(&mut made, Series::of_points(capital(words), subject, Shape::Line, points));
    }
    drawn(made, "Lines: the share of reads and writes that took so long or longer, down to the last one.")
}
