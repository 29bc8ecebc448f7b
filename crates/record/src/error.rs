//! What can go wrong with the records of a run.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with a run's folder; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused: the file or folder, and its error.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A segment is damaged, or could not be written: what is wrong with it.
    #[error("{0}: {1}")]
    Segment(PathBuf, String),
    /// The folder is not that of a run.
    #[error("{0} is not the folder of a run (it has no run.json): name a folder that -o or --output made")]
    NotARun(PathBuf),
    /// The folder is that of a run, and what its run.json says cannot be used: what is wrong with it, and what to do.
    #[error("{0}: {1}")]
    Manifest(PathBuf, String),
    /// Another process writes the folder.
    #[error(
        "{0}: the run is still under way, in a process that writes to this folder: wait for its end, or end it first"
    )]
    UnderWay(PathBuf),
    /// The folder to be made holds something already.
    #[error("{0} is not empty: name a folder that is empty or not there yet")]
    NotEmpty(PathBuf),
}

impl RecordError {
    pub(crate) fn io(path: &Path, source: io::Error) -> RecordError {
        RecordError::Io(path.to_owned(), source)
    }

    pub(crate) fn parquet(path: &Path, error: &parquet::errors::ParquetError) -> RecordError {
        let message = of_the_system(error).map_or_else(|| error.to_string(), io::Error::to_string);
        RecordError::Segment(path.to_owned(), message)
    }
}

/// What the system said, where it was the system: the library puts a word of its own before that.
pub fn of_the_system(error: &parquet::errors::ParquetError) -> Option<&io::Error> {
    let parquet::errors::ParquetError::External(cause) = error else { return None };
    cause.downcast_ref::<io::Error>().filter(|error| error.raw_os_error().is_some())
}
