//! The page of tests in rounds.

use std::fmt::Write as _;

use super::document::{PtsCellDocument, PtsDocument, PtsHistogramDocument, PtsTestDocument};
use super::sentences::{OVER_ROUNDS, state};
use crate::format::{bytes, decade, nanos, rate, short_rate, whole};
use crate::html::{Escaped, table};
use crate::still::chart::{Across, Chart, Line, Point, marks_to};
use crate::still::{close, conditions, legend, notices, open, paragraph};

/// So many cells are shown without being asked for.
const SHOWN_AT_ONCE: usize = 10;

/// The whole page.
pub fn pts_html(document: &PtsDocument) -> String {
    let lead = format!(
        "{}. A cell of a round lasts {} s. Each test purges the range and writes it twice in sequence first, but for \
         saturation, which begins with a purged drive. Cells are named by order, \
         block, reads/writes of a hundred, and threads x requests in flight. {OVER_ROUNDS}",
        document.style, document.round_s
    );
    let kicker = format!("drivelab · tests in rounds · {}", bytes(document.size_bytes));
    let mut page = open(&document.target, &kicker, &lead);
    notices(&mut page, document.notices.iter().map(String::as_str));
    for test in &document.tests {
        let _ = writeln!(page, "<section><h2>{}</h2>", Escaped(test.test));
        paragraph(&mut page, &state(test));
        charts(&mut page, test);
        figures(&mut page, test);
        page.push_str("</section>\n");
    }
    conditions(&mut page, &document.conditions);
    close(&mut page);
    page
}

/// Each chart beside the next, with its own legend above it.
fn charts(page: &mut String, test: &PtsTestDocument) {
    let own: Option<fn(&mut String, &PtsTestDocument)> = match test.test {
        "iops" => Some(mixes),
        "demand" => Some(demand),
        "idle-recovery" => Some(idle),
        _ => None,
    };
    let over_time: Option<fn(&mut String, &PtsTestDocument)> = (test.test != "demand").then_some(rounds);
    let times = test.histogram.as_ref().map(|_| times as fn(&mut String, &PtsTestDocument));
    page.push_str("<div class=\"wide\">");
    for draw in [own, over_time, times].into_iter().flatten() {
        page.push_str("<div>");
        draw(page, test);
        page.push_str("</div>");
    }
    page.push_str("</div>\n");
}

fn chart(
    page: &mut String,
    title: &str,
    across: &Across<'_>,
    log: bool,
    text: fn(f64) -> String,
    lines: Vec<Line>,
) {
    page.push_str(&Chart { title, across, log, text, least_top: 0.0, lines }.svg());
}

/// A line of points that cells make.
fn line(index: usize, points: impl Iterator<Item = (f64, f64)>) -> Line {
    Line {
        index: index % 8,
        dashed: false,
        points: points.map(|(x, y)| Point { x, y, interval: None }).collect(),
    }
}

/// IOPS by block, a line a mix.
fn mixes(page: &mut String, test: &PtsTestDocument) {
    let mut mixes: Vec<u8> = test.cells.iter().map(|cell| cell.read_percent).collect();
    mixes.dedup();
    let names: Vec<String> = mixes.iter().map(|mix| format!("{mix}/{}", 100 - mix)).collect();
    legend(page, names.iter().map(String::as_str).enumerate(), "Reads/writes of a hundred.");
    let mut blocks: Vec<f64> = test.cells.iter().map(|cell| cell.block_bytes as f64 / 1024.0).collect();
    blocks.sort_by(f64::total_cmp);
    blocks.dedup();
    let across = Across { label: "block (KiB)", log: true, marks: blocks, text: |value| value.to_string() };
    let lines = mixes.iter().enumerate().map(|(index, mix)| {
        let of_mix = test.cells.iter().rev().filter(|cell| cell.read_percent == *mix);
        line(index, of_mix.filter_map(|cell| Some((cell.block_bytes as f64 / 1024.0, cell.result?.iops))))
    });
    chart(page, "IOPS", &across, true, short_rate, lines.collect());
}

/// Response time against rate, a line a number of threads.
fn demand(page: &mut String, test: &PtsTestDocument) {
    let mut threads: Vec<u16> = test.cells.iter().map(|cell| cell.workers).collect();
    threads.dedup();
    let names: Vec<String> = threads.iter().map(|workers| format!("{workers} threads")).collect();
    legend(page, names.iter().map(String::as_str).enumerate(), "Each point is a depth of 1 to 32.");
    let most = test.cells.iter().filter_map(|cell| Some(cell.result?.iops)).fold(0.0, f64::max);
    let across = Across { label: "IOPS", log: false, marks: marks_to(most, 5), text: short_rate };
    let lines = threads.iter().enumerate().map(|(index, workers)| {
        let of_threads = test.cells.iter().filter(|cell| cell.workers == *workers);
        line(index, of_threads.filter_map(|cell| Some((cell.result?.iops, cell.result?.mean_ns))))
    });
    chart(page, "Mean response time", &across, true, decade, lines.collect());
}

/// The rate of bursts against the idle time before them.
fn idle(page: &mut String, test: &PtsTestDocument) {
    let marks: Vec<f64> = test.cells.iter().map(|cell| cell.idle_s as f64).collect();
    let across = Across { label: "idle time before (s)", log: false, marks, text: |value| value.to_string() };
    let bursts = test.cells.iter().filter_map(|cell| Some((cell.idle_s as f64, cell.result?.iops)));
    chart(page, "IOPS of five seconds", &across, false, short_rate, vec![line(0, bursts)]);
}

/// Every measurement in the order of time: of the tracked cell, or of each of a few.
fn rounds(page: &mut String, test: &PtsTestDocument) {
    let all: Vec<&PtsCellDocument> = match test.tracked {
        Some(tracked) => test.cells.get(tracked).into_iter().collect(),
        None => test.cells.iter().collect(),
    };
    let most = all.iter().map(|cell| cell.samples.len()).max().unwrap_or(0);
    if most < 2 {
        return;
    }
    legend(page, all.iter().map(|cell| cell.name.as_str()).enumerate(), "Each point is a round.");
    let across = Across {
        label: "round",
        log: false,
        marks: marks_to(most as f64, 5),
        text: |value| value.to_string(),
    };
    let lines = all.iter().enumerate().map(|(index, cell)| {
        line(index, cell.samples.iter().enumerate().map(|(round, sample)| ((round + 1) as f64, sample.mb_s)))
    });
    chart(page, "MB/s, round by round", &across, false, short_rate, lines.collect());
}

/// How often times of each length were in the long look at the end.
fn times(page: &mut String, test: &PtsTestDocument) {
    let Some(PtsHistogramDocument { edges_ns, counts }) = &test.histogram else { return };
    let middle = |bin: usize| (edges_ns[bin] as f64 * edges_ns[bin + 1] as f64).sqrt();
    let Some(mode) = (0..counts.len()).max_by_key(|bin| counts[*bin]) else { return };
    let words = format!(
        "The long look: n = {}, bins of an eighth of an octave, mode {}.",
        whole(counts.iter().sum()),
        nanos(middle(mode))
    );
    legend(page, std::iter::empty(), &words);
    let (least, most) = (edges_ns[0].max(1), edges_ns[counts.len()].max(1));
    let decades = least.ilog10()..=most.ilog10() + 1;
    let marks = decades.map(|decade| 10u64.saturating_pow(decade) as f64).collect();
    let across = Across { label: "service time", log: true, marks, text: decade };
    let found: Vec<usize> = (0..counts.len()).filter(|bin| counts[*bin] > 0).collect();
    // No line leads through bins that hold nothing.
    let stretches = found.chunk_by(|one, next| next - one == 1);
    let lines = stretches.map(|bins| line(0, bins.iter().map(|bin| (middle(*bin), counts[*bin] as f64))));
    chart(page, "I/Os a bin", &across, true, short_rate, lines.collect());
}

fn figures(page: &mut String, test: &PtsTestDocument) {
    let open = if test.cells.len() <= SHOWN_AT_ONCE { " open" } else { "" };
    let _ = writeln!(page, "<details{open}><summary>All cells</summary>");
    let heads = ["cell", "IOPS", "MB/s", "mean", "p50", "p99", "p99.9", "p99.99", "max", "rounds"];
    table::open(page, "", test.test, &heads);
    for cell in &test.cells {
        let shown = cell.result.map_or_else(Vec::new, |result| {
            let times = [result.p50_ns, result.p99_ns, result.p99_9_ns, result.p99_99_ns, result.max_ns];
            let mut cells = vec![rate(result.iops), rate(result.mb_s), nanos(result.mean_ns)];
            cells.extend(times.map(|time| nanos(time as f64)));
            cells.push(whole(cell.samples.len() as u64));
            cells
        });
        table::row(page, &cell.name, &shown);
    }
    table::close(page);
    page.push_str("</details>\n");
}
