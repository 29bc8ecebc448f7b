//! What can go wrong with an export.

use std::io;
use std::path::{Path, PathBuf};

use crate::s3::StoreError;
use drivelab_record::RecordError;
use drivelab_trace::TraceError;

/// Why a result was not exported. Whatever was in the destination before is there as it was.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The destination cannot be written: no room, no permission.
    #[error("{path}: {source}")]
    NotWritten {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another export writes the same file.
    #[error("{0} is being written by another export: export again when that one has ended")]
    InUse(PathBuf),
    /// The records of the result are not those that it made; in a sentence without its final stop.
    #[error("{0}")]
    Damaged(String),
    /// The records cannot be listed.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// The records of a trace cannot be listed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The store that is the destination fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was to end before it was done.
    #[error("interrupted")]
    Interrupted,
}

impl ExportError {
    pub(crate) fn not_written(path: &Path, source: io::Error) -> ExportError {
        ExportError::NotWritten { path: path.to_owned(), source }
    }
}
