//! Progress of a recording: what is kept, and how fast that grows.

use std::time::Instant;

use drivelab_block::{ByteCount, Nanos};
use drivelab_runner::ProgressLine;
use drivelab_stream::plan::Plan;
use drivelab_view::format;

/// The line of one recording.
pub struct RecordingLine {
    line: ProgressLine,
    shown: (Instant, u64),
    /// When it ends, where that is known.
    duration: Option<Nanos>,
    bytes: Option<ByteCount>,
}

impl RecordingLine {
    /// A line for this plan.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(plan: &Plan) -> RecordingLine {
        let line = ProgressLine::new("recording", None, "{elapsed:>5}  {msg}");
        RecordingLine { line, shown: (Instant::now(), 0), duration: plan.duration, bytes: plan.bytes }
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
