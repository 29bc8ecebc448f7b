//! The writes of a stream: their times, their delays, and the buffer that streams need.

use drivelab_stats::{
    Backlog, BufferCurve, DelayFigures, DeviceTimes, KeepsUp, Moments, SeenDelays, SeenWrites, StreamWrites,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BacklogCourse, BufferNeed, CompletionTimes, DELAYS_MAX, DelayFound, DeviceTimesFindings, LongestWrites,
    Spread, TimesSummary,
};
use crate::RecordedRequests;
use crate::read_back::VerifiedKind as _;
use crate::stalls::{Stalls, StallsSettings};

/// Shares of what a drive takes for which a buffer is computed.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];

/// The writes of a stream, and what follows from their times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFindings {
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Writes that failed.
    pub failed_writes: u64,
    /// Writes whose times do not count, as the program stood still meanwhile; absent where there are none.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub left_out_writes: u64,
    /// Writes that count without the time in which the program stood still, and so took at least as long as is counted; absent
    /// where there are none.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub at_least_writes: u64,
    /// The shortest completion time that is a lower bound, in nanoseconds, of a write that counts without the time in which the
    /// program stood still, or that the drive had not answered when it was given up: so is that of the longest write, and of
    /// delays on average. Absent where all times are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least_from_ns: Option<u64>,
    /// How long the program stood still during the stream, in nanoseconds; absent where it did not.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub stood_still_ns: u64,
    /// From the start of the stream to its last completion.
    pub duration_s: f64,
    /// Bytes written over that time without the standstills; none before the first completion.
    pub mb_s: Option<f64>,
    /// The share of that time in which a write was in flight; in the rest of it the drive rested.
    pub busy_share: Option<f64>,
    /// Completion times of the writes that are no delays.
    pub write_ns: Option<TimesSummary>,
    /// Completion times of all writes.
    pub all_writes_ns: Option<TimesSummary>,
    /// What of these times was the device's; none where it was not recorded.
    pub device: Option<DeviceTimesFindings>,
    /// From when on a write is a delay; none where none is.
    pub delay_threshold_ns: Option<u64>,
    /// The delays, in the order of completion; the first ten thousand.
    pub delays: Vec<DelayFound>,
    /// The completion times of all delays.
    pub delay_ns: Option<Spread>,
    /// Bytes from one delay to the next.
    pub bytes_between: Option<Spread>,
    /// Delays that come less often than this may not have been seen: with 95 % confidence their mean distance is over a third
    /// of what was written (the rule of three: of a Poisson process that was not seen, `exp(-3)` = 5 %).
    pub may_have_missed_bytes: u64,
    /// The buffers that streams of several rates need: those that were asked for; the run's own where it was paced, else shares
    /// of it.
    pub buffers: Vec<BufferNeed>,
    /// What gives the buffer for any other rate.
    pub buffer_curve: BufferCurve,
    /// How many writes took how long.
    pub completion_times: CompletionTimes,
    /// The longest writes over the data written.
    pub longest_writes: LongestWrites,
    /// The backlogs over time of the streams that the drive keeps up with.
    pub backlogs: Vec<BacklogCourse>,
}

impl StreamFindings {
    pub(in crate::stalls) fn from_stream(stream: &StreamWrites, settings: &StallsSettings) -> StreamFindings {
        let figures = DelayFigures::from_stream(stream);
        let rates = rates(stream.rate(), settings);
        // A run on a schedule that a delay near its end has thrown back did not rest.
        let own_rate = settings.rate_bytes_s.or(stream.rate());
        let backlogs: Vec<Backlog> = rates.iter().map(|rate| Backlog::from_stream(stream, *rate)).collect();
        let (block, logical) = (stream.block_bytes, Stalls::logical_block_bytes(settings));
        let delays = figures.delays.iter().take(DELAYS_MAX);
        StreamFindings {
            written_bytes: stream.bytes(),
            failed_writes: stream.failed,
            left_out_writes: stream.delayed.left_out,
            at_least_writes: stream.delayed.at_least,
            at_least_from_ns: stream.shortest_bound,
            stood_still_ns: stream.stood_still(),
            duration_s: stream.span() as f64 / 1e9,
            mb_s: stream.rate().map(|rate| rate / 1e6),
            busy_share: stream.busy_share(),
            write_ns: TimesSummary::from_times(&figures.rest),
            all_writes_ns: TimesSummary::from_times(&figures.all),
            device: None,
            delay_threshold_ns: figures.threshold,
            delays: delays.map(|delay| DelayFound::from_delay(delay, block, logical)).collect(),
            delay_ns: Spread::from_moments(&figures.durations),
            bytes_between: Spread::from_moments(&figures.between),
            may_have_missed_bytes: stream.bytes() / 3,
            buffers: backlogs
                .iter()
                .map(|backlog| BufferNeed::from_backlog(backlog, own_rate, was_asked(settings, backlog.rate)))
                .collect(),
            buffer_curve: BufferCurve::from_stream(stream),
            completion_times: CompletionTimes::from_times(&figures.all),
            longest_writes: LongestWrites::from_stream(stream),
            backlogs: backlogs
                .iter()
                .filter(|backlog| backlog.sustained)
                .map(|backlog| BacklogCourse::from_stream(stream, backlog.rate))
                .collect(),
        }
    }

    /// Whether the time of the longest write, and that of delays on average, is a lower bound.
    pub(in crate::stalls) fn is_bound(&self) -> bool {
        self.at_least_from_ns.is_some()
    }

    /// The delays of the run.
    pub(in crate::stalls) fn seen_delays(&self) -> SeenDelays {
        let Some(found) = self.delay_ns else { return SeenDelays::default() };
        SeenDelays {
            count: found.count,
            mean_ns: found.mean,
            stddev_ns: found.stddev,
            longest_ns: self.all_writes_ns.map_or(0, |times| times.max),
        }
    }

    /// Whether the drive keeps up with a stream of `rate` bytes a second for long, as far as the run in blocks of so many bytes
    /// shows it.
    pub(in crate::stalls) fn keeps_up(&self, block_bytes: u64, rate: f64) -> KeepsUp {
        let curve = self.buffer_curve.of_blocks(block_bytes);
        curve.keeps_up(rate, self.seen_writes(block_bytes))
    }

    /// How many times as long a run would have to be to show that; none if there is no such length.
    pub(in crate::stalls) fn lengths_to_show(&self, block_bytes: u64, rate: f64) -> Option<f64> {
        let curve = self.buffer_curve.of_blocks(block_bytes);
        curve.lengths_to_show(rate, self.seen_writes(block_bytes))
    }

    fn seen_writes(&self, block_bytes: u64) -> SeenWrites {
        SeenWrites {
            delays: self.seen_delays(),
            late_delays: self.late_delays(block_bytes),
            stddev_ns: self.write_ns.map_or(0.0, |times| times.stddev),
        }
    }

    /// The delays among the late writes. Where too many came to keep them one by one, as many as their share of all writes.
    fn late_delays(&self, block_bytes: u64) -> SeenDelays {
        let (all, curve) = (self.seen_delays(), &self.buffer_curve);
        if all.count > self.delays.len() as u64 {
            return SeenDelays { count: all.count * curve.late_writes / curve.writes.max(1), ..all };
        }
        let late_from = self.written_bytes.saturating_sub(curve.late_writes * block_bytes);
        let mut durations = Moments::default();
        for delay in self.delays.iter().filter(|delay| delay.bytes_before >= late_from) {
            durations.add(delay.duration_ns);
        }
        SeenDelays {
            count: durations.count(),
            mean_ns: durations.mean().unwrap_or(0.0),
            stddev_ns: durations.stddev().unwrap_or(0.0),
            longest_ns: durations.max().unwrap_or(0),
        }
    }

    /// Takes what of the writes' times was the device's, of a stream that started at this moment of the run's clock.
    pub(in crate::stalls) fn take_device(
        &mut self,
        stream: &StreamWrites,
        started_at_ns: i64,
        recorded: RecordedRequests,
    ) {
        let RecordedRequests { folder, zero_ns, first_sector, span, lost_events, requests } = recorded;
        let requests = requests.map(|(issued, io)| (issued.saturating_sub(started_at_ns), io));
        let times = DeviceTimes::match_requests(stream, first_sector, requests);
        for (found, delay) in self.delays.iter_mut().zip(&DelayFigures::from_stream(stream).delays) {
            found.device_ns = times.of_write(delay.longest);
        }
        self.device = Some(DeviceTimesFindings {
            measured: span,
            times_ns: TimesSummary::from_times(&times.distribution()),
            folder,
            zero_ns,
            first_sector,
            lost_events,
            unmatched: times.unmatched,
        });
    }
}

/// The rates of streams that a buffer is computed for, in bytes a second.
fn rates(own: Option<f64>, settings: &StallsSettings) -> Vec<f64> {
    let mut rates: Vec<f64> = match settings.rate_bytes_s {
        Some(rate) => vec![rate],
        None => shares_of(own.unwrap_or(0.0)),
    };
    rates.extend(&settings.stream_rates_bytes_s);
    rates.retain(|rate| *rate > 0.0);
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

/// Shares of a rate, rounded to two digits.
pub(in crate::stalls) fn shares_of(rate: f64) -> Vec<f64> {
    SHARES.iter().map(|share| two_digits(rate * share)).collect()
}

fn was_asked(settings: &StallsSettings, rate: f64) -> bool {
    let mut asked = settings.stream_rates_bytes_s.iter().chain(&settings.rate_bytes_s);
    asked.any(|asked| (asked - rate).abs() < 1.0)
}

fn two_digits(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}
