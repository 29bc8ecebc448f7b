//! The graphs as tables, for those who cannot see them; thinned, and saying so.

use std::fmt::Write as _;

use drivelab_analysis::{AddressMap, Course, Distribution, LONG_IDLE, LogBins};
use drivelab_block::Op;

use super::headline::DIRECTIONS;
use crate::exceedance::SHARES;
use crate::format::{bytes, moment, nanos, percent, rate, whole};
use crate::html::table;
use crate::numbers::FEW;
use crate::trace::TraceReport;

/// Rows of a table at most, about.
const ROWS: usize = 32;
/// Bands of addresses.
const BANDS: usize = 16;

/// The values of one graph.
pub(super) fn table(page: &mut String, reports: &[TraceReport<'_>], graph: &str) {
    match graph {
        "means" => means(page, reports),
        "distribution" => distributions(page, reports),
        "exceedance" => exceedance(page, reports),
        "course" => courses(page, reports),
        "addresses" => addresses(page, reports),
        _ => dispersions(page, reports),
    }
}

/// The columns of reads and writes, trace by trace.
fn lines<'a>(reports: &'a [TraceReport<'_>]) -> Vec<(String, &'a Distribution, Op)> {
    let mut lines = Vec::new();
    for report in reports {
        for (op, words) in DIRECTIONS {
            let found = &report.analysis.op(op).service.distribution;
            if found.moments().count() > 0 {
                let name =
                    if reports.len() > 1 { format!("{}, {words}", report.label) } else { words.to_owned() };
                lines.push((name, found, op));
            }
        }
    }
    lines
}

fn heads<'a>(first: &'a str, names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    std::iter::once(first).chain(names.into_iter().map(String::as_str)).collect()
}

fn means(page: &mut String, reports: &[TraceReport<'_>]) {
    table::open(page, "", "Mean service times", &["Trace", "Mean read", "Mean write"]);
    for report in reports {
        let mean = |(op, _)| {
            let found = report.analysis.op(op).service.distribution.moments().mean();
            found.map_or_else(|| "-".to_owned(), nanos)
        };
        table::row(page, &report.label, &DIRECTIONS.map(mean));
    }
    table::close(page);
}

/// Shares by octaves: a row for each power of two of microseconds would be too fine for slow drives, so that they begin
/// where the first value lies.
fn distributions(page: &mut String, reports: &[TraceReport<'_>]) {
    let lines = lines(reports);
    let all: Vec<LogBins> = lines.iter().map(|(_, found, _)| LogBins::of(found.histogram())).collect();
    let low = all.iter().filter_map(|bins| bins.edges.first()).min().copied().unwrap_or(1).max(1);
    let high = all.iter().filter_map(|bins| bins.edges.last()).max().copied().unwrap_or(1);
    table::open(page, "", "Service times", &heads("From", lines.iter().map(|(name, ..)| name)));
    let mut from = 1u64 << low.ilog2();
    while from < high {
        let until = from.saturating_mul(2);
        let share = |bins: &LogBins| {
            let total: u64 = bins.counts.iter().sum();
            let inside =
                bins.edges.iter().zip(&bins.counts).filter(|(edge, _)| (from..until).contains(*edge));
            let inside: u64 = inside.map(|(_, count)| count).sum();
            if inside == 0 { "-".to_owned() } else { percent(inside as f64 / total as f64) }
        };
        let cells: Vec<String> = all.iter().map(share).collect();
        table::row(page, &nanos(from as f64), &cells);
        from = until;
    }
    table::close(page);
}

fn exceedance(page: &mut String, reports: &[TraceReport<'_>]) {
    let lines = lines(reports);
    page.push_str(
        "<p class=\"fine\">Service time that this share exceeds. * Fewer than ten I/Os lie beyond.</p>\n",
    );
    table::open(page, "", "Exceedance", &heads("Share of I/Os", lines.iter().map(|(name, ..)| name)));
    for (name, share) in SHARES.into_iter().chain([("the longest", 0.0)]) {
        let cell = |(_, found, _): &(String, &Distribution, Op)| {
            let beyond = found.tail_count(1.0 - share);
            match found.quantile(1.0 - share).filter(|_| beyond > 0 || share == 0.0) {
                Some(value) if beyond < FEW => format!("{} *", nanos(value as f64)),
                Some(value) => nanos(value as f64),
                None => "-".to_owned(),
            }
        };
        let cells: Vec<String> = lines.iter().map(cell).collect();
        if cells.iter().any(|cell| cell != "-") {
            table::row(page, name, &cells);
        }
    }
    table::close(page);
}

fn courses(page: &mut String, reports: &[TraceReport<'_>]) {
    let heads = [
        "Began at",
        "Reads a second",
        "Writes a second",
        "Slow reads",
        "Slow writes",
        "In flight",
        "Cut out before",
    ];
    let idle = nanos(LONG_IDLE as f64);
    let _ = writeln!(
        page,
        "<p class=\"fine\">Busy time in equal parts; idle time longer than {idle} is cut out, before or inside of a \
         part.</p>"
    );
    table::open(page, "", "The course", &heads);
    for report in reports {
        let Some(course) = report.analysis.course() else { continue };
        if reports.len() > 1 {
            table::group(page, &report.label, heads.len() - 1);
        }
        course_rows(page, report, course);
    }
    table::close(page);
}

fn course_rows(page: &mut String, report: &TraceReport<'_>, course: &Course) {
    let width = course.bins().len().div_ceil(ROWS).max(1);
    let places = DIRECTIONS.map(|(op, _)| report.slow_ios(op).map(|slow| slow.place()));
    for part in course.bins().chunks(width) {
        let seconds = part.len() as f64 * course.column_nanos() as f64 / 1e9;
        let Some(began) = part.iter().find_map(|bin| bin.began) else { continue };
        let requests = |way: usize| part.iter().map(|bin| bin.requests[way]).sum::<u64>() as f64;
        let slow = |way: usize| {
            let count = |place: usize| part.iter().map(|bin| u64::from(bin.slow[way][place])).sum();
            places[way].map_or_else(|| "-".to_owned(), |place| whole(count(place)))
        };
        let (depth, timed) =
            part.iter().fold((0, 0), |(sum, count), bin| (sum + bin.depth_sum, count + bin.depth_count));
        let cut: u64 = part.iter().map(|bin| bin.cut_nanos).sum();
        let cells = [
            rate(requests(0) / seconds),
            rate(requests(1) / seconds),
            slow(0),
            slow(1),
            if timed == 0 { "-".to_owned() } else { rate(depth as f64 / timed as f64) },
            if cut == 0 { "-".to_owned() } else { nanos(cut as f64) },
        ];
        table::row(page, &moment(began), &cells);
    }
}

fn addresses(page: &mut String, reports: &[TraceReport<'_>]) {
    table::open(page, "", "Addresses", &["From", "Reads", "Writes"]);
    for report in reports {
        let maps = report.analysis.course().map_or(&[][..], Course::maps);
        for (device, map) in report.devices.iter().zip(maps) {
            if map.requests() > 0 {
                let both = [report.label.as_str(), &device.name];
                let name = if reports.len() > 1 { both.join(", ") } else { device.name.clone() };
                table::group(page, &name, 2);
                bands(page, map);
            }
        }
    }
    table::close(page);
}

fn bands(page: &mut String, map: &AddressMap) {
    let Some((first, count)) = map.rows() else { return };
    let width = count.div_ceil(BANDS);
    let sums = [0, 1].map(|way| {
        let mut sums = vec![0u64; count];
        for column in map.columns(way) {
            sums.iter_mut().zip(column).for_each(|(sum, found)| *sum += u64::from(found));
        }
        sums
    });
    for band in 0..count.div_ceil(width) {
        let within = band * width..((band + 1) * width).min(count);
        let cells = [0, 1].map(|way: usize| whole(sums[way][within.clone()].iter().sum()));
        let from = (first + within.start as u64) * map.row_bytes();
        table::row(page, &bytes(from), &cells);
    }
}

fn dispersions(page: &mut String, reports: &[TraceReport<'_>]) {
    page.push_str(
        "<p class=\"fine\">1 is chance; in 95 of 100 cases chance stays within the bounds. * Fewer than twenty windows: \
         no weight.</p>\n",
    );
    table::open(page, "", "Dispersion", &["Window", "Index", "Bounds of chance", "Windows"]);
    for report in reports {
        for (op, words) in DIRECTIONS {
            let Some(slow) = report.slow_ios(op) else { continue };
            let name =
                if reports.len() > 1 { format!("{}, {words}", report.label) } else { words.to_owned() };
            table::group(page, &format!("slow {name}"), 3);
            for found in slow.dispersions() {
                let reach = 1.96 * found.deviation;
                let few = if found.windows < 20 { " *" } else { "" };
                let cells = [
                    format!("{:.2}{few}", found.index),
                    format!("{:.2} to {:.2}", (1.0 - reach).max(0.0), 1.0 + reach),
                    whole(found.windows),
                ];
                table::row(page, &nanos(found.window as f64), &cells);
            }
        }
    }
    table::close(page);
}
