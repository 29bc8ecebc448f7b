//! What the page's program reads: `drivelab.stallspage/1`, embedded in the page. `page/src/stallsmodel.ts` mirrors it.

use drivelab_analysis::{Backlog, LogBins, StreamWrites};
use serde::Serialize;

use super::Shown;

/// The schema name of the embedded document.
const PAGE_SCHEMA: &str = "drivelab.stallspage/1";
/// Columns of a graph over data or time.
const COLUMNS: usize = 1_000;

/// The embedded document.
#[derive(Serialize)]
pub(super) struct PageDocument {
    schema: &'static str,
    streams: Vec<PageStream>,
}

#[derive(Serialize)]
struct PageStream {
    label: String,
    /// Counts between the edges of bins of an eighth of an octave.
    edges_ns: Vec<u64>,
    counts: Vec<u64>,
    threshold_ns: Option<u64>,
    /// Bytes of a column of `longest_us`.
    column_bytes: u64,
    longest_us: Vec<u64>,
    /// Bytes written before it, how long it took in microseconds, and seconds from the start.
    delays: Vec<(u64, u64, f64)>,
    backlogs: Vec<PageBacklog>,
}

#[derive(Serialize)]
struct PageBacklog {
    mb_s: f64,
    asked: bool,
    sustained: bool,
    reached: bool,
    column_s: f64,
    /// The largest backlog in each column, in kilobytes.
    kb: Vec<u64>,
}

/// The longest write of every so many.
pub(super) struct Longest {
    /// Writes of a column.
    pub writes: u64,
    /// In nanoseconds.
    pub longest: Vec<u64>,
}

/// The longest write of each of about a thousand stretches.
pub(super) fn longest(stream: &StreamWrites) -> Longest {
    let writes = stream.writes().len().div_ceil(COLUMNS).max(1);
    let longest = stream
        .writes()
        .chunks(writes)
        .map(|part| part.iter().map(drivelab_analysis::StreamWrite::duration).max().unwrap_or(0));
    Longest { writes: writes as u64, longest: longest.collect() }
}

/// The middle of a stretch, in bytes that were written before it, where each is `width` bytes long.
pub(super) fn middle(column: usize, width: u64) -> f64 {
    (column as f64 + 0.5) * width as f64
}

/// A backlog over time.
pub(super) struct BacklogCourse {
    /// Seconds of a column.
    pub column_s: f64,
    /// The largest backlog in each, in bytes.
    pub largest: Vec<u64>,
}

impl BacklogCourse {
    /// The backlog of a stream of `rate` bytes a second, in about a thousand stretches of time.
    pub(super) fn of(stream: &StreamWrites, rate: f64) -> BacklogCourse {
        let lasted = Backlog::of(stream, rate).lasted().max(1);
        let column_s = lasted as f64 / 1e9 / COLUMNS as f64;
        let mut largest = vec![0; COLUMNS];
        Backlog::follow(stream, rate, |end, backlog| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column's number")]
            let column = (end / 1e9 / column_s) as usize;
            let cell = &mut largest[column.min(COLUMNS - 1)];
            *cell = backlog.max(*cell);
        });
        BacklogCourse { column_s, largest }
    }
}

impl PageDocument {
    pub fn of(shown: &[Shown<'_>]) -> PageDocument {
        PageDocument { schema: PAGE_SCHEMA, streams: shown.iter().map(PageStream::of).collect() }
    }
}

impl PageStream {
    fn of(one: &Shown<'_>) -> PageStream {
        let (stream, figures) = (one.report.stream, &one.report.figures);
        let bins = LogBins::of(figures.all.histogram());
        let longest = longest(stream);
        let backlogs = one.document.buffer.iter().zip(&one.courses).map(|(buffer, course)| PageBacklog {
            mb_s: buffer.stream_mb_s,
            asked: buffer.asked,
            sustained: buffer.sustained,
            reached: buffer.reached,
            column_s: course.column_s,
            kb: course.largest.iter().map(|bytes| bytes.div_ceil(1_000)).collect(),
        });
        PageStream {
            label: one.report.label.clone(),
            edges_ns: bins.edges,
            counts: bins.counts,
            threshold_ns: figures.threshold,
            column_bytes: longest.writes * stream.block_bytes(),
            longest_us: longest.longest.iter().map(|nanos| nanos.div_ceil(1_000)).collect(),
            delays: figures
                .delays
                .iter()
                .take(10_000)
                .map(|delay| {
                    let before = delay.write as u64 * stream.block_bytes();
                    (before, delay.duration.div_ceil(1_000), delay.at as f64 / 1e9)
                })
                .collect(),
            backlogs: backlogs.collect(),
        }
    }
}
