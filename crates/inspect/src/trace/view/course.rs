//! Charts over busy time: idle time longer than ten seconds is cut out.

use drivelab_analysis::{Course, CourseBin, LONG_IDLE};
use drivelab_view::chart::{Axis, Colours, Data, Extra, Scale, Series, Shape};
use drivelab_view::format::{count, nanos};
use drivelab_view::{Block, Chart, Quantity};

use super::{Shown, add, capital, chart, drawn, span};
use crate::slow::DIRECTIONS;

/// The load, slow I/Os and requests in flight; nothing where the course was not followed.
pub(super) fn charts(shown: &[Shown<'_>]) -> Vec<Block> {
    [load(shown), slow(shown), in_flight(shown)].into_iter().flatten().collect()
}

/// The horizontal axis of everything over busy time.
pub(super) fn busy_time() -> Axis {
    Axis::new("Busy time", Quantity::Seconds, Scale::Linear)
}

fn course_chart(shown: &[Shown<'_>], names: (&str, &str), up: Axis) -> Chart {
    let mut made = chart(shown, names, busy_time(), up);
    made.colours = Colours::OfNames;
    made
}

fn courses<'a>(shown: &'a [Shown<'a>]) -> impl Iterator<Item = (usize, &'a Shown<'a>, &'a Course)> {
    shown.iter().enumerate().filter_map(|(subject, one)| Some((subject, one, one.report.analysis.course()?)))
}

/// A value of each column, at the column's middle.
fn column(course: &Course, of: impl Fn(&CourseBin) -> Option<f64>) -> (Data, Data) {
    let step = course.column_nanos() as f64 / 1e9;
    let values: Data = course.bins().iter().map(|bin| of(bin).unwrap_or(f64::NAN)).collect();
    (Data::Regular { start: step / 2.0, step, count: values.len() }, values)
}

fn load(shown: &[Shown<'_>]) -> Option<Block> {
    let up = Axis::new("Requests a second", Quantity::Iops, Scale::LogOrLinear);
    let mut made = course_chart(shown, ("course", "Load over busy time"), up);
    for (subject, _, course) in courses(shown) {
        let began: Data = course
            .bins()
            .iter()
            .map(|bin| bin.began.map_or(f64::NAN, |at| (at / 1_000_000) as f64 / 1e3))
            .collect();
        let began = Extra {
            name: "at, on the trace's clock,".to_owned(),
            quantity: Quantity::Seconds,
            values: began,
        };
        for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
            if shown[subject].report.analysis.op(op).requests == 0 {
                continue;
            }
            let seconds = course.column_nanos() as f64 / 1e9;
            let (xs, ys) = column(course, |bin| Some(bin.requests[way] as f64 / seconds));
            let mut series = Series::new(capital(words), subject, Shape::Dots, xs, ys);
            series.extras.push(longest(course, way));
            series.extras.push(began.clone());
            add(&mut made, series);
        }
        add(&mut made, cuts(course, subject));
        made.notes.push(note(course, (shown.len() > 1).then_some(shown[subject].found.trace.as_str())));
    }
    drawn(made, "Dots over busy time: reads and writes a second.")
}

/// The longest service time of each column.
fn longest(course: &Course, way: usize) -> Extra {
    let of = |bin: &CourseBin| Some(bin.worst[way]).filter(|worst| *worst > 0).map(|worst| worst as f64);
    Extra { name: "longest".to_owned(), quantity: Quantity::Nanoseconds, values: column(course, of).1 }
}

/// Where idle time was cut out.
fn cuts(course: &Course, subject: usize) -> Series {
    let step = course.column_nanos() as f64 / 1e9;
    let cuts: Vec<(f64, &CourseBin)> = course
        .bins()
        .iter()
        .enumerate()
        .filter(|(_, bin)| bin.cuts > 0)
        .map(|(place, bin)| (place as f64 * step, bin))
        .collect();
    let points = cuts.iter().map(|(at, bin)| (*at, f64::from(bin.cuts)));
    let mut series = Series::of_points("Idle time cut out", subject, Shape::TopCrosses, points);
    series.extras.push(Extra {
        name: "in all".to_owned(),
        quantity: Quantity::Seconds,
        values: cuts.iter().map(|(_, bin)| (bin.cut_nanos / 1_000_000) as f64 / 1e3).collect(),
    });
    series
}

fn note(course: &Course, label: Option<&str>) -> String {
    let (places, cut) =
        course.bins().iter().fold((0, 0), |(places, cut), bin| (places + bin.cuts, cut + bin.cut_nanos));
    let lead = label.map_or_else(String::new, |label| format!("{label}: "));
    let columns = format!("{lead}Columns of {}", nanos(course.column_nanos() as f64));
    if places == 0 {
        return columns + ".";
    }
    let (idle, places) = (nanos(LONG_IDLE as f64), count(f64::from(places)));
    format!("{columns}; idle time longer than {idle} is cut out, {} in {places} places.", span(cut))
}

fn slow(shown: &[Shown<'_>]) -> Option<Block> {
    let up = Axis::new("Slow I/Os", Quantity::Count, Scale::Linear);
    let mut made = course_chart(shown, ("slow", "Slow I/Os over busy time"), up);
    for (subject, one, course) in courses(shown) {
        for (way, (op, words)) in DIRECTIONS.into_iter().enumerate() {
            let place = one.report.slow.ios(one.report.analysis, op).place();
            let step = course.column_nanos() as f64 / 1e9;
            let counts = course.bins().iter().enumerate().filter(|(_, bin)| bin.slow[way][place] > 0);
            let points =
                counts.map(|(number, bin)| ((number as f64 + 0.5) * step, f64::from(bin.slow[way][place])));
            add(&mut made, Series::of_points(capital(words), subject, Shape::Dots, points));
        }
    }
    drawn(made, "Dots over busy time: slow reads and slow writes of each column that has any.")
}

fn in_flight(shown: &[Shown<'_>]) -> Option<Block> {
    let up = Axis::new("In flight", Quantity::Number, Scale::LogOrLinear);
    let mut made = course_chart(shown, ("in-flight", "Requests in flight over busy time"), up);
    for (subject, one, course) in courses(shown) {
        if one.found.queue_depth.is_none() {
            continue;
        }
        let mean = |bin: &CourseBin| {
            (bin.depth_count > 0)
                .then(|| (bin.depth_sum as f64 / bin.depth_count as f64 * 100.0).round() / 100.0)
        };
        let (xs, ys) = column(course, mean);
        add(&mut made, Series::new("Mean", subject, Shape::Dots, xs, ys));
        let (xs, ys) = column(course, |bin| (bin.depth_count > 0).then_some(bin.depth_max as f64));
        add(&mut made, Series::new("Max", subject, Shape::SmallDots, xs, ys));
    }
    drawn(made, "Dots over busy time: how many requests were in flight, on average and at most.")
}
