//! Can a drive record some channels for some time? What a run of `stalls` shows of it, and what it does not.

mod judged;
mod view;

use drivelab_stats::KeepsUp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use view::view;

use super::findings::large_enough;
use super::{Stalls, StreamFindings};
use crate::StoredResult;
use crate::whole::whole_part;

/// What is to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecorderRequest {
    /// How many channels.
    pub channels: u32,
    /// Bytes a second of each channel.
    pub channel_bytes_s: f64,
    /// How long, in nanoseconds.
    pub duration_ns: u64,
    /// Bytes of the longest frame.
    pub frame_bytes: u64,
    /// Whether the newest part of the recording overwrites the oldest where the drive is full.
    pub cyclic: bool,
    /// What a block of the recording holds of frames: its bytes, and those of them that are its header.
    pub block: (u64, u64),
}

/// What is known of the drive.
#[derive(Clone, Copy)]
pub struct RecorderDrive<'a> {
    /// Its name, as a command takes it.
    pub target: &'a str,
    /// What `--serial` confirms it with; none where that is not known, or is not to be shown.
    pub confirmation: Option<&'a str>,
    /// Its capacity.
    pub size_bytes: u64,
    /// Whether it is a simulated drive, which nothing can be recorded to.
    pub is_simulated: bool,
    /// A run of `stalls` on it; none where nothing was measured.
    pub run: Option<&'a StoredResult<Stalls>>,
}

/// Whether a drive can record what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecorderAnswer {
    /// It can: it was written three times as much, as fast, for three times as long, and took it.
    Yes,
    /// It cannot.
    No,
    /// Neither is shown.
    NotShown,
}

/// What is known of a recording that is planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecorderPlan {
    /// The drive, as a command takes it.
    pub target: String,
    /// What `--serial` confirms it with; absent where that is not known, or is not to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<String>,
    /// What is to be recorded.
    pub request: RecorderRequest,
    /// Whether the drive can record it.
    pub answer: RecorderAnswer,
    /// Why it cannot, or why it is not shown, in sentences without their final stop; empty where it can.
    pub reasons: Vec<String>,
    /// What the recording takes of the drive, blocks with their headers.
    pub needed_bytes: u64,
    /// The capacity of the drive.
    pub size_bytes: u64,
    /// How long the newest part of the recording is that stays, in nanoseconds, where the drive has no room for all of it; null
    /// where all of it stays.
    pub kept_ns: Option<u64>,
    /// Whether a rate that is a tenth higher would be too much, or needs more than twice the buffer; null unless the answer is
    /// yes.
    pub has_small_margin: Option<bool>,
    /// Whether it is a simulated drive, which nothing can be recorded to.
    pub is_simulated: bool,
    /// Bytes a second of all channels together, blocks with their headers.
    pub total_bytes_s: f64,
    /// The most that the drive takes for long by the run, in bytes a second; null where nothing was measured.
    pub sustained_bytes_s: Option<f64>,
    /// What the run wrote; null where nothing was measured.
    pub measured_bytes: Option<u64>,
    /// How long it wrote, in nanoseconds; null likewise.
    pub measured_ns: Option<u64>,
    /// Whether the run wrote at a rate of its own: it shows no more than that.
    pub measured_at_a_rate: bool,
    /// The longest write of the run, in nanoseconds; null where nothing was measured.
    pub longest_write_ns: Option<u64>,
    /// Delays that come less often than this may not have been seen, in bytes; null where nothing was measured.
    pub may_have_missed_bytes: Option<u64>,
    /// The delays of the run; null where nothing was measured.
    pub delays: Option<u64>,
    /// How long a delay the buffers hold, in nanoseconds: the longest that has to be expected by those of the run, at least the
    /// longest of them; null where there was none.
    pub longest_delay_ns: Option<u64>,
    /// What a run has to write for a yes: a delay that comes once in each recording shows in it with 95 % confidence.
    pub needed_run_bytes: u64,
    /// How long such a run has to last, in nanoseconds.
    pub needed_run_ns: u64,
    /// The largest backlog that the run would have built for all channels together; null where the drive does not keep up, or
    /// nothing was measured.
    pub backlog_bytes: Option<u64>,
    /// The buffer of each channel: its part of the backlog, with what a longer delay adds, a frame and a block, rounded up to a
    /// power of two; null likewise.
    pub ring_bytes: Option<u64>,
    /// The same for 1.1 times the rate of the channels; null likewise, and where the run wrote at a rate below that.
    pub ring_bytes_for_a_tenth_more: Option<u64>,
}

/// How many times as much, and as long, as the recording a run has to write for a yes: of delays that come once in each recording
/// on average, it then shows at least one with 95 % confidence (the rule of three).
const RUNS: u64 = 3;

impl RecorderPlan {
    /// What is known of this recording on this drive.
    pub fn judge_drive(request: RecorderRequest, drive: RecorderDrive<'_>) -> RecorderPlan {
        // As it is written: blocks with their headers.
        let (block, header) = request.block;
        let total =
            f64::from(request.channels) * request.channel_bytes_s * block as f64 / (block - header) as f64;
        let needed = whole_part((total * request.duration_ns as f64 / 1e9).ceil());
        let seen = drive.run.and_then(SeenRun::from_kept);
        let stream = seen.map(|seen| seen.stream);
        let delays = stream.map(StreamFindings::seen_delays).filter(|delays| delays.count > 0);
        let mut plan = RecorderPlan {
            target: drive.target.to_owned(),
            confirmation: drive.confirmation.map(str::to_owned),
            kept_ns: (needed > drive.size_bytes)
                .then(|| whole_part(drive.size_bytes as f64 / total * 1e9))
                .filter(|_| request.cyclic),
            has_small_margin: None,
            request,
            answer: RecorderAnswer::Yes,
            reasons: Vec::new(),
            needed_bytes: needed,
            size_bytes: drive.size_bytes,
            is_simulated: drive.is_simulated,
            total_bytes_s: total,
            sustained_bytes_s: seen.and_then(SeenRun::sustained_rate),
            measured_bytes: stream.map(|stream| stream.written_bytes),
            measured_ns: stream.map(|stream| whole_part(stream.duration_s * 1e9)),
            measured_at_a_rate: drive.run.is_some_and(|kept| kept.settings.rate_bytes_s.is_some()),
            longest_write_ns: stream.and_then(|stream| Some(stream.all_writes_ns.as_ref()?.max)),
            may_have_missed_bytes: stream.map(|stream| stream.may_have_missed_bytes),
            delays: stream.map(|stream| stream.seen_delays().count),
            longest_delay_ns: delays.map(|delays| whole_part(delays.likely_longest().ceil())),
            needed_run_bytes: needed.saturating_mul(RUNS),
            needed_run_ns: request.duration_ns.saturating_mul(RUNS),
            backlog_bytes: seen.and_then(|seen| seen.backlog(total)),
            ring_bytes: seen.and_then(|seen| seen.ring(&request, total)),
            ring_bytes_for_a_tenth_more: seen
                .filter(|seen| total * WITH_MARGIN <= seen.rate())
                .and_then(|seen| seen.ring(&request, total * WITH_MARGIN)),
        };
        plan.judge(seen);
        plan.has_small_margin = (plan.answer == RecorderAnswer::Yes).then(|| plan.is_margin_small());
        plan
    }

    /// Whether a little more than was asked for would be too much: the drive does not keep up with 1.1 times the rate, or only
    /// with a buffer of more than twice the size. Another drive of the model, or the same one when it is warm, is a few per cent
    /// slower. A run at a rate of its own shows none of it.
    fn is_margin_small(&self) -> bool {
        if self.measured_at_a_rate {
            return false;
        }
        let takes = self.sustained_bytes_s.unwrap_or(0.0);
        let Some((ring, more)) = self.ring_bytes.zip(self.ring_bytes_for_a_tenth_more) else { return true };
        takes < self.total_bytes_s * WITH_MARGIN || more > ring * 2
    }

    /// How many recordings the run was as long as: by what it wrote and by how long it lasted, whichever is less, since delays
    /// come after some bytes, or after some time. None where nothing was measured.
    fn lengths_seen(&self) -> Option<f64> {
        let (bytes, lasted) = self.measured_bytes.zip(self.measured_ns)?;
        let by_bytes = bytes as f64 / self.needed_bytes.max(1) as f64;
        Some(by_bytes.min(lasted as f64 / self.request.duration_ns.max(1) as f64))
    }
}

/// A run that wrote something.
#[derive(Clone, Copy)]
struct SeenRun<'a> {
    kept: &'a StoredResult<Stalls>,
    stream: &'a StreamFindings,
}

impl<'a> SeenRun<'a> {
    fn from_kept(kept: &'a StoredResult<Stalls>) -> Option<SeenRun<'a>> {
        Some(SeenRun { kept, stream: kept.findings.stream.as_ref()? })
    }

    fn block_bytes(self) -> u64 {
        self.kept.settings.block_bytes
    }

    /// Whether the drive keeps up with this rate for long.
    fn keeps_up(self, rate: f64) -> KeepsUp {
        self.stream.keeps_up(self.block_bytes(), rate)
    }

    /// The most that the run shows of the drive, in bytes a second: of one on a schedule, what that asked for, since the drive
    /// rested in between.
    fn rate(self) -> f64 {
        let own = self.stream.mb_s.unwrap_or(0.0) * 1e6;
        self.kept.settings.rate_bytes_s.map_or(f64::INFINITY, |_| own)
    }

    /// The rate above which the drive rested between its writes, in bytes a second: that of the schedule, whether or not
    /// the drive fell behind it for a while; of a run without a schedule its own, if other work came between the writes.
    fn rate_between_rests(self) -> f64 {
        let own = self.stream.mb_s.unwrap_or(0.0) * 1e6;
        let rested = self.stream.busy_share.is_none_or(|busy| busy < BUSY);
        self.kept.settings.rate_bytes_s.unwrap_or(if rested { own } else { f64::INFINITY })
    }

    /// The most that the drive takes for long, as far as the run shows it, in bytes a second.
    fn sustained_rate(self) -> Option<f64> {
        let curve = self.stream.buffer_curve.of_blocks(self.block_bytes());
        Some(curve.sustained_rate()?.min(self.rate()))
    }

    /// The largest backlog that the run would have built at this rate, in bytes; none if it grew from the begin to the end.
    fn backlog(self, rate: f64) -> Option<u64> {
        let curve = self.stream.buffer_curve.of_blocks(self.block_bytes());
        let is_bounded = curve.sustains_over_all(rate) && self.keeps_up(rate) != KeepsUp::No;
        is_bounded.then(|| curve.largest_backlog(rate))
    }

    /// The buffer of each channel that holds this backlog, and what a delay adds that is longer than those of the run.
    fn ring(self, request: &RecorderRequest, rate: f64) -> Option<u64> {
        let delays = self.stream.seen_delays();
        let longer_ns = delays.likely_longest() - delays.longest_ns as f64;
        let backlog = self.backlog(rate)?.saturating_add(whole_part((rate * longer_ns / 1e9).ceil()));
        let share = backlog.div_ceil(u64::from(request.channels));
        Some(large_enough(share + request.frame_bytes + request.block.0))
    }
}

/// From this share of the time with a write in flight on a drive did not rest.
const BUSY: f64 = 0.99;
/// A recording has room for a slower drive where this many times its rate would do as well.
const WITH_MARGIN: f64 = 1.1;
