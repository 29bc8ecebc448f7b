//! What is shown of fills.

use std::collections::BTreeSet;

use drivelab_view::chart::{Axis, Colours, Data, Landmark, Scale, Series, Shape, Ticks};
use drivelab_view::format::{count, long_time, things};
use drivelab_view::{Better, Block, Chart, Columns, Quantity, Section, Value, View};

use super::sentences::{compared as fast_until, verdict};
use super::{Fill, FillFindings, KneeFindings, PlateauFindings, RecoveryFindings};
use crate::shown::ComparedFigures;
use crate::{Comparison, shown};

pub(super) fn view(compared: &Comparison<'_, Fill>) -> View {
    let faster = shown::times_faster(compared, "writing all of it", |found| found.mean_mb_s);
    let mut head: Vec<Block> = shown::comparison(compared, fast_until).into_iter().chain(faster).collect();
    head.extend(shown::verdicts(compared, verdict));
    let mut sections = vec![Section::summary(None, head)];
    let curve = over_bytes(compared);
    if !curve.is_empty() {
        sections.push(Section::summary(Some("Rate"), vec![Block::Chart(curve)]));
    }
    sections.push(figures(compared));
    sections.extend(plateaus(compared));
    sections.extend(recovery(compared));
    let over_time = over_time(compared);
    if !over_time.is_empty() {
        sections.push(Section::full("Rate over time", vec![Block::Chart(over_time)]));
    }
    shown::view(compared, sections)
}

fn figures(compared: &Comparison<'_, Fill>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |name, quantity, better, of: &dyn Fn(&FillFindings) -> Option<f64>| {
        figures.add(("Fill", name), quantity, better, |one| of(&one.findings));
    };
    let (speed, high) = (Quantity::BytesPerSecond, Better::High);
    add("first rate", speed, high, &|found| Some(found.plateaus.first()?.mean_mb_s * 1e6));
    add("fast until", Quantity::Bytes, high, &|found| Some(found.first_fall()?.at_bytes as f64));
    add("slowest plateau", speed, high, &|found| Some(found.slowest_mb_s()? * 1e6));
    add("mean", speed, high, &|found| Some(found.mean_mb_s? * 1e6));
    add("lasted", Quantity::Seconds, Better::Neither, &|found| found.lasted_s);
    add("written", Quantity::Bytes, Better::Neither, &|found| Some(found.written_bytes as f64));
    add("below half of the first rate", Quantity::Seconds, Better::Low, &|found| found.below_half_s);
    figures.section("Figures")
}

/// The plateaus of each drive, and where they begin.
fn plateaus(compared: &Comparison<'_, Fill>) -> Option<Section> {
    // A plateau, and the knee at which it begins.
    let columns = Columns::<(&PlateauFindings, Option<&KneeFindings>)>::new()
        .with("Begins at", Quantity::Bytes, |(plateau, knee)| {
            let ends = knee.map(|knee| (knee.first_bytes as f64, knee.last_bytes as f64));
            Value::new(Quantity::Bytes, plateau.from_bytes as f64).within_known(ends)
        })
        .with("Ends at", Quantity::Bytes, |(plateau, _)| plateau.to_bytes)
        .with("Median rate", Quantity::BytesPerSecond, |(plateau, _)| {
            let ends = plateau.low_mb_s.zip(plateau.high_mb_s).filter(|(low, high)| low < high);
            let ends = ends.map(|(low, high)| (low * 1e6, high * 1e6));
            Value::new(Quantity::BytesPerSecond, plateau.median_mb_s * 1e6).within_known(ends)
        })
        .with("Mean rate", Quantity::BytesPerSecond, |(plateau, _)| plateau.mean_mb_s * 1e6)
        .with("Lasted", Quantity::Seconds, |(plateau, _)| plateau.lasted_s);
    let mut table = columns.table("plateaus", "", "Plateau");
    for one in compared.iter() {
        let found = &one.findings;
        let knees = [None].into_iter().chain(found.knees.iter().map(Some));
        let plateaus = (1..).zip(found.plateaus.iter().zip(knees));
        table.rows.extend(plateaus.map(|(number, row)| one.row(format!("{number}"), columns.cells(&row))));
    }
    table.notes.push(
        "Intervals are 95 % confidence intervals: of a median by ranks, of a knee by the likelihood."
            .to_owned(),
    );
    (!table.rows.is_empty()).then(|| Section::summary(Some("Plateaus"), vec![Block::Table(table)]))
}

/// What was fast again after each rest.
fn recovery(compared: &Comparison<'_, Fill>) -> Option<Section> {
    let columns = Columns::<RecoveryFindings>::new()
        .with("Level", Quantity::Share, |rest| rest.filled_percent / 100.0)
        .with("Full before the rest", Quantity::Bytes, |rest| rest.filled_bytes)
        .with("Fast while it was filled", Quantity::Bytes, |rest| {
            fast(rest.filling_fast_bytes, !rest.is_shown())
        })
        .with("Fast again", Quantity::Bytes, |rest| {
            fast(rest.is_shown().then_some(rest.fast_bytes), rest.at_least)
        });
    let head = |rest: &RecoveryFindings| rest_in_words(rest.rest_ns);
    let mut table = compared.table(&columns, "recovery", "Rest", |found| &found.recovery, head);
    table.notes.push(
        "Level is how far the range was to be full, as --filled asks. The last part of what was written before the rest filled \
         the cache; where the cache takes more than the level, more is full before the rest. Before that what lies behind the \
         level was discarded, and the drive rested. Fast while it was filled is what was written of that last part until the \
         rate fell below the middle, on a logarithmic scale, between the first two plateaus: where it is much less than at \
         other rests of the level, the cache was not empty. Fast again is the same of what was written after the rest; it is \
         not shown where the rate did not fall before it."
            .to_owned(),
    );
    let blocks = vec![Block::Chart(recovery_chart(compared)), Block::Table(table)];
    let is_shown = compared.iter().any(|one| !one.findings.recovery.is_empty());
    is_shown.then(|| Section::summary(Some("Recovery"), blocks))
}

fn fast(written: Option<u64>, at_least: bool) -> Option<Value> {
    written.map(|bytes| Value::new(Quantity::Bytes, bytes as f64).at_least_where(at_least))
}

/// More seconds than these are drawn by their means over several.
const SECONDS_MAX: usize = 4_000;

/// The rate over what was written, with the plateaus and the knees.
fn over_bytes(compared: &Comparison<'_, Fill>) -> Chart {
    let across = Axis::new("Written", Quantity::Bytes, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::LogOrLinear);
    let mut chart = Chart::new("rate-over-bytes", "Rate over what was written", vec![across], up);
    "Dots: the rate of each step of the fill; lines: the plateaus.".clone_into(&mut chart.about);
    for one in compared.iter() {
        let subject = one.place;
        let found = &one.findings;
        let middle = |step: usize| (step as f64 + 0.5) * found.step_bytes as f64;
        let points = found.curve_mb_s.iter().enumerate().map(|(step, mb_s)| (middle(step), mb_s * 1e6));
        chart.series.push(Series::of_points("Rate", subject, Shape::SmallDots, points));
        let lines = found.plateaus.iter().flat_map(|one| line(one, found.written_bytes));
        chart.series.push(Series::of_points("Plateau", subject, Shape::Line, lines));
        chart.landmarks.extend(found.knees.iter().map(|knee| Landmark {
            label: "knee".to_owned(),
            subject: Some(subject),
            at: vec![knee.at_bytes as f64],
        }));
    }
    let steps = compared.iter().map(|one| one.findings.curve_mb_s.len()).max().unwrap_or(0);
    let steps = count(steps as f64);
    chart.notes.push(format!("Each dot is one of {steps} equal steps, each line the mean of a plateau."));
    chart
}

/// The line of a plateau: its ends, and points between them for a terminal, which draws points alone.
fn line(plateau: &PlateauFindings, all_bytes: u64) -> Vec<(f64, f64)> {
    let (from, to) = (plateau.from_bytes as f64, plateau.to_bytes as f64);
    let hundredth = all_bytes as f64 / 100.0;
    let between = (1..100).map(|place| f64::from(place) * hundredth).filter(|at| *at > from && *at < to);
    [from].into_iter().chain(between).chain([to]).map(|at| (at, plateau.mean_mb_s * 1e6)).collect()
}

fn over_time(compared: &Comparison<'_, Fill>) -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::LogOrLinear);
    let mut chart = Chart::new("rate-over-time", "Rate over time", vec![across], up);
    let longest = compared.iter().map(|one| one.findings.per_second_mb_s.len()).max().unwrap_or(0);
    let together = longest.div_ceil(SECONDS_MAX).max(1);
    for one in compared.iter() {
        let subject = one.place;
        let bins = one.findings.per_second_mb_s.chunks(together);
        let means: Data = bins.map(|bin| bin.iter().sum::<f64>() / bin.len() as f64 * 1e6).collect();
        let times: Data = (0..means.len()).map(|bin| (bin * together) as f64).collect();
        chart.series.push(Series::new("Rate", subject, Shape::SmallDots, times, means));
    }
    chart.notes.push(format!("Bins of {together} s; {}.", things(longest as u64, "second")));
    chart
}

/// What was fast again against the rest, a line for each level.
fn recovery_chart(compared: &Comparison<'_, Fill>) -> Chart {
    let all = compared.iter().flat_map(|one| &one.findings.recovery);
    let rests: BTreeSet<u64> = all.map(|one| one.rest_ns).collect();
    // Rests of 0 s to an hour do not lie on one scale: each has a place of its own.
    let place = |rest_ns: u64| rests.range(..rest_ns).count() as f64;
    let named = rests.iter().map(|rest| (place(*rest), rest_in_words(*rest))).collect();
    let mut across = Axis::new("Rest", Quantity::Number, Scale::Linear);
    across.ticks = Ticks::Named(named);
    let up = Axis::new("Fast again", Quantity::Bytes, Scale::Linear);
    let mut chart = Chart::new("recovery", "Fast again after a rest", vec![across], up);
    chart.colours = Colours::OfNames;
    for one in compared.iter() {
        let subject = one.place;
        for of_level in one.findings.recovery_by_level() {
            let mut points: Vec<(f64, f64)> = of_level
                .iter()
                .filter(|one| one.is_shown())
                .map(|one| (place(one.rest_ns), one.fast_bytes as f64))
                .collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let name = format!("level {} %", of_level[0].filled_percent);
            chart.series.push(Series::of_points(name, subject, Shape::DottedLine, points));
        }
    }
    chart
}

fn rest_in_words(nanos: u64) -> String {
    if nanos > 0 { long_time(nanos as f64 / 1e9) } else { "no rest".to_owned() }
}
