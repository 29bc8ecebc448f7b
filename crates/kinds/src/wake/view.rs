//! What is shown of tests of waking up.

use drivelab_view::chart::{Axis, Plot, Scale, Series, Shape};
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Row, Section, Table, Value, View};

use super::power_states::{self, in_words as rest};
use super::sentences::{compared, verdict};
use super::{RestFindings, Wake};
use crate::{StoredResult, shown};

/// The view of one result, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Wake>]) -> View {
    let is_complete = |kept: &StoredResult<Wake>| kept.findings.reads.len() as u64 == kept.findings.planned;
    let mut head: Vec<Block> = shown::comparison(results, is_complete, compared).into_iter().collect();
    head.extend(shown::verdicts(results, |subject, kept| verdict(subject, kept, results.len() == 1)));
    let mut sections = vec![Section::summary(None, head)];
    let chart = chart(results);
    if !chart.is_empty() {
        let blocks = vec![Block::Chart(chart), Block::Table(table(results))];
        sections.push(Section::summary(Some("Time of the first read"), blocks));
    }
    let states: Vec<Block> = power_states::table(results)
        .map(Block::Table)
        .into_iter()
        .chain(power_states::unknown(results))
        .collect();
    if !states.is_empty() {
        sections.push(Section::summary(Some("Power states that the drive reports"), states));
    }
    shown::view(results, sections)
}

/// Each read over its rest, and the medians.
fn chart(results: &[StoredResult<Wake>]) -> Chart {
    let across = Axis::new("Rest", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("Time of the read", Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("wake-up", "Time of the first read after a rest", vec![across], up);
    "Dots: single reads; line: their medians.".clone_into(&mut chart.about);
    for (subject, kept) in results.iter().enumerate() {
        let found = &kept.findings;
        let mut reads: Vec<(f64, f64)> =
            found.reads.iter().map(|read| (read.rested_ns as f64, read.time_ns as f64)).collect();
        reads.sort_by(|one, other| one.0.total_cmp(&other.0));
        let medians = found.rests.iter().map(|one| (one.rest_ns as f64, one.median_ns));
        let medians = Series::of_points("Median", subject, Shape::DottedLine, medians);
        chart.plots.push(Plot::Series(Series::of_points("Read", subject, Shape::SmallDots, reads)));
        chart.plots.push(Plot::Series(medians));
    }
    chart
}

fn table(results: &[StoredResult<Wake>]) -> Table {
    let time = |head: &str| Column::new(head, Quantity::Nanoseconds);
    let columns = vec![Column::new("Reads", Quantity::Count), time("Median"), time("Longest")];
    let mut table = Table::new("rests", "", "Rest", columns);
    for (subject, kept) in results.iter().enumerate() {
        table.rows.extend(kept.findings.rests.iter().map(|one| Row {
            head: rest(one.rest_ns),
            subject: (results.len() > 1).then_some(subject),
            group: None,
            cells: cells(one),
        }));
    }
    table
}

fn cells(one: &RestFindings) -> Vec<Cell> {
    let median = Value::new(Quantity::Nanoseconds, one.median_ns);
    let median = match one.low_ns.zip(one.high_ns).filter(|(low, high)| low < high) {
        Some((low, high)) => median.within(low, high),
        None => median,
    };
    vec![
        Cell::count(Quantity::Count, Some(one.reads)),
        median.into(),
        Cell::count(Quantity::Nanoseconds, Some(one.max_ns)),
    ]
}
