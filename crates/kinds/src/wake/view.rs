//! What is shown of tests of waking up.

use drivelab_view::chart::{Axis, Scale, Series, Shape};
use drivelab_view::{Block, Chart, Columns, Quantity, Section, Table, Value, View};

use super::sentences::{compared, power_states, rest_in_words, unknown_power_states, verdict};
use super::{RestFindings, Wake};
use crate::{Comparison, shown};

pub(super) fn view(results: &Comparison<'_, Wake>) -> View {
    let mut head: Vec<Block> = shown::comparison(results, compared).into_iter().collect();
    head.extend(shown::verdicts(results, verdict));
    let mut sections = vec![Section::summary(None, head)];
    let chart = chart(results);
    if !chart.is_empty() {
        let blocks = vec![Block::Chart(chart), Block::Table(table(results))];
        sections.push(Section::summary(Some("Time of the first read"), blocks));
    }
    let states = power_states(results).map(Block::Table);
    let states: Vec<Block> = states.into_iter().chain(unknown_power_states(results)).collect();
    if !states.is_empty() {
        sections.push(Section::summary(Some("Power states that the drive reports"), states));
    }
    shown::view(results, sections)
}

/// Each read over its rest, and the medians.
fn chart(results: &Comparison<'_, Wake>) -> Chart {
    let across = Axis::new("Rest", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("Time of the read", Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("wake-up", "Time of the first read after a rest", vec![across], up);
    "Dots: single reads; line: their medians.".clone_into(&mut chart.about);
    for result in results.iter() {
        let (subject, found) = (result.place, &result.findings);
        let mut reads: Vec<(f64, f64)> =
            found.reads.iter().map(|read| (read.rested_ns as f64, read.time_ns as f64)).collect();
        reads.sort_by(|one, other| one.0.total_cmp(&other.0));
        let medians = found.rests.iter().map(|one| (one.rest_ns as f64, one.median_ns));
        let medians = Series::of_points("Median", subject, Shape::DottedLine, medians);
        chart.series.push(Series::of_points("Read", subject, Shape::SmallDots, reads));
        chart.series.push(medians);
    }
    chart
}

fn table(results: &Comparison<'_, Wake>) -> Table {
    let columns = Columns::<RestFindings>::new()
        .with("Reads", Quantity::Count, |one| one.reads)
        .with("Median", Quantity::Nanoseconds, |one| {
            let ends = one.low_ns.zip(one.high_ns).filter(|(low, high)| low < high);
            Value::new(Quantity::Nanoseconds, one.median_ns).within_known(ends)
        })
        .with("Longest", Quantity::Nanoseconds, |one| one.max_ns);
    results.table(&columns, "rests", "Rest", |found| &found.rests, |one| rest_in_words(one.rest_ns))
}
