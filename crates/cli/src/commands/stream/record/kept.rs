//! Lines that say what is kept.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use drivelab_stream::plan::Plan;

use crate::exit::Failure;

/// Refuses a file for kept lines that is the target itself, or that holds something already.
pub fn check(kept: &Path, target: &Path) -> Result<(), Failure> {
    let is_target = place(kept).is_some_and(|kept| place(target) == Some(kept));
    if is_target {
        let text = format!("--kept {} is the target: name a file of its own", kept.display());
        return Err(Failure::Usage(text));
    }
    let holds_something = fs::metadata(kept).is_ok_and(|known| known.is_file() && known.len() > 0);
    if holds_something {
        let text = format!("--kept {} holds something: name a file that is not there yet", kept.display());
        return Err(Failure::Usage(text));
    }
    Ok(())
}

/// Where a path leads, also where nothing is there yet.
fn place(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    })
}

/// A file of lines `CHANNEL SEQUENCE`: all frames of the channel up to this one, apart from those dropped, are kept.
pub struct KeptLines {
    file: Option<Box<dyn Write>>,
    path: PathBuf,
    names: Vec<String>,
    failure: Option<io::Error>,
}

impl KeptLines {
    /// Opens the file, where one is asked for.
    pub fn open(path: Option<&Path>, plan: &Plan) -> Result<KeptLines, Failure> {
        let names = plan.channels.iter().map(|channel| channel.name.clone()).collect();
        let file: Option<Box<dyn Write>> = match path {
            None => None,
            Some(path) if path == Path::new("-") => Some(Box::new(io::stdout())),
            Some(path) => {
                Some(Box::new(File::create(path).map_err(|error| Failure::not_written(path, &error))?))
            }
        };
        Ok(KeptLines { file, path: path.unwrap_or(Path::new("")).to_owned(), names, failure: None })
    }

    /// Writes a line, and out with it.
    pub fn put(&mut self, channel: usize, sequence: u64) {
        let (Some(file), Some(name)) = (&mut self.file, self.names.get(channel)) else { return };
        // One write for a line: whoever reads them after a kill finds no half one.
        let line = format!("{name} {sequence}\n");
        let written = file.write_all(line.as_bytes()).and_then(|()| file.flush());
        if let Err(error) = written {
            self.file = None;
            self.failure = Some(error);
        }
    }

    /// Whether a line could not be written: the recording ends then, since nobody would know what it keeps.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Why a line could not be written.
    pub fn failure(self) -> Option<Failure> {
        self.failure.map(|error| Failure::not_written(&self.path, &error))
    }
}
