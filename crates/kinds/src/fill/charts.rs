//! The charts of fills.

use drivelab_view::chart::{Axis, Colours, Data, Landmark, Plot, Scale, Series, Shape, Ticks};
use drivelab_view::format::{count, long_time, things};
use drivelab_view::{Chart, Quantity};

use super::{Fill, PlateauFindings, RecoveryFindings};
use crate::Comparison;

/// More seconds than these are drawn by their means over several.
const SECONDS_MAX: usize = 4_000;

/// The rate over what was written, with the plateaus and the knees.
pub(super) fn over_bytes(compared: &Comparison<'_, Fill>) -> Chart {
    let across = Axis::new("Written", Quantity::Bytes, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::LogOrLinear);
    let mut chart = Chart::new("rate-over-bytes", "Rate over what was written", vec![across], up);
    "Dots: the rate of each step of the fill; lines: the plateaus.".clone_into(&mut chart.about);
    for one in compared.iter() {
        let subject = one.place;
        let found = &one.findings;
        let middle = |step: usize| (step as f64 + 0.5) * found.step_bytes as f64;
        let points = found.curve_mb_s.iter().enumerate().map(|(step, mb_s)| (middle(step), mb_s * 1e6));
        chart.plots.push(Plot::Series(Series::of_points("Rate", subject, Shape::SmallDots, points)));
        let lines = found.plateaus.iter().flat_map(|one| line(one, found.written_bytes));
        chart.plots.push(Plot::Series(Series::of_points("Plateau", subject, Shape::Line, lines)));
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

/// The rate over time.
pub(super) fn over_time(compared: &Comparison<'_, Fill>) -> Chart {
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
        chart.plots.push(Plot::Series(Series::new("Rate", subject, Shape::SmallDots, times, means)));
    }
    chart.notes.push(format!("Bins of {together} s; {}.", things(longest as u64, "second")));
    chart
}

/// What was fast again against the rest, a line for each level.
pub(super) fn recovery(compared: &Comparison<'_, Fill>) -> Chart {
    let mut rests: Vec<f64> = compared.iter().flat_map(|one| &one.findings.recovery).map(rest_s).collect();
    rests.sort_by(f64::total_cmp);
    rests.dedup();
    // Rests of 0 s to an hour do not lie on one scale: each has a place of its own.
    let place = |rest: f64| rests.iter().position(|other| *other >= rest).unwrap_or(0) as f64;
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
                .map(|one| (place(rest_s(one)), one.fast_bytes as f64))
                .collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let name = format!("level {} %", of_level[0].filled_percent);
            chart.plots.push(Plot::Series(Series::of_points(name, subject, Shape::DottedLine, points)));
        }
    }
    chart
}

/// A rest, given in seconds.
pub(super) fn rest_in_words(seconds: f64) -> String {
    if seconds > 0.0 { long_time(seconds) } else { "no rest".to_owned() }
}

fn rest_s(one: &RecoveryFindings) -> f64 {
    one.rest_ns as f64 / 1e9
}
