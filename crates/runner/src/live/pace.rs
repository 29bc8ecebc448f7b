//! When the file of the command is written.

use std::time::{Duration, Instant};

/// How often the file is written anew: more often than Prometheus reads it by default.
const EVERY: Duration = Duration::from_secs(5);

/// When the file was written last.
#[derive(Debug, Default)]
pub struct FilePace {
    written_at: Option<Instant>,
}

impl FilePace {
    /// Whether it is time to write again; the next time is counted from then on.
    #[expect(clippy::disallowed_methods, reason = "Prometheus reads in wall time")]
    pub fn is_due(&mut self) -> bool {
        let is_due = self.written_at.is_none_or(|at| at.elapsed() >= EVERY);
        if is_due {
            self.written_at = Some(Instant::now());
        }
        is_due
    }
}
