//! The file of the command.

use std::sync::OnceLock;

use crate::metrics::LiveFile;

use crate::{Failure, output};

/// Where the command writes what it does, where that was asked for.
static LIVE: OnceLock<LiveFile> = OnceLock::new();

/// Has what the command does written to this file.
pub fn set_live(file: LiveFile) {
    let _ = LIVE.set(file);
}

/// The file of the command.
#[derive(Debug)]
pub struct LiveOut {
    file: &'static LiveFile,
    /// Whether it was said that the file cannot be written.
    has_complained: bool,
}

impl LiveOut {
    /// Of this command; `None` where nothing was asked for.
    pub fn of_command() -> Option<LiveOut> {
        Some(LiveOut { file: LIVE.get()?, has_complained: false })
    }

    /// Writes the first text.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn begin(&self, text: &str) -> Result<(), Failure> {
        self.replace(text)
    }

    /// Writes the next text. Where that fails, it is said once, and the command goes on.
    pub fn write(&mut self, text: &str) {
        if let Err(failure) = self.replace(text)
            && !std::mem::replace(&mut self.has_complained, true)
        {
            output::say(format_args!("drivelab: the run goes on without its metrics: {failure}"));
        }
    }

    fn replace(&self, text: &str) -> Result<(), Failure> {
        let path = self.file.path();
        let not_replaced = |error| Failure::not_replaced(&path.display().to_string(), path, error);
        self.file.replace(text).map_err(not_replaced)
    }
}
