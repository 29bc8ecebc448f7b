//! Why a fleet cannot be read, and what of it is in no answer, or not in all of them.

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

/// Something that is missing from the answers, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// A file cannot be read, or does not hold what it should.
    #[error("{path}: {why}: remove it and export its result again")]
    Damaged {
        path: PathBuf,
        /// In a sentence without its final stop.
        why: String,
    },
    /// A file is of another version of its format.
    #[error(
        "{path}: its format is {found}, and this drivelab reads {known}: export its result again with this version"
    )]
    OtherFormat { path: PathBuf, found: String, known: &'static str },
    /// A run has records, and no rollup of them was exported.
    #[error(
        "run {run} of host {host} has no rollup, so that its I/Os are in no table: export it again with --as rollup"
    )]
    NoRollup { run: String, host: String },
    /// A run has a rollup, and no row of the catalogue, as an export leaves it that was killed.
    #[error(
        "run {run} of host {host} is not in the catalogue, and so not in the table of results: export it again"
    )]
    NotInCatalogue { run: String, host: String },
    /// Which drive a device of a run is, is not known.
    #[error(
        "{device} of run {run} of host {host} is not in the table of drives, and so in no table of drives or models: export \
         it again with this version"
    )]
    NoDrive { device: String, run: String, host: String },
}
