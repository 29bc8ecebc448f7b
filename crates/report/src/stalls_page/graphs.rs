//! The places of the graphs, each with its values as a table.

use std::fmt::Write as _;

use super::{Shown, document};
use crate::format::{bytes, nanos, rate, seconds, whole};
use crate::html::table;

/// Rows of a table at most, about.
const ROWS: usize = 24;

/// A graph's place on the page.
struct Graph {
    id: &'static str,
    title: &'static str,
    /// What the picture shows, for those who cannot see it.
    about: &'static str,
    values: fn(&mut String, &[Shown<'_>]),
}

const GRAPHS: [Graph; 3] = [
    Graph {
        id: "times",
        title: "Completion times",
        about: "Bars: how many writes took how long; delays are marked.",
        values: times,
    },
    Graph {
        id: "written",
        title: "Delays against data written",
        about: "Dots: the longest write of each stretch of data, and every delay.",
        values: written,
    },
    Graph {
        id: "backlog",
        title: "Backlog of a stream",
        about: "Lines: data waiting in a stream's buffer over time.",
        values: backlog,
    },
];

/// The section of graphs.
pub(super) fn section(page: &mut String, shown: &[Shown<'_>]) {
    page.push_str(
        "<section id=\"graphs\" aria-labelledby=\"graphs-title\">\n<h2 id=\"graphs-title\">Graphs</h2>\n\
         <div id=\"switches\" class=\"switches\"></div>\n\
         <noscript><p>The graphs need scripts; their values are in the tables below each.</p></noscript>\n",
    );
    for Graph { id, title, about, values } in GRAPHS {
        let _ = writeln!(
            page,
            "<figure class=\"graph\" id=\"graph-{id}\">\n\
             <figcaption><h3>{title}</h3><p class=\"state\"></p></figcaption>\n\
             <div class=\"tools\"></div>\n\
             <div class=\"plot\" role=\"img\" tabindex=\"0\" aria-label=\"{about}\"></div>\n\
             <p class=\"readout\" aria-live=\"off\"></p>\n\
             <details><summary>The values as a table</summary>"
        );
        values(page, shown);
        page.push_str("</details>\n</figure>\n");
    }
    page.push_str("</section>\n");
}

fn times(page: &mut String, shown: &[Shown<'_>]) {
    table::open(page, "", "Completion times", &["From", "Writes"]);
    for one in shown {
        if shown.len() > 1 {
            table::group(page, &one.report.label, 1);
        }
        let bins = drivelab_analysis::LogBins::of(one.report.figures.all.histogram());
        for (edge, count) in bins.edges.iter().zip(&bins.counts).filter(|(_, count)| **count > 0) {
            table::row(page, &nanos(*edge as f64), &[whole(*count)]);
        }
    }
    table::close(page);
}

fn written(page: &mut String, shown: &[Shown<'_>]) {
    table::open(page, "", "Longest writes", &["Data written", "Longest write"]);
    for one in shown {
        if shown.len() > 1 {
            table::group(page, &one.report.label, 1);
        }
        let columns = document::longest(one.report.stream);
        let width = columns.longest.len().div_ceil(ROWS).max(1);
        for (place, part) in columns.longest.chunks(width).enumerate() {
            let from = (place * width) as u64 * columns.writes * one.report.stream.block_bytes();
            let longest = part.iter().copied().max().unwrap_or(0);
            table::row(page, &bytes(from), &[nanos(longest as f64)]);
        }
    }
    table::close(page);
}

fn backlog(page: &mut String, shown: &[Shown<'_>]) {
    table::open(page, "", "Backlog", &["Time", "Largest backlog until then"]);
    for one in shown {
        let courses = one.document.buffer.iter().zip(&one.courses);
        for (stream, course) in courses.filter(|(buffer, _)| buffer.sustained) {
            table::group(page, &format!("{}, {} MB/s", one.report.label, rate(stream.stream_mb_s)), 1);
            let width = course.largest.len().div_ceil(ROWS / 3).max(1);
            for (place, part) in course.largest.chunks(width).enumerate() {
                let at = (place * width) as f64 * course.column_s;
                table::row(page, &seconds(at), &[bytes(part.iter().copied().max().unwrap_or(0))]);
            }
        }
    }
    table::close(page);
}
