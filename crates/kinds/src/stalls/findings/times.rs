//! Completion times, the delays among them, the buffers that streams need for these, and what charts show of all that.

use drivelab_stats::{Backlog, Delay, Distribution, LogBins, Moments, StreamWrites};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RequestSpan;
use crate::whole::whole_part;

/// A distribution of times, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimesSummary {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; 0 of a single one.
    pub stddev: f64,
    /// The 99th percentile, within 1 %.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// A mean and its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; 0 of a single one.
    pub stddev: f64,
}

/// What of the writes' times was the device's, by the kernel's block events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceTimesFindings {
    /// What is measured of a request; a write is from the issue of its first one to the completion of its last one.
    pub measured: RequestSpan,
    /// The device's times of the writes that were found among its requests, in nanoseconds.
    pub times_ns: Option<TimesSummary>,
    /// The folder of the trace, in that of the run.
    pub folder: String,
    /// The zero of the trace's times on the clock of the run, in nanoseconds.
    pub zero_ns: i64,
    /// The first sector of the target on the device that was recorded: a partition's start.
    pub first_sector: u64,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
    /// Requests that belong to no write of the stream.
    pub unmatched: u64,
}

impl TimesSummary {
    /// The summary of a distribution; none of an empty one.
    pub(super) fn from_times(times: &Distribution) -> Option<TimesSummary> {
        let moments = times.moments();
        Some(TimesSummary {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
            p99: times.quantile(0.99)?,
            max: moments.max()?,
        })
    }
}

impl Spread {
    /// The spread of some values; none where there is no value.
    pub(super) fn from_moments(moments: &Moments) -> Option<Spread> {
        Some(Spread {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
        })
    }
}

/// The least buffer that is called large enough, in bytes.
const LEAST: u64 = 4 << 20;

/// The buffer that a stream of one rate needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferNeed {
    /// The stream's rate.
    pub stream_mb_s: f64,
    /// Whether it was asked for.
    pub asked: bool,
    /// The largest backlog that the run would have built.
    pub largest_backlog_bytes: u64,
    /// Whether the drive keeps up with the stream on average; where not, the backlog grows with the run.
    pub sustained: bool,
    /// Whether the run itself wrote as fast; where not, the drive rested between writes, which the stream would not allow.
    pub reached: bool,
    /// How often buffers of a quarter, of a half and of the whole of a size that was large enough are too small for a
    /// block; empty where the drive does not keep up, since no size is large enough then.
    pub overflow: Vec<OverflowShare>,
}

/// How often a buffer is too small.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverflowShare {
    /// Its size.
    pub buffer_bytes: u64,
    /// The share of blocks for which it is too small.
    pub share: f64,
}

/// The buffer that was large enough for a backlog of so many bytes: the least power of two that holds it.
pub(crate) fn large_enough(backlog: u64) -> u64 {
    backlog.max(LEAST).checked_next_power_of_two().unwrap_or(1 << 63)
}

impl BufferNeed {
    /// What a replayed backlog shows of a run that wrote so many bytes a second itself. Between the writes of a slower one the
    /// drive rested; a hundredth less is the last write's.
    pub(super) fn from_backlog(backlog: &Backlog, own_rate: Option<f64>, asked: bool) -> BufferNeed {
        let enough = large_enough(backlog.largest);
        let overflow = [enough / 4, enough / 2, enough]
            .map(|buffer| OverflowShare { buffer_bytes: buffer, share: backlog.overflow(buffer) });
        BufferNeed {
            stream_mb_s: backlog.rate / 1e6,
            asked,
            largest_backlog_bytes: backlog.largest,
            sustained: backlog.sustained,
            reached: own_rate.is_some_and(|own| own >= backlog.rate * 0.99),
            overflow: if backlog.sustained { overflow.into() } else { Vec::new() },
        }
    }
}

/// The most delays that are kept one by one; all of them are counted.
pub const DELAYS_MAX: usize = 10_000;

/// A delay: a write that took far longer than the others, or several that waited at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayFound {
    /// When it was submitted, from the start of the stream.
    pub at_ns: u64,
    /// How long its longest write took, in nanoseconds.
    pub duration_ns: u64,
    /// What of it was the device's time; none where that was not recorded.
    pub device_ns: Option<u64>,
    /// Writes that waited for it: more than one where several are in flight.
    pub writes: u64,
    /// The first logical block of the longest write.
    pub lba: u64,
    /// Bytes that were written before its last write.
    pub bytes_before: u64,
    /// Bytes written from the end of the delay before to the end of this one; the first has none.
    pub bytes_since_previous: Option<u64>,
}

impl DelayFound {
    /// When it was submitted, in seconds from the start of the stream.
    pub fn at_s(&self) -> f64 {
        self.at_ns as f64 / 1e9
    }

    /// A delay of a stream in blocks of so many bytes, on a drive with logical blocks of so many.
    pub(super) fn from_delay(delay: &Delay, block_bytes: u64, logical_block_bytes: u32) -> DelayFound {
        DelayFound {
            at_ns: delay.at,
            duration_ns: delay.duration,
            device_ns: None,
            writes: delay.writes,
            lba: delay.sector / u64::from(logical_block_bytes / 512).max(1),
            bytes_before: delay.write as u64 * block_bytes,
            bytes_since_previous: delay.bytes_since_previous,
        }
    }
}

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
            let column =
                usize::try_from(whole_part(end / column_ns as f64)).unwrap_or(COLUMNS).min(COLUMNS - 1);
            // While a write goes on for longer than a column, the backlog grows.
            for (number, cell) in largest_bytes.iter_mut().enumerate().take(column).skip(next) {
                let until = (number + 1) as f64 * column_ns as f64;
                *cell = whole_part(before.1 + rate * (until - before.0) / 1e9);
            }
            largest_bytes[column] = backlog.max(largest_bytes[column]);
            (next, before) = (column + 1, (end, backlog as f64 - stream.block_bytes as f64));
        });
        BacklogCourse { stream_mb_s: rate / 1e6, column_ns, largest_bytes }
    }
}
