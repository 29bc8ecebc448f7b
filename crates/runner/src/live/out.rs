//! The file that a command writes what it does now to.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_files::place_of;

use crate::metrics::LiveFile;
use crate::{Failure, output};

/// A file or folder that a command works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPath {
    /// What it is to the command: `the target`.
    pub role: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

impl CommandPath {
    /// A target as it was typed; none if it is a simulated drive.
    pub fn target(typed: &str) -> Option<CommandPath> {
        (!typed.starts_with("sim:")).then(|| CommandPath { role: "the target", path: typed.into() })
    }

    /// The folder that keeps the result, where one was named.
    pub fn output(folder: Option<&Path>) -> Option<CommandPath> {
        folder.map(|folder| CommandPath { role: "the folder of the result", path: folder.into() })
    }
}

/// Refuses a file for `--openmetrics` that something else than an earlier command has made, that cannot be written, or that is or
/// lies in what the command works on.
///
/// # Errors
/// What stands against it.
pub fn check_live_file(path: &Path, works_on: impl IntoIterator<Item = CommandPath>) -> Result<(), Failure> {
    let named = format!("--openmetrics {}", path.display());
    let not_written = |error| Failure::not_written(path, &error);
    let place = place_of(path).map_err(not_written)?;
    for other in works_on {
        let Ok(other_place) = place_of(&other.path) else { continue };
        if place == other_place {
            return Err(Failure::Usage(format!("{named} is {}: name a file of its own", other.role)));
        }
        if place.starts_with(&other_place) {
            let other = format!("{} ({})", other.role, other.path.display());
            return Err(Failure::Usage(format!("{named} lies in {other}: name a file elsewhere")));
        }
    }
    if !place.parent().is_none_or(Path::is_dir) {
        return Err(not_written(ErrorKind::NotFound.into()));
    }
    LiveFile::new(path).check().map_err(|error| Failure::not_replaced(&named, path, error))
}

/// A file that is written again and again.
#[derive(Debug)]
pub struct LiveOut {
    file: LiveFile,
    /// Whether it was said that the file cannot be written.
    has_complained: bool,
}

impl LiveOut {
    /// The file of this name, with its first text.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(path: &Path, text: &str) -> Result<LiveOut, Failure> {
        let out = LiveOut { file: LiveFile::new(path), has_complained: false };
        out.replace(text)?;
        Ok(out)
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
