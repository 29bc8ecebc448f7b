//! The rate of every path, and the time that it takes for a file, by the length of files.

use drivelab_view::chart::{Axis, Colours, Plot, Scale, Series, Shape, Size};
use drivelab_view::{Block, Chart, Quantity};

use super::super::{DataPath, PathCell, Paths, ProcessorShares};
use super::{lengths, paths};
use crate::Comparison;
use crate::MeanOverRuns;

/// Both charts, with a frame for each result.
pub fn both(results: &Comparison<'_, Paths>) -> Vec<Block> {
    let rate = Axis::new("Rate", Quantity::BytesPerSecond, Scale::Linear);
    let time = Axis::new("Time for each file", Quantity::Nanoseconds, Scale::Log);
    let rates =
        chart(results, ("rate-by-file-size", "Rate by file size"), rate, (|cell| cell.rate_mb_s, 1e6));
    let title = ("time-by-file-size", "Time for each file by file size");
    let times = chart(results, title, time, (|cell| cell.file_time_ns, 1.0));
    vec![Block::Chart(rates), Block::Chart(times)]
}

/// What the processors did while files were written by each path; nothing where that is not known, as on a simulated drive.
pub fn processors(results: &Comparison<'_, Paths>) -> Option<Vec<Block>> {
    let share = |label| Axis::new(label, Quantity::Share, Scale::Linear);
    let title = ("processors-by-file-size", "Processors busy by file size");
    let busy = shares(results, title, share("Processors busy"), ProcessorShares::busy);
    let title = ("io-wait-by-file-size", "Processors idle in I/O wait by file size");
    let iowait = shares(results, title, share("I/O wait"), |shares| shares.iowait);
    (!busy.is_empty()).then(|| vec![Block::Chart(busy), Block::Chart(iowait)])
}

/// A share of the processors' time while each cell was written.
fn shares(
    results: &Comparison<'_, Paths>,
    titles: (&str, &str),
    up: Axis,
    of: fn(&ProcessorShares) -> f64,
) -> Chart {
    let mut chart = frame(results, titles, up);
    for (subject, path, cells) in cells(results) {
        let during = cells.iter().filter_map(|cell| Some((cell, cell.processors.as_ref()?.during)));
        let points = during.map(|(cell, shares)| (cell.file_bytes as f64, of(&shares)));
        let series = Series::of_points(path.word(), subject, Shape::DottedLine, points);
        if !series.ys.is_empty() {
            chart.plots.push(Plot::Series(series));
        }
    }
    chart
        .notes
        .push("Shares of the time of all processors of the machine while files were written.".to_owned());
    chart
}

fn chart(
    results: &Comparison<'_, Paths>,
    (id, title): (&str, &str),
    up: Axis,
    (of, unit): (fn(&PathCell) -> MeanOverRuns, f64),
) -> Chart {
    let mut chart = frame(results, (id, title), up);
    for (subject, path, cells) in cells(results) {
        let points = cells.iter().map(|cell| (cell.file_bytes as f64, of(cell).mean * unit));
        let mut series = Series::of_points(path.word(), subject, Shape::DottedLine, points);
        series.spread = Some(MeanOverRuns::spread(cells.iter().map(|cell| (of(cell), unit))));
        chart.plots.push(Plot::Series(series));
    }
    chart.notes.push("Bars: 95 % intervals over runs.".to_owned());
    chart
}

/// A chart over the lengths of files without anything in it.
fn frame(results: &Comparison<'_, Paths>, (id, title): (&str, &str), up: Axis) -> Chart {
    let marks = lengths(results).into_iter().map(|length| length as f64).collect();
    let across = Axis::new("Length of a file", Quantity::Bytes, Scale::Log).marked_at(marks);
    let mut chart = Chart::new(id, title, vec![across], up);
    (chart.colours, chart.size) = (Colours::OfNames, Size::Small);
    chart
}

/// The cells of each path of each result, with the place of the result.
fn cells<'a>(results: &'a Comparison<'_, Paths>) -> Vec<(usize, DataPath, Vec<&'a PathCell>)> {
    let of_path = |path: DataPath| {
        results.iter().map(move |one| {
            (one.place, path, one.findings.cells.iter().filter(|cell| cell.path == path).collect::<Vec<_>>())
        })
    };
    let mut found: Vec<_> = paths(results).into_iter().flat_map(of_path).collect();
    found.retain(|(_, _, cells)| !cells.is_empty());
    found.sort_by_key(|(subject, ..)| *subject);
    found
}
