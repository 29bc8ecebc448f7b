//! What of a destination is in no answer, or not in all of them.

use std::path::PathBuf;

/// Something that is missing from the answers, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LeftOut {
    /// A file cannot be read, or does not hold what it should.
    #[error("{path}: {why}: remove it and export its result again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// In a sentence without its final stop.
        why: String,
    },
    /// A file is of another version of its format.
    #[error(
        "{path}: its format is {found}, and this drivelab reads {known}: export its result again with this version"
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// The format.
        found: String,
        /// The format that is read.
        known: &'static str,
    },
    /// A run has records, and no rollup of them was exported.
    #[error(
        "run {run} of host {host} has no rollup, so that its I/Os are in no table: export it again with --as rollup"
    )]
    NoRollup {
        /// The ID of the run.
        run: String,
        /// The machine.
        host: String,
    },
    /// A run has a rollup, and no row of the catalogue, as an export leaves it that was killed.
    #[error(
        "run {run} of host {host} is not in the catalogue, and so not in the table of results: export it again"
    )]
    NotInCatalogue {
        /// The ID of the run.
        run: String,
        /// The machine.
        host: String,
    },
    /// Which drive a device of a run is, is not known.
    #[error(
        "{device} of run {run} of host {host} is not in the table of drives, and so in no table of drives or models: export \
         it again with this version"
    )]
    NoDrive {
        /// The name of the device.
        device: String,
        /// The ID of the run.
        run: String,
        /// The machine.
        host: String,
    },
}
