//! The page's graphs as still pictures: all streams in each, on the axes of the page.

use std::fmt::Write as _;

use super::document::{longest, middle};
use super::{Shown, labels};
use crate::format::{bytes, decade, rate, short_rate, whole};
use crate::picture::{
    ALONE, Axis, Frame, PictureError, close, legend, open, path_of_dots, pixels, run_colour, with_legend,
};
use crate::scale::LogScale;
use crate::stalls::StallsReport;

/// Less than one write: where the axis of counts begins, so that a bar of a single write is seen.
const FLOOR: f64 = 0.5;
/// The width of a dot and the radius of the ring around a delay, in pixels.
const DOT: f64 = 3.0;
const RING: f64 = 5.0;

/// Every graph of the page of streams as (file name, SVG): completion times, the longest writes over the data written, and
/// the backlog of each stream rate that a drive keeps up with. The CSV with the data of each begins with the same word.
pub fn stalls_svg_pictures(reports: &[StallsReport<'_>]) -> Vec<(String, String)> {
    let shown: Vec<Shown<'_>> = reports.iter().map(Shown::of).collect();
    let mut pictures =
        vec![("times.svg".to_owned(), times(&shown)), ("written.svg".to_owned(), written(&shown))];
    for rate in kept_up_with(&shown) {
        pictures.push((format!("backlog-{rate}-mb-s.svg"), backlog(&shown, rate)));
    }
    pictures
}

/// The same pictures as (file name, PNG), at twice the size.
///
/// # Errors
///
/// Where a picture cannot be drawn, which would be a defect of this crate.
pub fn stalls_png_pictures(reports: &[StallsReport<'_>]) -> Result<Vec<(String, Vec<u8>)>, PictureError> {
    pixels(stalls_svg_pictures(reports))
}

/// The stream rates that at least one drive keeps up with, in MB/s.
fn kept_up_with(shown: &[Shown<'_>]) -> Vec<f64> {
    let buffers = shown.iter().flat_map(|one| &one.document.buffer);
    let mut rates: Vec<f64> =
        buffers.filter(|buffer| buffer.sustained).map(|buffer| buffer.stream_mb_s).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

/// A picture of all streams: its frame, what is drawn into it for each, and which colour is whose.
fn picture(
    shown: &[Shown<'_>],
    (title, words): (&str, &str),
    (x, y): (Axis, Axis),
    draw: impl Fn(&mut String, &Frame, usize, &Shown<'_>),
) -> String {
    let mut svg = open(with_legend(ALONE, shown.len()), title);
    let frame = Frame::within(ALONE, 0.0, x, y);
    frame.draw(&mut svg, title, words);
    for (index, one) in shown.iter().enumerate() {
        draw(&mut svg, &frame, index, one);
    }
    legend(&mut svg, ALONE, labels(shown));
    close(svg)
}

/// How many writes took how long; the bars of delays are circled.
fn times(shown: &[Shown<'_>]) -> String {
    let bins = |one: &Shown<'_>| drivelab_analysis::LogBins::of(one.report.figures.all.histogram());
    let edges = shown.iter().flat_map(|one| bins(one).edges).map(|edge| edge as f64);
    let counts = shown.iter().flat_map(|one| bins(one).counts).map(|count| count as f64);
    let most = counts.fold(10.0, f64::max).log10().ceil();
    let x = Axis::decades(LogScale::over(edges), "completion time", decade);
    let y = Axis::log(FLOOR, 10f64.powf(most), "writes", short_rate);
    let writes = shown.iter().map(|one| whole(one.report.figures.all.moments().count()));
    let words = format!(
        "writes in bins of an eighth of an octave, log scales · circled: delays · n = {}",
        writes.collect::<Vec<_>>().join(", ")
    );
    picture(shown, ("Completion times", &words), (x, y), |svg, frame, index, one| {
        let bins = bins(one);
        let floor = frame.at_y(FLOOR);
        let (mut bars, mut rings) = (String::new(), Vec::new());
        for (pair, count) in bins.edges.windows(2).zip(&bins.counts).filter(|(_, count)| **count > 0) {
            let [left, right] = [pair[0], pair[1]].map(|edge| frame.at_x((edge as f64).max(1.0)));
            let (top, width) = (frame.at_y(*count as f64), (right - left - 1.0).max(1.0));
            let _ = write!(bars, "M{left:.1} {top:.1}h{width:.1}V{floor:.1}h-{width:.1}z");
            if one.report.figures.threshold.is_some_and(|threshold| pair[1] > threshold) {
                rings.push((f64::midpoint(left, right), top));
            }
        }
        let colour = run_colour(index);
        let _ = writeln!(svg, "<path d=\"{bars}\" fill=\"{colour}\" fill-opacity=\".55\"/>");
        circles(svg, rings.into_iter(), colour);
    })
}

/// The longest write of each stretch of data; delays are circled.
fn written(shown: &[Shown<'_>]) -> String {
    let most = shown.iter().map(|one| one.report.stream.bytes()).max().unwrap_or(0);
    let longest_of_all = shown.iter().flat_map(|one| longest(one.report.stream).longest);
    let x = Axis::linear(0.0, most as f64, "data written", byte_mark);
    let y = Axis::decades(LogScale::over(longest_of_all.map(|nanos| nanos as f64)), "", decade);
    let widths = shown.iter().map(|one| longest(one.report.stream).writes * one.report.stream.block_bytes());
    let words = format!(
        "completion time, log scale · dots: the longest write of every {} · circled: delays",
        bytes(widths.max().unwrap_or(0))
    );
    picture(shown, ("Delays against data written", &words), (x, y), |svg, frame, index, one| {
        let (stream, columns) = (one.report.stream, longest(one.report.stream));
        let width = columns.writes * stream.block_bytes();
        let at = |bytes: f64, nanos: u64| (frame.at_x(bytes), frame.at_y(nanos as f64));
        let dots = columns.longest.iter().enumerate();
        let dots = dots.map(|(column, longest)| at(middle(column, width), *longest));
        path_of_dots(svg, dots, DOT, run_colour(index));
        let delays = one.report.figures.delays.iter();
        let rings = delays.map(|delay| at(delay.write as f64 * stream.block_bytes() as f64, delay.duration));
        circles(svg, rings, run_colour(index));
    })
}

/// The backlog of a stream of this rate, in MB/s, on each drive that keeps up with it.
fn backlog(shown: &[Shown<'_>], stream_mb_s: f64) -> String {
    let course = |one: &'_ Shown<'_>| {
        let mut buffers = one.document.buffer.iter().zip(&one.courses);
        let found = buffers
            .find(|(buffer, _)| buffer.sustained && buffer.stream_mb_s.total_cmp(&stream_mb_s).is_eq())?;
        Some((found.1.column_s, found.1.largest.clone()))
    };
    let courses: Vec<(f64, Vec<u64>)> = shown.iter().filter_map(course).collect();
    let ends = courses.iter().map(|(column_s, largest)| column_s * largest.len() as f64);
    let x = Axis::time(0.0, ends.fold(0.0, f64::max), amount);
    let waiting = courses.iter().flat_map(|(_, largest)| largest).map(|bytes| *bytes as f64);
    let y = Axis::from_zero(waiting, "data waiting", byte_mark);
    let title = format!("Backlog of a stream of {} MB/s", rate(stream_mb_s));
    let words = "the run's own write times, replayed: the largest amount of data that waits to be written";
    picture(shown, (&title, words), (x, y), |svg, frame, index, one| {
        let Some((column_s, largest)) = course(one) else { return };
        let mut path = String::new();
        for (column, bytes) in largest.iter().enumerate() {
            let (x, y) = (frame.at_x((column as f64 + 0.5) * column_s), frame.at_y(*bytes as f64));
            let _ = write!(path, "{}{x:.1} {y:.1}", if column == 0 { "M" } else { "L" });
        }
        let colour = run_colour(index);
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>");
    })
}

/// Rings around places.
fn circles(svg: &mut String, places: impl Iterator<Item = (f64, f64)>, colour: &str) {
    for (x, y) in places {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RING}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>"
        );
    }
}

/// Bytes that mark a place on an axis: `500 GB`, `2.5 TB`.
fn byte_mark(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes on an axis from 0")]
    let text = bytes(value.round() as u64);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// Seconds or hours that mark a place on an axis, with as many decimals as they have, three at most.
fn amount(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
