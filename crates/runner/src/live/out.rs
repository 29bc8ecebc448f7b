//! The file that a command writes what it does now to.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use drivelab_files::{OwnMark, check_replaceable, place_of, replace};

use crate::Failure;

/// What every such file begins with. Prometheus takes it for a comment.
const FIRST_LINE: &str = "# Metrics of drivelab: written anew while a command runs.\n";
/// What every such file ends with, as the format `OpenMetrics` asks for: a file without it is not whole.
const LAST_LINE: &str = "# EOF\n";
/// By which a file of an earlier command is known.
const MARK: OwnMark<'static> = OwnMark { start: FIRST_LINE.as_bytes(), part: b"" };
/// Everyone may read it: the collector has a user of its own.
const READ_BY_ALL: u32 = 0o644;
/// How often the file is written anew: more often than Prometheus reads it by default.
const EVERY: Duration = Duration::from_secs(5);

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
pub fn check_live_file(path: &Path, works_on: impl IntoIterator<Item = CommandPath>) -> Result<(), Failure> {
    let named = format!("--openmetrics {}", path.display());
    let not_written = |error| Failure::not_written(path, &error);
    let place = place_of(path).map_err(not_written)?;
    for other in works_on {
        let Ok(other_place) = place_of(&other.path) else { continue };
        if place == other_place {
            return Err(usage!("{named} is {}: name a file of its own", other.role));
        }
        if place.starts_with(&other_place) {
            let other = format!("{} ({})", other.role, other.path.display());
            return Err(usage!("{named} lies in {other}: name a file elsewhere"));
        }
    }
    if !place.parent().is_none_or(Path::is_dir) {
        return Err(not_written(ErrorKind::NotFound.into()));
    }
    check_replaceable(path, MARK).map_err(|error| Failure::not_replaced(&named, path, error))
}

/// A file for the textfile collector, which is written again and again.
#[derive(Debug)]
pub struct LiveOut {
    path: PathBuf,
    /// Whether it was said that the file cannot be written.
    has_complained: bool,
}

impl LiveOut {
    /// A file of this name, which is not made yet.
    pub fn new(path: &Path) -> LiveOut {
        LiveOut { path: path.to_owned(), has_complained: false }
    }

    /// Writes the next text. Where that fails, it is said once, and the command goes on.
    pub fn write(&mut self, text: &str) {
        if let Err(failure) = self.replace(text)
            && !std::mem::replace(&mut self.has_complained, true)
        {
            say!("drivelab: the run goes on without its metrics: {failure}");
        }
    }

    /// Puts this text, between the first and the last line of such files, into the place of what the file held. Where something
    /// else is there, or the folder cannot be written to, the file is what it was.
    pub fn replace(&self, text: &str) -> Result<(), Failure> {
        let path = &self.path;
        let whole = format!("{FIRST_LINE}{text}{LAST_LINE}");
        replace(path, whole.as_bytes(), MARK, Some(READ_BY_ALL))
            .map_err(|error| Failure::not_replaced(&path.display().to_string(), path, error))
    }
}

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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = LiveOut::new(&folder.path().join("now.prom"));
        for text in ["first\n", "second, which is longer\n", "3\n"] {
            file.replace(text).expect("a folder that can be written to");
            let written = fs::read_to_string(&file.path).expect("a file");
            let held = written.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_suffix("# EOF\n"));
            assert_eq!(held, Some(text));
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let mode = fs::metadata(&file.path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        assert!(LiveOut::new(&folder.path().join("missing/now.prom")).replace("").is_err());
    }
}
