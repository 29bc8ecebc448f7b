//! Progress of a recording: what is kept, and how fast that grows.

use std::time::Instant;

use drivelab_block::{ByteCount, Nanos};
use drivelab_runner::ProgressLine;
use drivelab_stream::plan::Plan;
use drivelab_view::format;

/// The line of one recording.
pub struct RecordingLine {
    line: ProgressLine,
    began: Instant,
    shown: (Instant, u64),
    /// When it ends, where that is known.
    duration: Option<Nanos>,
    bytes: Option<ByteCount>,
}

impl RecordingLine {
    /// A line for this plan.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(plan: &Plan) -> RecordingLine {
        let line = ProgressLine::new("recording", None, "{elapsed:>5}  {msg}", None);
        let began = Instant::now();
        RecordingLine { line, began, shown: (began, 0), duration: plan.duration, bytes: plan.bytes }
    }

    /// The share of the recording that is done, from 0 to 1, by the bytes or the time that were asked for; none where neither
    /// was.
    pub fn done(&self, kept_bytes: u64) -> Option<f64> {
        let of_bytes = self.bytes.map(|bytes| kept_bytes as f64 / bytes.get() as f64);
        let of_time = self.duration.map(|time| self.began.elapsed().as_secs_f64() / time.as_secs_f64());
        // The first of both ends the recording.
        of_bytes.into_iter().chain(of_time).reduce(f64::max).map(|done| done.min(1.0))
    }

    /// Shows what is kept, and how fast that grew since the last time.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn show(&mut self, kept_bytes: u64) {
        if !self.line.is_due() {
            return;
        }
        let (now, (at, before)) = (Instant::now(), self.shown);
        let rate = kept_bytes.saturating_sub(before) as f64 / 1e6 / (now - at).as_secs_f64();
        let goal = match (self.bytes, self.duration) {
            (Some(bytes), _) => format!(" of {bytes}"),
            (None, Some(duration)) => format!(", ends after {duration}"),
            (None, None) => String::new(),
        };
        self.line.show(0, format!("{} kept{goal}, {} MB/s", ByteCount::new(kept_bytes), format::rate(rate)));
        self.line.bar().tick();
        self.shown = (now, kept_bytes);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }
}
