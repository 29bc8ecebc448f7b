//! Lines that say what is kept.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use drivelab_stream::plan::Plan;

use crate::exit::Failure;

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
