//! Curves of rate and latency against threads.

use drivelab_stats::{Axis, MatrixCell};
use drivelab_view::chart::{self, Colours, Extra, Scale, Series, Shape, Size};
use drivelab_view::{Block, Chart, Fold, Quantity, Section};

use super::cells::ShownCells;
use crate::MeanOverRuns;
use crate::matrix::CellFindings;
use crate::matrix::settings::cell_name;

/// The curves, where there are several numbers of threads: rates, and folded away mean latencies.
pub(super) fn against_threads(cells: &ShownCells<'_>) -> Vec<Section> {
    if cells.threads().len() < 2 {
        return Vec::new();
    }
    let lines = match cells.column_axis() {
        Axis::Threads => Axis::Caching,
        other => other,
    };
    let mut panels: Vec<MatrixCell> =
        cells.all().map(|one| Axis::Threads.rest(&lines.rest(&one.cell))).collect();
    panels.sort_unstable();
    panels.dedup();
    let panel = |cell: &MatrixCell| MatrixPanel { cells, lines, cell: cell.clone() };
    let rates: Vec<Block> = panels.iter().filter_map(|cell| panel(cell).rates()).map(Block::Chart).collect();
    let latencies: Vec<Block> =
        panels.iter().filter_map(|cell| panel(cell).latencies()).map(Block::Chart).collect();
    let intervals = cells.all().any(|one| one.rate.interval.is_some()).then(|| {
        let text = "Vertical lines are 95 % confidence intervals over runs; one that reaches beyond the axis ends in an arrow.";
        Block::Text(text.to_owned())
    });
    let summary = match latencies.len() {
        1 => "The mean latency against threads".to_owned(),
        several => format!("{several} charts of the mean latency"),
    };
    let mut blocks: Vec<Block> = intervals.into_iter().collect();
    blocks.extend(rates);
    let mut sections = vec![Section::full("Rate against threads", blocks)];
    if !latencies.is_empty() {
        let fold = Block::Fold(Fold { summary, blocks: latencies });
        sections.push(Section::full("Mean latency against threads", vec![fold]));
    }
    sections
}

/// A chart of cells that differ in threads and in one more thing, which tells its lines apart.
struct MatrixPanel<'a> {
    cells: &'a ShownCells<'a>,
    lines: Axis,
    /// What the cells have in common.
    cell: MatrixCell,
}

impl MatrixPanel<'_> {
    fn rates(&self) -> Option<Chart> {
        let first = self.cells.all().find(|one| self.holds(one))?;
        let (quantity, scale) = first.unit.quantity();
        let up = chart::Axis::new("Rate", quantity, Scale::Linear);
        let mut chart = self.chart("rate", up, |one| Some((one.rate, scale)))?;
        chart.up.scale = scale_of(&chart);
        Some(chart)
    }

    fn latencies(&self) -> Option<Chart> {
        let up = chart::Axis::new("Mean latency", Quantity::Nanoseconds, Scale::LogOrLinear);
        self.chart("latency", up, |one| Some((one.latency_ns?.mean, 1.0)))
    }

    fn chart(
        &self,
        what: &str,
        up: chart::Axis,
        figure: impl Fn(&CellFindings) -> Option<(MeanOverRuns, f64)>,
    ) -> Option<Chart> {
        let threads = self.cells.threads().into_iter().map(f64::from).collect();
        let across = chart::Axis::new("Threads", Quantity::Count, Scale::Log).marked_at(threads);
        let name = cell_name(&self.cell);
        let mut chart = Chart::new(&format!("{what}-{}", slug(&name)), &name, vec![across], up);
        chart.size = Size::Small;
        chart.about = format!("Lines: the mean {what} of {name} against the number of threads.");
        let lines = self.cells.columns(self.lines);
        if lines.len() > 1 {
            chart.colours = Colours::OfNames;
        }
        for subject in 0..self.cells.0.len() {
            let of_line = |line: &&MatrixCell| self.line(subject, line, &figure);
            chart.series.extend(lines.iter().filter_map(of_line));
        }
        Some(chart).filter(|chart| !chart.is_empty())
    }

    fn line(
        &self,
        subject: usize,
        line: &MatrixCell,
        figure: impl Fn(&CellFindings) -> Option<(MeanOverRuns, f64)>,
    ) -> Option<Series> {
        let own: Vec<(&CellFindings, MeanOverRuns, f64)> = self
            .cells
            .threads()
            .into_iter()
            .filter_map(|threads| {
                let rest = MatrixCell { threads, ..self.cell.clone() };
                let shown = self.cells.at(subject, self.lines, &rest, line)?;
                let (mean, scale) = figure(shown)?;
                Some((shown, mean, scale))
            })
            .collect();
        let points =
            own.iter().map(|(shown, mean, scale)| (f64::from(shown.cell.threads), mean.mean * scale));
        let name = self.lines.value(line);
        let mut series = Series::of_points(name, subject, Shape::DottedLine, points);
        if own.iter().any(|(_, mean, _)| mean.interval.is_some()) {
            series.spread = Some(MeanOverRuns::spread(own.iter().map(|(_, mean, scale)| (*mean, *scale))));
        }
        let percentile = |of: fn(&CellFindings) -> Option<f64>| {
            own.iter().map(|(shown, ..)| of(shown).unwrap_or(f64::NAN)).collect()
        };
        let extra =
            |name: &str, values| Extra { name: name.to_owned(), quantity: Quantity::Nanoseconds, values };
        series.extras = vec![
            extra("p50", percentile(|shown| Some(shown.latency_ns?.p50))),
            extra("p99", percentile(|shown| Some(shown.latency_ns?.p99))),
        ];
        (!own.is_empty()).then_some(series)
    }

    fn holds(&self, one: &CellFindings) -> bool {
        Axis::Threads.rest(&self.lines.rest(&one.cell)) == self.cell
    }
}

/// Rates that lie further apart than this share no linear axis.
const FAR_APART: f64 = 30.0;

/// A logarithmic scale where a linear one would press lines to the floor.
fn scale_of(chart: &Chart) -> Scale {
    let rates = || chart.series.iter().flat_map(|series| series.ys.iter()).filter(|rate| *rate > 0.0);
    let (least, most) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    if most > least * FAR_APART { Scale::LogOrLinear } else { Scale::Linear }
}

/// A name as it stands in links and file names.
fn slug(name: &str) -> String {
    name.replace(", ", "-").replace(' ', "-")
}
