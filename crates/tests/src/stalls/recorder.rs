//! Can a drive record some channels for some time? What a run of `stalls` shows of it, and what it does not.

use drivelab_view::format::{by_number, bytes, long_time, percent, rate, shell_word, things};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::large_enough;
use super::{Stalls, StreamFindings};
use crate::read_back::VerificationFindings;
use crate::stood_still::too_much;
use crate::{Ended, Kept};

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
    /// Its capacity.
    pub size_bytes: u64,
    /// Whether it is a simulated drive, which nothing can be recorded to.
    pub is_simulated: bool,
    /// A run of `stalls` on it; none where nothing was measured.
    pub run: Option<&'a Kept<Stalls>>,
}

/// Whether a drive can record what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecorderAnswer {
    /// It can: it was written as much, as fast, and took it.
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
    /// The largest backlog that the run would have built for all channels together; null where the drive does not keep up, or
    /// nothing was measured.
    pub backlog_bytes: Option<u64>,
    /// The buffer of each channel: its part of the backlog, a frame and a block, rounded up to a power of two; null likewise.
    pub ring_bytes: Option<u64>,
    /// The same for 1.1 times the rate of the channels; null likewise, and where the run wrote at a rate below that.
    pub ring_bytes_for_a_tenth_more: Option<u64>,
}

impl RecorderRequest {
    /// Bytes a second of all channels, as they are written: blocks with their headers.
    fn total_bytes_s(&self) -> f64 {
        let (block, header) = self.block;
        f64::from(self.channels) * self.channel_bytes_s * block as f64 / (block - header) as f64
    }
}

impl RecorderPlan {
    /// What is known of this recording on this drive.
    pub fn of(request: RecorderRequest, drive: RecorderDrive<'_>) -> RecorderPlan {
        let total = request.total_bytes_s();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
        let needed = (total * request.duration_ns as f64 / 1e9).ceil() as u64;
        let stream = drive.run.and_then(|kept| kept.findings.stream.as_ref());
        let curve =
            drive.run.zip(stream).map(|(kept, stream)| stream.buffer_curve.curve(kept.settings.block_bytes));
        let backlog = |rate: f64| {
            curve.as_ref().filter(|curve| curve.sustains(rate)).map(|curve| curve.largest_backlog(rate))
        };
        let ring = |backlog: u64| {
            let share = backlog.div_ceil(u64::from(request.channels));
            large_enough(share + request.frame_bytes + request.block.0)
        };
        let is_seen_at_more = drive.run.is_some_and(|kept| total * WITH_MARGIN <= seen_rate(kept));
        let mut plan = RecorderPlan {
            target: drive.target.to_owned(),
            request,
            answer: RecorderAnswer::Yes,
            reasons: Vec::new(),
            needed_bytes: needed,
            size_bytes: drive.size_bytes,
            is_simulated: drive.is_simulated,
            total_bytes_s: total,
            sustained_bytes_s: drive
                .run
                .zip(curve.as_ref())
                .and_then(|(kept, curve)| Some(curve.sustained_rate()?.min(seen_rate(kept)))),
            measured_bytes: stream.map(|stream| stream.written_bytes),
            measured_ns: stream.map(|stream| nanos_of(stream.duration_s)),
            measured_at_a_rate: drive.run.is_some_and(|kept| kept.settings.rate_bytes_s.is_some()),
            longest_write_ns: stream.and_then(|stream| Some(stream.all_writes_ns.as_ref()?.max)),
            may_have_missed_bytes: stream.map(|stream| stream.may_have_missed_bytes),
            backlog_bytes: backlog(total),
            ring_bytes: backlog(total).map(ring),
            ring_bytes_for_a_tenth_more: backlog(total * WITH_MARGIN).filter(|_| is_seen_at_more).map(ring),
        };
        plan.judge(drive.run, stream);
        plan
    }

    /// Whether a little more than was asked for would be too much: the drive does not keep up with 1.1 times the rate, or only
    /// with a buffer of more than twice the size. Another drive of the model, or the same one when it is warm, is a few per cent
    /// slower. A run at a rate of its own shows none of it.
    pub(super) fn has_small_margin(&self) -> bool {
        if self.measured_at_a_rate {
            return false;
        }
        let takes = self.sustained_bytes_s.unwrap_or(0.0);
        let Some((ring, more)) = self.ring_bytes.zip(self.ring_bytes_for_a_tenth_more) else { return true };
        takes < self.total_bytes_s * WITH_MARGIN || more > ring * 2
    }

    /// Whether the run wrote as much as the recording writes, and for as long: delays come after some bytes, or after some time.
    pub(super) fn is_seen_whole(&self) -> bool {
        // A hundredth less is the last write's.
        let is_as_much =
            |seen: Option<u64>, needed: u64| seen.is_some_and(|seen| seen as f64 >= needed as f64 * 0.99);
        is_as_much(self.measured_bytes, self.needed_bytes)
            && is_as_much(self.measured_ns, self.request.duration_ns)
    }

    /// How long the newest part of a recording is that the drive has room for.
    pub(super) fn kept_for(&self) -> String {
        long_time(self.size_bytes as f64 / self.total_bytes_s)
    }

    fn judge(&mut self, run: Option<&Kept<Stalls>>, stream: Option<&StreamFindings>) {
        let refused: Vec<String> = self.refused(run, stream);
        let open = self.open(run, stream);
        (self.answer, self.reasons) = match (refused.is_empty(), open.is_empty()) {
            (false, _) => (RecorderAnswer::No, refused),
            (true, false) => (RecorderAnswer::NotShown, open),
            (true, true) => (RecorderAnswer::Yes, Vec::new()),
        };
    }

    /// What stands against the recording.
    fn refused(&self, run: Option<&Kept<Stalls>>, stream: Option<&StreamFindings>) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.needed_bytes > self.size_bytes && !self.request.cyclic {
            reasons.push(format!(
                "it needs a drive of {}, and this one has {} (with --cyclic the newest {} stay)",
                bytes(self.needed_bytes as f64),
                bytes(self.size_bytes as f64),
                self.kept_for()
            ));
        }
        if let Some(takes) = self.sustained_bytes_s.filter(|_| self.backlog_bytes.is_none()) {
            reasons.push(format!(
                "the drive takes {} MB/s for long, and the channels bring {} MB/s: no buffer is large enough",
                rate(takes / 1e6),
                rate(self.total_bytes_s / 1e6)
            ));
        }
        let faulty =
            run.and_then(|kept| kept.findings.verification.as_ref()).map_or(0, VerificationFindings::faulty);
        if faulty > 0 {
            reasons.push(format!(
                "{} of the run {} not read back as written",
                things(faulty, "block"),
                by_number(faulty, "was", "were")
            ));
        }
        let failed = stream.map_or(0, |stream| stream.failed_writes);
        if failed > 0 {
            reasons.push(format!("{} of the run failed", things(failed, "write")));
        }
        reasons
    }

    /// What is not known.
    fn open(&self, run: Option<&Kept<Stalls>>, stream: Option<&StreamFindings>) -> Vec<String> {
        let Some((kept, stream)) = run.zip(stream) else {
            return vec!["nothing was measured of this drive".to_owned()];
        };
        let mut reasons = Vec::new();
        if let Some(share) = kept.settings.part_of(kept.run.drive.size_bytes) {
            reasons.push(format!(
                "the run wrote to {} of the drive (--range): what the drive does when all of it is written was not seen",
                percent(share)
            ));
        }
        if let Some(why) = too_much(&kept.run) {
            reasons.push(why);
        }
        if kept.ended() == Ended::Killed {
            reasons.push("the run was killed".to_owned());
        }
        // A run writes whole blocks.
        if stream.written_bytes + kept.settings.block_bytes <= self.to_be_seen() {
            reasons.push(format!(
                "the run wrote {}, {} of what the recording writes: what the drive does beyond that was not seen",
                bytes(stream.written_bytes as f64),
                percent(stream.written_bytes as f64 / self.needed_bytes.max(1) as f64)
            ));
        }
        // A hundredth less is the last write's.
        if stream.mb_s.unwrap_or(0.0) * 1e6 < self.total_bytes_s * 0.99 {
            reasons.push(format!(
                "the run wrote {} MB/s, and the channels bring {} MB/s: what the drive does without the rest between writes is \
                 not known",
                rate(stream.mb_s.unwrap_or(0.0)),
                rate(self.total_bytes_s / 1e6)
            ));
        }
        reasons
    }

    /// How much a run has to have written: as much as the recording, or, of a cyclic one, as often as shows a drive that is
    /// overwritten. A drive that was written once is not there yet: what it has to collect begins with the second time.
    fn to_be_seen(&self) -> u64 {
        self.needed_bytes.min(self.size_bytes.saturating_mul(PASSES))
    }

    /// The `stream record` command of the recording; none where the drive cannot make it.
    pub fn record_command(&self) -> Option<String> {
        let is_possible = self.answer != RecorderAnswer::No && !self.is_simulated;
        let ring = self.ring_bytes.filter(|_| is_possible)?;
        let ring = ring >> 20;
        let channel = |number: u32| format!(" --channel cam{number}=pipe:cam{number},ring={ring}MiB");
        let channels: String = (0..self.request.channels.min(CHANNELS_SHOWN)).map(channel).collect();
        let more = if self.request.channels > CHANNELS_SHOWN { " ..." } else { "" };
        let seconds = self.request.duration_ns / 1_000_000_000;
        let target = shell_word(&self.target);
        let cyclic = if self.request.cyclic { " --cyclic" } else { "" };
        let confirmed = self.confirmed();
        Some(format!(
            "drivelab stream record {target}{channels}{more} --duration {seconds}s{cyclic}{confirmed}"
        ))
    }

    /// What the command to record leaves to the user; none where there is no such command.
    pub(super) fn sources(&self) -> Option<String> {
        self.record_command()?;
        let names: Vec<String> =
            (0..self.request.channels.min(CHANNELS_SHOWN)).map(|number| format!("cam{number}")).collect();
        Some(format!(
            "Each channel is read from a named pipe that its source writes to: mkfifo {} makes them. What the drive holds is \
             lost.",
            names.join(" ")
        ))
    }

    /// The options by which the drive is given up.
    fn confirmed(&self) -> &'static str {
        match () {
            () if self.is_simulated => "",
            () if self.target.starts_with("/dev/") => " --serial=SERIAL --destroy-data",
            () => " --destroy-data",
        }
    }

    /// The `stalls` command that would show what is not shown; none where nothing is open.
    pub fn measure_command(&self) -> Option<String> {
        let written = match self.to_be_seen() {
            much @ 100_000_000_000.. => format!("{}GB", much.div_ceil(1_000_000_000)),
            little => format!("{}MB", little.div_ceil(1_000_000)),
        };
        let (target, confirmed) = (shell_word(&self.target), self.confirmed());
        (self.answer == RecorderAnswer::NotShown)
            .then(|| format!("drivelab stalls {target} --bytes {written}{confirmed} -o stalls"))
    }
}

/// The most that a run shows of a drive, in bytes a second: of one on a schedule, what that asked for, since the drive rested in
/// between.
fn seen_rate(kept: &Kept<Stalls>) -> f64 {
    let own = kept.findings.stream.as_ref().and_then(|stream| stream.mb_s);
    match kept.settings.rate_bytes_s {
        Some(_) => own.unwrap_or(0.0) * 1e6,
        None => f64::INFINITY,
    }
}

fn nanos_of(seconds: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let nanos = (seconds * 1e9) as u64;
    nanos
}

/// A recording has room for a slower drive where this many times its rate would do as well.
const WITH_MARGIN: f64 = 1.1;
/// How often the whole drive is written by a run that shows how it takes a cyclic recording.
const PASSES: u64 = 3;
/// As many channels a command is written out for.
const CHANNELS_SHOWN: u32 = 8;
