//! What is shown of tests of working sets.

use drivelab_view::chart::{Axis, Plot, Scale, Series, Shape, Size, Ticks};
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Section, Table, Value, View};

use super::plan::size;
use super::sentences::{compared, verdict};
use super::{PartFindings, WorkingSet};
use crate::{Comparison, shown};

/// The view of one result, or of several next to each other.
pub(super) fn view(results: &Comparison<'_, WorkingSet>) -> View {
    let mut head: Vec<Block> = shown::comparison(results, compared).into_iter().collect();
    head.extend(shown::verdicts(results, verdict));
    let mut sections = vec![Section::summary(None, head)];
    let charts = [iops(results), p99(results)].into_iter().filter(|chart| !chart.is_empty());
    let blocks: Vec<Block> = charts.map(Block::Chart).chain([Block::Table(table(results))]).collect();
    if results.iter().any(|one| !one.findings.parts.is_empty()) {
        sections.push(Section::summary(Some("Reads by working set"), blocks));
    }
    shown::view(results, sections)
}

fn chart(
    id: &str,
    title: &str,
    up: Axis,
    results: &Comparison<'_, WorkingSet>,
    of: fn(&PartFindings) -> Option<f64>,
) -> Chart {
    let mut parts: Vec<u64> =
        results.iter().flat_map(|one| one.findings.judged()).map(|part| part.bytes).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut across = Axis::new("Part that is read", Quantity::BlockSize, Scale::Log);
    across.ticks = Ticks::Named(parts.into_iter().map(|part| (part as f64, size(part))).collect());
    let mut chart = Chart::new(id, title, vec![across], up);
    chart.size = Size::Small;
    for one in results.iter() {
        let parts = one.findings.judged().into_iter();
        let points = parts.filter_map(|part| Some((part.bytes as f64, of(part)?)));
        chart.plots.push(Plot::Series(Series::of_points(
            "Random reads",
            one.place,
            Shape::DottedLine,
            points,
        )));
    }
    chart
}

fn iops(results: &Comparison<'_, WorkingSet>) -> Chart {
    let up = Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear);
    chart("iops-by-working-set", "Rate by the part that is read", up, results, |part| Some(part.iops))
}

fn p99(results: &Comparison<'_, WorkingSet>) -> Chart {
    let up = Axis::new("Service time, p99", Quantity::Nanoseconds, Scale::LogOrLinear);
    let p99 = |part: &PartFindings| Some(part.service_ns.as_ref()?.p99 as f64);
    chart("p99-by-working-set", "p99 by the part that is read", up, results, p99)
}

/// The rate, and five figures of the service time.
const COLUMNS: usize = 6;

fn table(results: &Comparison<'_, WorkingSet>) -> Table {
    let time = |head: &str| Column::new(head, Quantity::Nanoseconds);
    let columns: [Column; COLUMNS] = [
        Column::new("IOPS", Quantity::Iops),
        time("mean"),
        time("p50"),
        time("p99"),
        time("p99.9"),
        time("max"),
    ];
    let mut table = Table::new("parts", "", "Part", columns.into());
    for one in results.iter() {
        table.rows.extend(one.findings.parts.iter().map(|part| one.row(size(part.bytes), cells(part))));
    }
    table
}

fn cells(part: &PartFindings) -> Vec<Cell> {
    if !part.is_judged() {
        return [Cell::text("not shown")].into_iter().chain(vec![Cell::Nothing; COLUMNS - 1]).collect();
    }
    let service = part.service_ns.as_ref();
    let time =
        |of: f64, is_bound: bool| Cell::Value(Value::new(Quantity::Nanoseconds, of).at_least_where(is_bound));
    let times: Vec<Cell> = service.map_or_else(Vec::new, |found| {
        let percentiles = [found.p50, found.p99, found.p99_9];
        let percentiles = percentiles.map(|of| time(of as f64, found.is_percentile_bound(of)));
        let (mean, max) = (time(found.mean, found.is_bound()), time(found.max as f64, found.is_bound()));
        [mean].into_iter().chain(percentiles).chain([max]).collect()
    });
    let times = if times.is_empty() { vec![Cell::Nothing; COLUMNS - 1] } else { times };
    [Cell::number(Quantity::Iops, Some(part.iops))].into_iter().chain(times).collect()
}
