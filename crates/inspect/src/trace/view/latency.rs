//! Charts of service times and of response times.

use drivelab_stats::{Distribution, Latency, LogBins, TracedOp, thinned_tail};
use drivelab_view::chart::{Axis, Scale, Series, Shape};
use drivelab_view::format::capitalised;
use drivelab_view::{Block, Quantity};

use super::{add, chart, drawn, times};
use crate::slow::DIRECTIONS;
use crate::trace::AnalysedTrace;

struct DrawnLatency {
    /// Its name, as sentences have it.
    name: &'static str,
    /// What the names of its charts begin with.
    prefix: &'static str,
    of: fn(&TracedOp) -> &Latency,
}

const SERVICE: DrawnLatency = DrawnLatency { name: "service time", prefix: "", of: |op| &op.service };
const RESPONSE: DrawnLatency =
    DrawnLatency { name: "response time", prefix: "response-", of: |op| &op.response };

/// Means of several traces; distributions and latency tails of service times.
pub(super) fn service(shown: &[AnalysedTrace]) -> Vec<Block> {
    let charts = [means(shown), distributions(shown, &SERVICE), tails(shown, &SERVICE)];
    charts.into_iter().flatten().collect()
}

/// Distributions and latency tails of response times; nothing where none is known.
pub(super) fn response(shown: &[AnalysedTrace]) -> Vec<Block> {
    [distributions(shown, &RESPONSE), tails(shown, &RESPONSE)].into_iter().flatten().collect()
}

fn means(shown: &[AnalysedTrace]) -> Option<Block> {
    if shown.len() < 2 {
        return None;
    }
    let mut means = chart(
        shown,
        ("means", "Mean read against mean write"),
        vec![times("Mean read")],
        times("Mean write"),
    );
    for (subject, one) in shown.iter().enumerate() {
        let service = &one.found.service_ns;
        let point =
            service.read.as_ref().zip(service.write.as_ref()).map(|(read, write)| (read.mean, write.mean));
        add(&mut means, Series::of_points("", subject, Shape::Dots, point));
    }
    drawn(means, "Dots: a trace each, by the mean service time of its reads and of its writes.")
}

/// A latency of each direction of each trace, where it is known.
fn known<'a>(
    shown: &'a [AnalysedTrace],
    drawn: &DrawnLatency,
) -> impl Iterator<Item = (usize, &'static str, &'a Distribution)> {
    let latency = drawn.of;
    shown.iter().enumerate().flat_map(move |(subject, one)| {
        let of = move |(op, words)| (subject, words, &latency(one.analysis.op(op)).distribution);
        DIRECTIONS.map(of).into_iter().filter(|(_, _, found)| found.moments().count() > 0)
    })
}

fn distributions(shown: &[AnalysedTrace], latency: &DrawnLatency) -> Option<Block> {
    let up = Axis::new("Share of I/Os", Quantity::Share, Scale::LogOrLinear);
    let (id, title) =
        (format!("{}distribution", latency.prefix), format!("Distribution of {}s", latency.name));
    let mut made = chart(shown, (&id, &title), vec![times(&capitalised(latency.name))], up);
    for (subject, words, found) in known(shown, latency) {
        let bins = LogBins::from_histogram(found.histogram());
        let total = found.moments().count() as f64;
        let xs = bins.edges.iter().take(bins.counts.len()).map(|edge| *edge as f64).collect();
        let ys = bins.counts.iter().map(|count| *count as f64 / total).collect();
        add(&mut made, Series::new(capitalised(words), subject, Shape::Steps, xs, ys));
    }
    made.notes.push("Bins of an eighth of an octave.".to_owned());
    drawn(made, &format!("Steps: the share of reads and writes in each bin of {}s.", latency.name))
}

fn tails(shown: &[AnalysedTrace], latency: &DrawnLatency) -> Option<Block> {
    let up = Axis::new("Share of I/Os at or above", Quantity::Share, Scale::Log);
    let (id, title) =
        (format!("{}tail", latency.prefix), format!("Latency tail (CCDF) of {}s", latency.name));
    let mut made = chart(shown, (&id, &title), vec![times(&capitalised(latency.name))], up);
    for (subject, words, found) in known(shown, latency) {
        let total = found.moments().count() as f64;
        let points =
            thinned_tail(found).into_iter().map(|point| (point.nanos as f64, point.at_least as f64 / total));
        add(&mut made, Series::of_points(capitalised(words), subject, Shape::Line, points));
    }
    drawn(made, "Lines: the share of reads and writes that took so long or longer, down to the last one.")
}
