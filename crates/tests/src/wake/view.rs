//! What is shown of tests of waking up.

use drivelab_view::chart::{Axis, Plot, Scale, Series, Shape};
use drivelab_view::format::nanos;
use drivelab_view::{Block, Cell, Chart, Column, Quantity, Row, Section, Table, Tone, Value, Verdict, View};

use super::findings::{STEP_FACTOR, STEP_LEAST_NS, StepFindings, WakeFindings};
use super::power_states::{self, in_words as rest};
use super::{RestFindings, Wake};
use crate::{Kept, shown};

/// Where no drive reports power states, as SATA drives and files do not.
const NO_STATES: &str = "No power states are reported here: only NVMe drives report theirs.";

/// The view of one result, or of several next to each other.
pub(super) fn view(results: &[Kept<Wake>]) -> View {
    let head = shown::verdicts(results, |subject, kept| {
        Verdict::on(subject, Tone::Neutral, mark(&kept.findings), sentence(&kept.findings))
    });
    let mut sections = vec![Section::summary(None, head)];
    let chart = chart(results);
    if !chart.is_empty() {
        let blocks = vec![Block::Chart(chart), Block::Table(table(results))];
        sections.push(Section::summary(Some("Time of the first read"), blocks));
    }
    let states = power_states::table(results).map_or_else(|| Block::Text(NO_STATES.to_owned()), Block::Table);
    sections.push(Section::summary(Some("Power states that the drive reports"), vec![states]));
    shown::view(results, sections)
}

fn mark(found: &WakeFindings) -> &'static str {
    match (found.rests.len() < 2, found.steps.len()) {
        (true, _) => "Not shown",
        (false, 0) if !found.is_even() => "Not shown",
        (false, 0) => "No step",
        (false, 1) => "One step",
        (false, _) => "Several steps",
    }
}

/// The answer in a sentence.
fn sentence(found: &WakeFindings) -> String {
    let Some((shortest, longest)) = found.ends() else {
        return "Nothing was read: the test ended before its first read.".to_owned();
    };
    if found.rests.len() == 1 {
        return format!(
            "A read takes {} after a rest of {}: whether rests lengthen it is shown by rests of several lengths.",
            nanos(shortest.median_ns),
            rest(shortest.rest_ns)
        );
    }
    let times = format!(
        "A read takes {} after a rest of {} and {} after one of {}",
        nanos(shortest.median_ns),
        rest(shortest.rest_ns),
        nanos(longest.median_ns),
        rest(longest.rest_ns)
    );
    if found.rests.iter().any(|one| one.low_ns.is_none()) {
        return format!("{times}; whether rests lengthen it is not shown by fewer than six reads each.");
    }
    if found.steps.is_empty() && found.is_even() {
        return format!("{times}: no rest lengthens it by a fifth or more.");
    }
    if found.steps.is_empty() {
        return format!(
            "{times}; that rests lengthen it is not shown, since reads after the same rest differ as much."
        );
    }
    let step = |step: &StepFindings| {
        let (after, from) = (rest(step.after_ns), rest(step.from_ns));
        let states = power_states::behind(step, &found.power_states);
        format!("by {} somewhere between rests of {after} and {from}{states}", nanos(step.longer_ns))
    };
    let steps: Vec<String> = found.steps.iter().map(step).collect();
    format!("{times}. It gets longer {}.", steps.join(", "))
}

/// Each read over its rest, and the medians.
fn chart(results: &[Kept<Wake>]) -> Chart {
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

fn table(results: &[Kept<Wake>]) -> Table {
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
    table.notes.push(format!(
        "A step is claimed where the 95 % confidence intervals of two neighbouring medians lie apart, and the longer one is \
         {STEP_FACTOR} times the other or more, and {} longer.",
        nanos(STEP_LEAST_NS)
    ));
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
