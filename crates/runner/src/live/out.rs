//! The file of the command.

use std::sync::OnceLock;

use drivelab_live::LiveFile;

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
        self.file.replace(text).map_err(|error| Failure::not_written(self.file.path(), &error))
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
