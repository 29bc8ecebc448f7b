//! The line that a person sees while it records. Quiet where stderr is no terminal.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use drivelab_block::{ByteCount, Nanos};
use drivelab_stream::plan::Plan;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(500);

/// The line of one recording.
pub struct RecordingLine {
    bar: ProgressBar,
    shown: (Instant, u64),
    /// When it ends, where that is known.
    duration: Option<Nanos>,
    bytes: Option<ByteCount>,
}

impl RecordingLine {
    /// A line for this plan.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(plan: &Plan) -> RecordingLine {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{elapsed:>5}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        RecordingLine { bar, shown: (Instant::now(), 0), duration: plan.duration, bytes: plan.bytes }
    }

    /// Shows what is kept, and how fast that grew since the last time.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn show(&mut self, kept_bytes: u64) {
        let (now, (at, before)) = (Instant::now(), self.shown);
        if self.bar.is_hidden() || now - at < EVERY {
            return;
        }
        let rate = kept_bytes.saturating_sub(before) as f64 / 1e6 / (now - at).as_secs_f64();
        let goal = match (self.bytes, self.duration) {
            (Some(bytes), _) => format!(" of {bytes}"),
            (None, Some(duration)) => format!(", ends after {duration}"),
            (None, None) => String::new(),
        };
        self.bar.set_message(format!("{} kept{goal}, {rate:.1} MB/s", ByteCount::new(kept_bytes)));
        self.bar.tick();
        self.shown = (now, kept_bytes);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
