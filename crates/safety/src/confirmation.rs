//! What a person has said about a destructive run.

use std::path::PathBuf;

use drivelab_block::ByteCount;

/// What was confirmed. Neither part replaces the other, and nothing else counts as a confirmation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// The drive's serial as typed or given (`--serial=`); the kernel name of a device that has none.
    pub serial: Option<String>,
    /// Whether what the drive or file holds may be destroyed (`--destroy-data`).
    pub destroy_data: bool,
}

/// How a claim is to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimOptions {
    /// The size of a file that is not there yet, or is empty. Without it no file is created.
    pub create_size: Option<ByteCount>,
    /// The folders that the run's own results go to: their drive is never a target.
    pub output_folders: Vec<PathBuf>,
    /// Chooses the places that are sampled for data.
    pub sample_seed: u64,
    /// Whether a file is taken to be unused as far as that cannot be looked at (`--assume-unused`).
    pub assume_unused: bool,
}
