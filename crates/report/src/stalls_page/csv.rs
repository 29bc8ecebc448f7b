//! The data behind each table and each graph of the page of streams, as CSV with a head line (RFC 4180, line feeds). The
//! first column of each names the stream.

use std::fmt::Write as _;

use super::document::longest;
use super::{Shown, numbers};
use crate::csv::{field, number};
use crate::stalls::StallsReport;

/// How the lines of one stream are written, each after the stream's name.
type Lines = fn(&mut String, &str, &Shown<'_>);

const TABLES: [(&str, &str, Lines); 7] = [
    ("times", "from_ns,below_ns,writes,delays", times),
    ("written", "from_bytes,below_bytes,longest_write_ns", written),
    ("backlog", "stream_mb_s,from_s,below_s,largest_backlog_bytes", backlog),
    (
        "buffers",
        "stream_mb_s,asked,sustained,reached,largest_backlog_bytes,buffer_bytes,too_small_share",
        buffers,
    ),
    ("delays", "at_s,took_ns,device_ns,writes,lba,bytes_since_previous,health", delays),
    ("faults", "kind,lba,block_lba,expected_write,found", faults),
    ("conditions", "group,condition,value", conditions),
];

/// Every table of one or several streams as (file name, CSV): the table of numbers, those of the graphs (which are the
/// pictures' data), buffers, delays, faults and conditions.
pub fn stalls_csv(reports: &[StallsReport<'_>]) -> Vec<(String, String)> {
    let shown: Vec<Shown<'_>> = reports.iter().map(Shown::of).collect();
    let mut tables = vec![("numbers.csv".to_owned(), figures(&shown))];
    for (name, head, lines) in TABLES {
        let mut text = format!("stream,{head}\n");
        for one in &shown {
            lines(&mut text, &field(&one.report.label), one);
        }
        tables.push((format!("{name}.csv"), text));
    }
    tables
}

/// The table of numbers, a column for each stream.
fn figures(shown: &[Shown<'_>]) -> String {
    let mut text = "figure,unit".to_owned();
    for one in shown {
        let _ = write!(text, ",{}", field(&one.report.label));
    }
    text.push('\n');
    for figure in numbers::figures(shown) {
        let _ = write!(text, "{},{}", field(figure.name), figure.unit);
        for value in figure.values {
            let _ = write!(text, ",{}", number(value));
        }
        text.push('\n');
    }
    text
}

/// The bins of completion times; `delays` is true for those that hold delays.
fn times(text: &mut String, label: &str, one: &Shown<'_>) {
    let bins = drivelab_analysis::LogBins::of(one.report.figures.all.histogram());
    for (pair, count) in bins.edges.windows(2).zip(&bins.counts).filter(|(_, count)| **count > 0) {
        let delays = one.report.figures.threshold.is_some_and(|threshold| pair[1] > threshold);
        let _ = writeln!(text, "{label},{},{},{count},{delays}", pair[0], pair[1]);
    }
}

fn written(text: &mut String, label: &str, one: &Shown<'_>) {
    let (stream, columns) = (one.report.stream, longest(one.report.stream));
    let width = columns.writes * stream.block_bytes();
    for (place, longest) in columns.longest.iter().enumerate() {
        let from = place as u64 * width;
        let _ = writeln!(text, "{label},{from},{},{longest}", (from + width).min(stream.bytes()));
    }
}

fn backlog(text: &mut String, label: &str, one: &Shown<'_>) {
    let courses = one.document.buffer.iter().zip(&one.courses);
    for (buffer, course) in courses.filter(|(buffer, _)| buffer.sustained) {
        for (place, largest) in course.largest.iter().enumerate() {
            let [from, below] = [place, place + 1].map(|place| place as f64 * course.column_s);
            let _ = writeln!(text, "{label},{},{from},{below},{largest}", buffer.stream_mb_s);
        }
    }
}

/// A line for each size of a buffer; one without a size where the drive does not keep up.
fn buffers(text: &mut String, label: &str, one: &Shown<'_>) {
    for buffer in &one.document.buffer {
        let stream = format!(
            "{label},{},{},{},{},{}",
            buffer.stream_mb_s, buffer.asked, buffer.sustained, buffer.reached, buffer.largest_backlog_bytes
        );
        for size in &buffer.overflow {
            let _ = writeln!(text, "{stream},{},{}", size.buffer_bytes, size.share);
        }
        if buffer.overflow.is_empty() {
            let _ = writeln!(text, "{stream},,");
        }
    }
}

fn delays(text: &mut String, label: &str, one: &Shown<'_>) {
    for delay in &one.document.delays {
        let _ = writeln!(
            text,
            "{label},{},{},{},{},{},{},{}",
            delay.at_s,
            delay.duration_ns,
            number(delay.device_ns),
            delay.writes,
            delay.lba,
            number(delay.bytes_since_previous),
            field(&delay.health.to_string())
        );
    }
}

fn faults(text: &mut String, label: &str, one: &Shown<'_>) {
    for fault in one.document.findings.verification.iter().flat_map(|found| &found.faults) {
        let _ = writeln!(
            text,
            "{label},{},{},{},{},{}",
            fault.kind,
            fault.wrong_lba,
            fault.lba,
            fault.expected_write,
            field(&fault.found)
        );
    }
}

fn conditions(text: &mut String, label: &str, one: &Shown<'_>) {
    for condition in &one.report.conditions {
        let [group, name, value] =
            [&condition.group, &condition.name, &condition.value].map(|part| field(part));
        let _ = writeln!(text, "{label},{group},{name},{value}");
    }
}
