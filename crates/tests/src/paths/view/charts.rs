//! The rate of every path, and the time that it takes for a file, by the length of files.

use drivelab_view::chart::{Axis, Colours, Plot, Scale, Series, Shape, Size};
use drivelab_view::{Block, Chart, Quantity};

use super::super::{PathCell, Paths};
use super::{lengths, paths};
use crate::Kept;
use crate::MeanOverRuns;

/// Both charts, with a frame for each result.
pub fn both(results: &[Kept<Paths>]) -> Vec<Block> {
    let rate = Axis::new("Rate", Quantity::BytesPerSecond, Scale::Linear);
    let time = Axis::new("Time for each file", Quantity::Nanoseconds, Scale::Log);
    let rates =
        chart(results, ("rate-by-file-size", "Rate by file size"), rate, (|cell| cell.rate_mb_s, 1e6));
    let title = ("time-by-file-size", "Time for each file by file size");
    let times = chart(results, title, time, (|cell| cell.file_time_ns, 1.0));
    vec![Block::Chart(rates), Block::Chart(times)]
}

fn chart(
    results: &[Kept<Paths>],
    (id, title): (&str, &str),
    up: Axis,
    (of, unit): (fn(&PathCell) -> MeanOverRuns, f64),
) -> Chart {
    let marks = lengths(results).into_iter().map(|length| length as f64).collect();
    let across = Axis::new("Length of a file", Quantity::Bytes, Scale::Log).marked_at(marks);
    let mut chart = Chart::new(id, title, vec![across], up);
    (chart.colours, chart.size) = (Colours::OfNames, Size::Small);
    for (subject, kept) in results.iter().enumerate() {
        for path in paths(results) {
            let cells: Vec<&PathCell> = kept.findings.cells.iter().filter(|cell| cell.path == path).collect();
            if cells.is_empty() {
                continue;
            }
            let points = cells.iter().map(|cell| (cell.file_bytes as f64, of(cell).mean * unit));
            let mut series = Series::of_points(path.word(), subject, Shape::DottedLine, points);
            series.spread = Some(MeanOverRuns::spread(cells.iter().map(|cell| (of(cell), unit))));
            chart.plots.push(Plot::Series(series));
        }
    }
    chart.notes.push("Bars: 95 % intervals over runs.".to_owned());
    chart
}
