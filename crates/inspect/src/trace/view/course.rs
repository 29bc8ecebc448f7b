//! Charts over time: by the clock, and over busy time, from which idle time longer than ten seconds is cut out.

use drivelab_analysis::{Course, CourseBin, LONG_IDLE};
use drivelab_view::chart::{Axis, Colours, Data, Extra, Scale, Series, Shape};
use drivelab_view::format::{count, nanos};
use drivelab_view::{Block, Chart, Quantity};

use super::time::{Places, TimeAxes};
use super::{Shown, add, capital, chart, drawn, span};
use crate::slow::DIRECTIONS;

/// The load, slow I/Os and requests in flight; nothing where the course was not followed.
pub(super) fn charts(shown: &[Shown<'_>], axes: &TimeAxes) -> Vec<Block> {
    [load(shown, axes), slow(shown, axes), in_flight(shown, axes)].into_iter().flatten().collect()
}

fn course_chart(shown: &[Shown<'_>], (id, title): (&str, &str), axes: &TimeAxes, up: Axis) -> Chart {
    let mut made = chart(shown, (id, title), axes.across(), up);
    made.colours = Colours::OfNames;
    made
}

fn courses<'a>(shown: &'a [Shown<'a>]) -> impl Iterator<Item = (usize, &'a Shown<'a>, &'a Course)> {
    shown.iter().enumerate().filter_map(|(subject, one)| Some((subject, one, one.report.analysis.course()?)))
}

/// A value of each column.
fn column(course: &Course, of: impl Fn(&CourseBin) -> Option<f64>) -> Data {
    course.bins().iter().map(|bin| of(bin).unwrap_or(f64::NAN)).collect()
}

fn load(shown: &[Shown<'_>], axes: &TimeAxes) -> Option<Block> {
    let up = Axis::new("Requests a second", Quantity::Iops, Scale::LogOrLinear);
    let mut made = course_chart(shown, ("course", "Load over time"), axes, up);
    for (subject, _, course) in courses(shown) {
        let places = axes.places(course);
        for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
            if shown[subject].report.analysis.op(op).requests == 0 {
                continue;
            }
            let seconds = course.column_nanos() as f64 / 1e9;
            let ys = column(course, |bin| Some(bin.requests[way] as f64 / seconds));
            let mut series = places.series(capital(words), subject, Shape::Dots, ys);
            series.extras.push(longest(course, way));
            add(&mut made, series);
        }
        add(&mut made, cuts(course, &places, subject));
        made.notes.push(note(course, (shown.len() > 1).then_some(shown[subject].found.trace.as_str())));
    }
    drawn(made, "Dots over time: reads and writes a second.")
}

/// The longest service time of each column.
fn longest(course: &Course, way: usize) -> Extra {
    let of = |bin: &CourseBin| Some(bin.worst[way]).filter(|worst| *worst > 0).map(|worst| worst as f64);
    Extra { name: "longest".to_owned(), quantity: Quantity::Nanoseconds, values: column(course, of) }
}

/// Where idle time lies that is cut out of busy time.
fn cuts(course: &Course, places: &Places, subject: usize) -> Series {
    let cuts = |bin: &CourseBin| (bin.cuts > 0).then_some(f64::from(bin.cuts));
    let mut series =
        places.points("Idle for more than 10 s", subject, Shape::TopCrosses, &column(course, cuts));
    series.extras.push(Extra {
        name: "in all".to_owned(),
        quantity: Quantity::Seconds,
        values: course
            .bins()
            .iter()
            .filter(|bin| bin.cuts > 0)
            .map(|bin| (bin.cut_nanos / 1_000_000) as f64 / 1e3)
            .collect(),
    });
    series
}

fn note(course: &Course, label: Option<&str>) -> String {
    let (places, cut) =
        course.bins().iter().fold((0, 0), |(places, cut), bin| (places + bin.cuts, cut + bin.cut_nanos));
    let lead = label.map_or_else(String::new, |label| format!("{label}: "));
    let columns = format!("{lead}Columns of {} of busy time", nanos(course.column_nanos() as f64));
    if places == 0 {
        return columns + ".";
    }
    let (idle, places) = (nanos(LONG_IDLE as f64), count(f64::from(places)));
    format!(
        "{columns}, from which idle time longer than {idle} is cut out ({} in {places} places).",
        span(cut)
    )
}

fn slow(shown: &[Shown<'_>], axes: &TimeAxes) -> Option<Block> {
    let up = Axis::new("Slow I/Os", Quantity::Count, Scale::Linear);
    let mut made = course_chart(shown, ("slow", "Slow I/Os over time"), axes, up);
    for (subject, one, course) in courses(shown) {
        let places = axes.places(course);
        for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
            let threshold = one.report.slow.ios(one.report.analysis, op).place();
            let slow = |bin: &CourseBin| Some(f64::from(bin.slow[way][threshold])).filter(|slow| *slow > 0.0);
            add(&mut made, places.points(&capital(words), subject, Shape::Dots, &column(course, slow)));
        }
    }
    drawn(made, "Dots over time: slow reads and slow writes of each column that has any.")
}

fn in_flight(shown: &[Shown<'_>], axes: &TimeAxes) -> Option<Block> {
    let up = Axis::new("In flight", Quantity::Number, Scale::LogOrLinear);
    let mut made = course_chart(shown, ("in-flight", "Requests in flight over time"), axes, up);
    for (subject, one, course) in courses(shown) {
        if one.found.queue_depth.is_none() {
            continue;
        }
        let places = axes.places(course);
        let mean = |bin: &CourseBin| {
            (bin.depth_count > 0)
                .then(|| (bin.depth_sum as f64 / bin.depth_count as f64 * 100.0).round() / 100.0)
        };
        add(&mut made, places.series("Mean".to_owned(), subject, Shape::Dots, column(course, mean)));
        let max = column(course, |bin| (bin.depth_count > 0).then_some(bin.depth_max as f64));
        add(&mut made, places.series("Max".to_owned(), subject, Shape::SmallDots, max));
    }
    drawn(made, "Dots over time: how many requests were in flight, on average and at most.")
}
