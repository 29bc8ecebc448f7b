//! What is shown of tests of working sets.

use drivelab_view::chart::{Axis, Plot, Scale, Series, Shape, Size, Ticks};
use drivelab_view::format::{self, block_size, percent, rate};
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Row, Section, Table, Tone, Verdict, View};

use super::{PartFindings, WorkingSet, WorkingSetFindings};
use crate::{Kept, shown};

/// The view of one result, or of several next to each other.
pub(super) fn view(results: &[Kept<WorkingSet>]) -> View {
    let head = shown::verdicts(results, |subject, kept| {
        let mut verdict = Verdict::on(subject, Tone::Neutral, mark(&kept.findings), sentence(&kept.findings));
        if !kept.settings.fill && !kept.run.drive.simulated {
            let text = "The drive was not filled before (--precondition fill): what was never written, or was trimmed, is read \
                        without its flash.";
            verdict.details.push(text.to_owned());
        }
        verdict
    });
    let mut sections = vec![Section::summary(None, head)];
    let charts = [iops(results), p99(results)].into_iter().filter(|chart| !chart.is_empty());
    let blocks: Vec<Block> = charts.map(Block::Chart).chain([Block::Table(table(results))]).collect();
    if results.iter().any(|kept| !kept.findings.parts.is_empty()) {
        sections.push(Section::summary(Some("Reads by working set"), blocks));
    }
    shown::view(results, sections)
}

fn mark(found: &WorkingSetFindings) -> &'static str {
    match (found.parts.len(), found.fall) {
        (..2, _) => "Not shown",
        (_, Some(_)) => "Falls",
        (_, None) => "No fall",
    }
}

/// The answer in a sentence.
fn sentence(found: &WorkingSetFindings) -> String {
    let (Some(first), Some(last)) = (found.parts.first(), found.parts.last()) else {
        return "Nothing was read: the test ended before its first part was.".to_owned();
    };
    if found.parts.len() == 1 {
        return format!(
            "Random reads run at {} IOPS over {}: how the rate changes with the part that is read was not seen.",
            rate(first.iops),
            size(first.bytes)
        );
    }
    let Some(fall) = found.fall else {
        return format!(
            "Random reads run at {} IOPS over {} and at {} IOPS over {}: the rate does not fall by a tenth as the part that \
             is read grows.",
            rate(first.iops),
            size(first.bytes),
            rate(last.iops),
            size(last.bytes)
        );
    };
    format!(
        "Random reads run at {} IOPS over {}, and fall as the part that is read grows beyond {} (seen at {}): over {} they \
         run at {} IOPS, {} of the highest rate.",
        rate(first.iops),
        size(first.bytes),
        size(fall.after_bytes),
        size(fall.from_bytes),
        size(last.bytes),
        rate(last.iops),
        percent(fall.whole_to_best)
    )
}

/// A size in binary units where it is round in those, as all parts but the whole drive are.
fn size(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) { block_size(bytes as f64) } else { format::bytes(bytes as f64) }
}

fn chart(
    id: &str,
    title: &str,
    up: Axis,
    results: &[Kept<WorkingSet>],
    of: fn(&PartFindings) -> Option<f64>,
) -> Chart {
    let mut parts: Vec<u64> =
        results.iter().flat_map(|kept| &kept.findings.parts).map(|part| part.bytes).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut across = Axis::new("Part that is read", Quantity::BlockSize, Scale::Log);
    across.ticks = Ticks::Named(parts.into_iter().map(|part| (part as f64, size(part))).collect());
    let mut chart = Chart::new(id, title, vec![across], up);
    chart.size = Size::Small;
    for (subject, kept) in results.iter().enumerate() {
        let points = kept.findings.parts.iter().filter_map(|part| Some((part.bytes as f64, of(part)?)));
        chart.plots.push(Plot::Series(Series::of_points("Random reads", subject, Shape::DottedLine, points)));
    }
    chart
}

fn iops(results: &[Kept<WorkingSet>]) -> Chart {
    let up = Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear);
    chart("iops-by-working-set", "Rate by the part that is read", up, results, |part| Some(part.iops))
}

fn p99(results: &[Kept<WorkingSet>]) -> Chart {
    let up = Axis::new("Service time, p99", Quantity::Nanoseconds, Scale::LogOrLinear);
    let p99 = |part: &PartFindings| Some(part.service_ns.as_ref()?.p99 as f64);
    chart("p99-by-working-set", "p99 by the part that is read", up, results, p99)
}

fn table(results: &[Kept<WorkingSet>]) -> Table {
    let time = |head: &str| Column::new(head, Quantity::Nanoseconds);
    let columns = vec![
        Column::new("IOPS", Quantity::Iops),
        time("mean"),
        time("p50"),
        time("p99"),
        time("p99.9"),
        time("max"),
    ];
    let mut table = Table::new("parts", "", "Part", columns);
    for (subject, kept) in results.iter().enumerate() {
        table.rows.extend(kept.findings.parts.iter().map(|part| Row {
            head: size(part.bytes),
            subject: (results.len() > 1).then_some(subject),
            group: None,
            cells: cells(part),
        }));
    }
    table
}

fn cells(part: &PartFindings) -> Vec<Cell> {
    let service = part.service_ns.as_ref();
    let time = |of: f64| Cell::number(Quantity::Nanoseconds, Some(of));
    let times = service.map(|found| {
        [found.mean, found.p50 as f64, found.p99 as f64, found.p99_9 as f64, found.max as f64].map(time)
    });
    let times = times.unwrap_or_default();
    [Cell::number(Quantity::Iops, Some(part.iops))].into_iter().chain(times).collect()
}
