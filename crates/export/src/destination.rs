//! What results are exported to, whatever it is, and what can go wrong with that.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use drivelab_record::RecordError;
use drivelab_trace::TraceError;

use crate::s3::StoreError;

/// Where files are exported to: a folder or a store. Paths are those of `layout`, relative to it. A file is there whole or not
/// at all, at every moment.
pub trait Destination {
    /// What a file has, where it is a whole file of this run and format; none where it is not there, is cut, or is another one.
    ///
    /// # Errors
    /// Where it is not known whether it is there.
    fn whole_file(&self, path: &Path, run: &str, format: &str) -> Result<Option<WholeFile>, ExportError>;

    /// A file that is small enough for the memory; none where there is none that can be read.
    ///
    /// # Errors
    /// Where it is not known whether it is there.
    fn read_small(&self, path: &Path) -> Result<Option<Bytes>, ExportError>;

    /// Begins a file, which replaces one that is there when it is published.
    ///
    /// # Errors
    /// Where there is no room for it, or another export writes it.
    fn begin(&self, path: &Path, readers: Readers) -> Result<Box<dyn NewFile>, ExportError>;
}

/// What a file of a destination has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeFile {
    /// Its length.
    pub bytes: u64,
    /// How many records it has, or counts as a rollup.
    pub records: u64,
}

/// Who may read a file, where the destination knows users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner alone: records of traces say which program used a drive when.
    Owner,
    /// All whom the user's own mask of permissions leaves.
    All,
}

/// A file that is not in its destination yet. It leaves nothing there where it is dropped before it was published.
pub trait NewFile {
    /// The file, to be written.
    ///
    /// # Errors
    /// Where the system has no descriptor for it.
    fn file(&self) -> Result<File, ExportError>;

    /// What to say where it cannot be written.
    fn not_written(&self, error: io::Error) -> ExportError;

    /// Puts the whole file into its destination; says how long it is in bytes.
    ///
    /// # Errors
    /// Where it cannot; nothing of it is there then, unless the destination took it and could not say so.
    fn publish(self: Box<Self>) -> Result<u64, ExportError>;
}

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
