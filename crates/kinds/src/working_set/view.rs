//! What is shown of tests of working sets.

use drivelab_view::chart::{Axis, Plot, Scale, Series, Shape, Size, Ticks};
use drivelab_view::{Block, Cell, Chart, Columns, Quantity, Section, Table, View};

use super::plan::size;
use super::sentences::{compared, verdict};
use super::{PartFindings, WorkingSet};
use crate::ios::LatencyFindings;
use crate::kind::LatencyValue;
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

fn table(results: &Comparison<'_, WorkingSet>) -> Table {
    let times: [(&str, LatencyValue); 5] = [
        ("mean", LatencyFindings::mean_value),
        ("p50", |times| times.percentile_value(times.p50)),
        ("p99", |times| times.percentile_value(times.p99)),
        ("p99.9", |times| times.percentile_value(times.p99_9)),
        ("max", LatencyFindings::max_value),
    ];
    let mut columns = Columns::<PartFindings>::new().with("IOPS", Quantity::Iops, |part| {
        if part.is_judged() { Cell::number(Quantity::Iops, Some(part.iops)) } else { Cell::text("not shown") }
    });
    for (head, of) in times {
        columns = columns.with(head, Quantity::Nanoseconds, move |part| {
            part.service_ns.as_ref().filter(|_| part.is_judged()).map(of)
        });
    }
    let mut table = columns.table("parts", "", "Part");
    for one in results.iter() {
        let parts = one.findings.parts.iter();
        table.rows.extend(parts.map(|part| one.row(size(part.bytes), columns.cells(part))));
    }
    table
}
