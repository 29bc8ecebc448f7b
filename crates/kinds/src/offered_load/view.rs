//! What is shown of tests at offered loads.

use drivelab_stats::FEW_BEYOND;
use drivelab_view::chart::{Axis, Landmark, Scale, Series, Shape};
use drivelab_view::format::nanos;
use drivelab_view::{Block, Cell, Chart, Columns, Quantity, Section, Table, Value, View};

use super::sentences::{compared, verdict};
use super::{LoadOption, OfferedFindings, OfferedLoad, Schedule};
use crate::ios::LatencyFindings;
use crate::kind::LatencyValue;
use crate::whole::whole_part;
use crate::{ComparedResult, Comparison, shown};

pub(super) fn view(results: &Comparison<'_, OfferedLoad>) -> View {
    let mut head: Vec<Block> = shown::comparison(results, compared).into_iter().collect();
    head.extend(shown::verdicts(results, verdict));
    let mut sections = vec![Section::summary(None, head)];
    if results.iter().any(|one| !one.findings.loads.is_empty()) {
        let blocks = vec![Block::Chart(chart(results)), Block::Table(table(results))];
        sections.push(Section::summary(Some("Response time by load"), blocks));
    }
    shown::view(results, sections)
}

fn chart(results: &Comparison<'_, OfferedLoad>) -> Chart {
    let across = Axis::new("Offered load", Quantity::Iops, Scale::Linear);
    let up = Axis::new("Response time", Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("response-by-load", "Response time by offered load", vec![across], up);
    for result in results.iter() {
        let offered = || result.findings.loads.iter().filter(|one| one.schedule.is_of_drive());
        for (name, _, of, shape) in PERCENTILES {
            let Some(shape) = shape else { continue };
            let point =
                |one: &OfferedFindings| Some((one.offered_iops, of(one.response_ns.as_ref()?).number));
            let points = offered().filter_map(point);
            chart.series.push(Series::of_points(name, result.place, shape, points));
        }
    }
    chart.landmarks.extend(results.iter().filter_map(within));
    chart.notes.push(
        "I/Os arrive at random (Poisson); the response time counts from when an I/O is due.".to_owned(),
    );
    chart
}

/// The highest load whose p99 is within the limit.
fn within(one: &ComparedResult<'_, OfferedLoad>) -> Option<Landmark> {
    let label = format!("p99 within {}", nanos(one.settings.limit_ns? as f64));
    Some(Landmark { label, subject: Some(one.place), at: vec![one.findings.within_limit_iops?] })
}

fn table(results: &Comparison<'_, OfferedLoad>) -> Table {
    // A load that was asked for as a share needs no column of shares.
    let loads = || results.iter().flat_map(|one| &one.findings.loads);
    let has_rates = loads().any(|one| matches!(one.asked, LoadOption::Iops(_)));
    // I/Os of an overloaded drive that were never sent would have waited longer than all others.
    let time = |one: &OfferedFindings, of: LatencyValue| {
        Some(of(one.response_ns.as_ref()?).at_least_where(one.schedule.is_full()))
    };
    let mut columns = Columns::<OfferedFindings>::new()
        .with("Of the peak", Quantity::Share, |one| has_rates.then_some(one.percent / 100.0))
        .with("Offered", Quantity::Iops, |one| one.offered_iops)
        .with("Answered", Quantity::Iops, |one| one.answered_iops)
        .with("mean", Quantity::Nanoseconds, |one| time(one, LatencyFindings::mean_value));
    for (head, q, of, _) in PERCENTILES {
        // A percentile is marked by how many I/Os lie beyond it.
        columns = columns.with(head, Quantity::Nanoseconds, move |one| {
            let count = one.answered.map(|answered| whole_part(answered as f64 * (1.0 - q) + 1e-6));
            Some(Value { few: count.filter(|count| *count < FEW_BEYOND), ..time(one, of)? })
        });
    }
    let columns = columns
        .with("max", Quantity::Nanoseconds, |one| time(one, LatencyFindings::max_value))
        .words("Schedule", |one| match one.schedule {
            Schedule::Kept => Cell::Nothing,
            Schedule::Overloaded => Cell::text("overloaded"),
            Schedule::MachineLate => Cell::text("machine late"),
            Schedule::Unclear => Cell::text("overloaded, drive or machine"),
        });
    let mut table =
        results.table(&columns, "loads", "Load", |found| &found.loads, |one| one.asked.to_string());
    table.leave_out_empty_columns();
    if loads().any(|one| one.schedule.is_full()) {
        let text = "Overloaded: more than 1 % of the I/Os found all slots of the queue taken. Their response times count from \
                    when they were due, and those that were never sent would have waited longer still.";
        table.notes.push(text.to_owned());
    }
    if loads().any(|one| one.schedule == Schedule::MachineLate) {
        let text = "Machine late: I/Os were sent late although there were slots; the times say nothing of the drive. Nor do \
                    those of an overload above such a load, which may be the machine's.";
        table.notes.push(text.to_owned());
    }
    table.notes.push("Percentages are of the peak, which is measured in a closed loop first.".to_owned());
    table
}

/// The percentiles: the share of I/Os below each, its value, and how its points are drawn; none where the table alone has it.
const PERCENTILES: [(&str, f64, LatencyValue, Option<Shape>); 4] = [
    ("p50", 0.5, |times| times.percentile_value(times.p50), Some(Shape::DashedLine)),
    ("p99", 0.99, |times| times.percentile_value(times.p99), Some(Shape::DottedLine)),
    ("p99.9", 0.999, |times| times.percentile_value(times.p99_9), Some(Shape::Line)),
    ("p99.99", 0.9999, |times| times.percentile_value(times.p99_99), None),
];
