//! Why a fleet cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use crate::s3::StoreError;

/// Why no question can be answered.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// There is no such folder, or it cannot be listed.
    #[error("{path}: {source}")]
    NotRead {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Nothing was exported to it.
    #[error(
        "{0}: there is no export in it: name the folder that `drivelab export` wrote to with --destination"
    )]
    NoExport(PathBuf),
    /// A file was read once and could not be read again.
    #[error("{path}: it changed while it was read ({why}): run the command again when no export goes on")]
    Changed {
        /// The file.
        path: PathBuf,
        /// What was found, in a sentence without its final stop.
        why: String,
    },
    /// The store that has it fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was to end before it was done.
    #[error("interrupted")]
    Interrupted,
}

impl FleetError {
    pub(crate) fn not_read(path: &Path, source: io::Error) -> FleetError {
        FleetError::NotRead { path: path.to_owned(), source }
    }
}
