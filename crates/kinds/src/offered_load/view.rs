//! What is shown of tests at offered loads.

use drivelab_stats::FEW_BEYOND;
use drivelab_view::chart::{Axis, Landmark, Plot, Scale, Series, Shape};
use drivelab_view::format::nanos;
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Section, Table, Value, View};

use super::comparison::compared;
use super::sentences::verdict;
use super::{LoadOption, OfferedFindings, OfferedLoad, Schedule};
use crate::ios::LatencyFindings;
use crate::{ComparedResult, Comparison, shown};

/// The view of one result, or of several next to each other.
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

/// A percentile, by its name.
type Percentile = (&'static str, Shape, fn(&LatencyFindings) -> u64);

const PERCENTILES: [Percentile; 3] = [
    ("p50", Shape::DashedLine, |times| times.p50),
    ("p99", Shape::DottedLine, |times| times.p99),
    ("p99.9", Shape::Line, |times| times.p99_9),
];

fn chart(results: &Comparison<'_, OfferedLoad>) -> Chart {
    let across = Axis::new("Offered load", Quantity::Iops, Scale::Linear);
    let up = Axis::new("Response time", Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("response-by-load", "Response time by offered load", vec![across], up);
    for result in results.iter() {
        let offered = || result.findings.loads.iter().filter(|one| one.schedule.is_of_drive());
        for (name, shape, of) in PERCENTILES {
            let point =
                |one: &OfferedFindings| Some((one.offered_iops, of(one.response_ns.as_ref()?) as f64));
            let points = offered().filter_map(point);
            chart.plots.push(Plot::Series(Series::of_points(name, result.place, shape, points)));
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
    let time = |head: &str| Column::new(head, Quantity::Nanoseconds);
    let columns = vec![
        Column::new("Of the peak", Quantity::Share),
        Column::new("Offered", Quantity::Iops),
        Column::new("Answered", Quantity::Iops),
        time("mean"),
        time("p50"),
        time("p99"),
        time("p99.9"),
        time("p99.99"),
        time("max"),
        Column::new("Schedule", Quantity::Number),
    ];
    // A load that was asked for as a share needs no column of shares.
    let loads = || results.iter().flat_map(|one| &one.findings.loads);
    let has_rates = loads().any(|one| matches!(one.asked, LoadOption::Iops(_)));
    let mut table = Table::new("loads", "", "Load", columns);
    for result in results.iter() {
        let loads = result.findings.loads.iter();
        table.rows.extend(loads.map(|one| result.row(one.asked.to_string(), cells(one, has_rates))));
    }
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

/// Figures of the response time in a row.
const TIMES: usize = 6;

fn cells(one: &OfferedFindings, has_rates: bool) -> Vec<Cell> {
    let rate = |rate: f64| Cell::number(Quantity::Iops, Some(rate));
    // I/Os of an overloaded drive that were never sent would have waited longer than all others.
    let is_least = one.schedule.is_full();
    let time =
        |of: f64, is_bound: bool| Value::new(Quantity::Nanoseconds, of).at_least_where(is_least || is_bound);
    // A percentile is marked by how many I/Os lie beyond it.
    let beyond = |q: f64, of: u64, is_bound: bool| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
        let count = one.answered.map(|answered| (answered as f64 * (1.0 - q) + 1e-6) as u64);
        Value { few: count.filter(|count| *count < FEW_BEYOND), ..time(of as f64, is_bound) }.into()
    };
    let times: Vec<Cell> = one.response_ns.as_ref().map_or_else(Vec::new, |found| {
        let percentiles = [(0.5, found.p50), (0.99, found.p99), (0.999, found.p99_9), (0.9999, found.p99_99)];
        let percentiles = percentiles.into_iter().map(|(q, of)| beyond(q, of, found.is_percentile_bound(of)));
        [time(found.mean, found.is_bound()).into()]
            .into_iter()
            .chain(percentiles)
            .chain([time(found.max as f64, found.is_bound()).into()])
            .collect()
    });
    let times = if times.is_empty() { vec![Cell::Nothing; TIMES] } else { times };
    let schedule = match one.schedule {
        Schedule::Kept => Cell::Nothing,
        Schedule::Overloaded => Cell::text("overloaded"),
        Schedule::MachineLate => Cell::text("machine late"),
        Schedule::Unclear => Cell::text("overloaded, drive or machine"),
    };
    let share = Cell::number(Quantity::Share, has_rates.then_some(one.percent / 100.0));
    [share, rate(one.offered_iops), rate(one.answered_iops)]
        .into_iter()
        .chain(times)
        .chain([schedule])
        .collect()
}
