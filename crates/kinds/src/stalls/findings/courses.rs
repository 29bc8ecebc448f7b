//! What charts show, in a bounded number of columns.

use drivelab_stats::{Backlog, Distribution, LogBins, StreamWrites};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Columns of a chart over data or time.
const COLUMNS: usize = 1_000;

/// How many writes took how long, in bins of an eighth of an octave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompletionTimes {
    /// Where each bin begins, and where the last one ends.
    pub edges_ns: Vec<u64>,
    /// How many writes each bin holds.
    pub counts: Vec<u64>,
}

/// The longest write of each of about a thousand stretches of data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongestWrites {
    /// Bytes of a stretch.
    pub column_bytes: u64,
    /// The completion time of its longest write.
    pub longest_ns: Vec<u64>,
}

/// The backlog of a stream over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BacklogCourse {
    /// The stream's rate.
    pub stream_mb_s: f64,
    /// The time that a column spans.
    pub column_ns: u64,
    /// The largest backlog in each of a thousand columns.
    pub largest_bytes: Vec<u64>,
}

impl CompletionTimes {
    pub(super) fn from_times(times: &Distribution) -> CompletionTimes {
        let LogBins { edges, counts } = LogBins::from_histogram(times.histogram());
        CompletionTimes { edges_ns: edges, counts }
    }
}

impl LongestWrites {
    pub(super) fn from_stream(stream: &StreamWrites) -> LongestWrites {
        let writes = stream.writes().len().div_ceil(COLUMNS).max(1);
        let mut longest_ns = vec![0; stream.writes().len().div_ceil(writes)];
        for (place, write) in stream.judged() {
            let longest = &mut longest_ns[place / writes];
            *longest = write.duration().max(*longest);
        }
        LongestWrites { column_bytes: writes as u64 * stream.block_bytes, longest_ns }
    }
}

impl BacklogCourse {
    /// The backlog of a stream of `rate` bytes a second.
    pub(super) fn from_stream(stream: &StreamWrites, rate: f64) -> BacklogCourse {
        let column_ns = Backlog::from_stream(stream, rate).lasted.div_ceil(COLUMNS as u64).max(1);
        let mut largest_bytes = vec![0; COLUMNS];
        let (mut next, mut before) = (0, (0.0, 0.0));
        Backlog::follow(stream, rate, |end, backlog| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a column, and bytes"
            )]
            let as_count = |number: f64| number.max(0.0) as u64;
            let column =
                usize::try_from(as_count(end / column_ns as f64)).unwrap_or(COLUMNS).min(COLUMNS - 1);
            // While a write goes on for longer than a column, the backlog grows.
            for (number, cell) in largest_bytes.iter_mut().enumerate().take(column).skip(next) {
                let until = (number + 1) as f64 * column_ns as f64;
                *cell = as_count(before.1 + rate * (until - before.0) / 1e9);
            }
            largest_bytes[column] = backlog.max(largest_bytes[column]);
            (next, before) = (column + 1, (end, backlog as f64 - stream.block_bytes as f64));
        });
        BacklogCourse { stream_mb_s: rate / 1e6, column_ns, largest_bytes }
    }
}
