//! The file of the command, and when it is written.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use drivelab_live::LiveFile;

use crate::{Failure, output};

/// Where the command writes what it does, where that was asked for.
static LIVE: OnceLock<LiveFile> = OnceLock::new();
/// How often the file is written anew: more often than Prometheus reads it by default.
const EVERY: Duration = Duration::from_secs(5);

/// Has what the command does written to this file.
pub fn set_live(file: LiveFile) {
    let _ = LIVE.set(file);
}

/// The file of the command.
#[derive(Debug)]
pub struct LiveOut {
    file: &'static LiveFile,
    written_at: Option<Instant>,
    /// Whether it was said that the file cannot be written.
    has_complained: bool,
}

impl LiveOut {
    /// Of this command; `None` where nothing was asked for.
    pub fn of_command() -> Option<LiveOut> {
        Some(LiveOut { file: LIVE.get()?, written_at: None, has_complained: false })
    }

    /// Writes the first text.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn begin(&self, text: &str) -> Result<(), Failure> {
        self.file.replace(text).map_err(|error| Failure::not_written(self.file.path(), &error))
    }

    /// Whether it is time to write again; the next time is counted from then on.
    #[expect(clippy::disallowed_methods, reason = "Prometheus reads in wall time")]
    pub fn is_due(&mut self) -> bool {
        let is_due = self.written_at.is_none_or(|at| at.elapsed() >= EVERY);
        if is_due {
            self.written_at = Some(Instant::now());
        }
        is_due
    }

    /// Writes the next text. Where that fails, it is said once, and the command goes on.
    pub fn write(&mut self, text: &str) {
        if let Err(error) = self.file.replace(text)
            && !std::mem::replace(&mut self.has_complained, true)
        {
            let path = self.file.path().display();
            output::say(format_args!("drivelab: {path} cannot be written: {error}; the run goes on"));
        }
    }
}
