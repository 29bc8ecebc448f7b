//! The graphs as tables, for those who cannot see them; thinned, and saying so.

use std::fmt::Write as _;

use drivelab_analysis::{Distribution, HeatMap};

use super::numbers_table::run_heads;
use super::{MACHINE, machine};
use crate::binned::{Binned, table_width};
use crate::exceedance::SHARES;
use crate::format::{nanos, rate, seconds, whole};
use crate::numbers::FEW;
use crate::run::Comparison;

/// Rows of a table at most, about.
const ROWS: usize = 40;

/// The table of one graph, folded away.
pub(super) fn details(page: &mut String, comparison: &Comparison, graph: &str) {
    if comparison.runs.is_empty() {
        return;
    }
    page.push_str("<details><summary>The values as a table</summary>\n");
    match graph {
        "whole" => rates(page, comparison, 0),
        "steady-log" => rates(page, comparison, steady_start(comparison)),
        "steady-linear" => page.push_str("<p class=\"fine\">The values are those of the graph before.</p>\n"),
        "heat" => latencies(page, comparison),
        MACHINE => machine::table(page, comparison),
        _ => exceedance(page, comparison),
    }
    page.push_str("</details>\n");
}

fn steady_start(comparison: &Comparison) -> usize {
    comparison.runs.iter().map(|run| run.figures.steady_part.from_s).min().unwrap_or(0)
}

fn whole_seconds(comparison: &Comparison) -> usize {
    let seconds = |run: &crate::RunReport| run.seconds().len();
    comparison.runs.iter().map(seconds).max().unwrap_or(0)
}

fn open(page: &mut String, comparison: &Comparison, first: &str, note: &str) {
    let _ = writeln!(page, "<p class=\"fine\">{note}</p>\n<div class=\"scroller\" tabindex=\"0\"><table>");
    run_heads(page, comparison, first);
    page.push_str("<tbody>\n");
}

fn close(page: &mut String) {
    page.push_str("</tbody></table></div>\n");
}

fn rates(page: &mut String, comparison: &Comparison, from_s: usize) {
    let all = whole_seconds(comparison);
    let width = table_width(all - from_s.min(all), ROWS);
    let note = format!(
        "IOPS, mean and slowest second of every {}. The CSV files beside this page hold every second.",
        seconds(width as f64)
    );
    open(page, comparison, "From", &note);
    let columns: Vec<(usize, Binned)> = comparison
        .runs
        .iter()
        .map(|run| (run.figures.steady_part.from_s, Binned::table(run, width)))
        .collect();
    for row in from_s / width..all.div_ceil(width) {
        let start = row * width;
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", seconds(start as f64));
        for (steady_from, binned) in &columns {
            let shown = from_s == 0 || start + width > *steady_from;
            match binned.bins.get(row).filter(|_| shown) {
                Some(bin) => {
                    let _ = write!(page, "<td>{} <small>{}</small></td>", rate(bin.iops), rate(bin.slowest));
                }
                None => page.push_str("<td>-</td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    close(page);
}

fn latencies(page: &mut String, comparison: &Comparison) {
    let span = |run: &crate::RunReport| run.measured.heat().columns().len() as f64 * column_s(run);
    let longest = comparison.runs.iter().map(span).fold(0.0, f64::max);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a span of seconds")]
    let width = table_width(longest.ceil() as usize, ROWS).max(1);
    let note = format!(
        "Service time, median and 99th percentile of every {}, within a fifth of the value. \
         The CSV files beside this page hold every cell.",
        seconds(width as f64)
    );
    open(page, comparison, "From", &note);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a span of seconds")]
    let rows = (longest / width as f64).ceil() as usize;
    for row in 0..rows {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", seconds((row * width) as f64));
        for run in &comparison.runs {
            let part = interval(run, row * width, width);
            match (row_quantile(&part, 0.5), row_quantile(&part, 0.99)) {
                (Some(median), Some(tail)) => {
                    let _ = write!(page, "<td>{} <small>{}</small></td>", nanos(median), nanos(tail));
                }
                _ => page.push_str("<td>-</td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    close(page);
}

fn column_s(run: &crate::RunReport) -> f64 {
    run.measured.heat().column_nanos() as f64 / 1e9
}

/// The counts of all columns that begin in an interval.
fn interval(run: &crate::RunReport, from_s: usize, width_s: usize) -> Vec<u64> {
    let mut counts = Vec::new();
    for (index, column) in run.measured.heat().columns().enumerate() {
        let start = index as f64 * column_s(run);
        if start >= from_s as f64 && start < (from_s + width_s) as f64 {
            counts.resize(column.len(), 0);
            counts.iter_mut().zip(column).for_each(|(sum, count)| *sum += u64::from(*count));
        }
    }
    counts
}

/// The floor of the row that holds a quantile, in nanoseconds.
fn row_quantile(counts: &[u64], q: f64) -> Option<f64> {
    let total: u64 = counts.iter().sum();
    let mut seen = 0;
    let wanted = q * total as f64;
    for (row, count) in counts.iter().enumerate() {
        seen += count;
        if *count > 0 && seen as f64 >= wanted {
            return Some(HeatMap::row_floor_nanos(row) as f64);
        }
    }
    None
}

fn exceedance(page: &mut String, comparison: &Comparison) {
    open(
        page,
        comparison,
        "Share of I/Os",
        "Service time that this share of the I/Os exceeds, and of how many I/Os that speaks; \
         * fewer than ten. The CSV files beside this page hold the whole curve.",
    );
    let services: Vec<Distribution> = comparison.runs.iter().map(|run| run.measured.service()).collect();
    let most = services.iter().map(|service| service.moments().count()).max().unwrap_or(0);
    for (name, share) in SHARES.iter().filter(|(_, share)| share * most as f64 >= 1.0) {
        let _ = write!(page, "<tr><th scope=\"row\">{name}</th>");
        for service in &services {
            let beyond = service.tail_count(1.0 - share);
            match service.quantile(1.0 - share).filter(|_| beyond > 0) {
                Some(value) => {
                    let few = if beyond < FEW { " *" } else { "" };
                    let (value, beyond) = (nanos(value as f64), whole(beyond));
                    let _ = write!(page, "<td>{value} <small>{beyond}{few}</small></td>");
                }
                None => page.push_str("<td>-</td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("<tr><th scope=\"row\">the longest</th>");
    for service in &services {
        let longest = service.moments().max().map_or_else(|| "-".to_owned(), |value| nanos(value as f64));
        let _ = write!(page, "<td>{longest}</td>");
    }
    page.push_str("</tr>\n");
    close(page);
}
