//! Why an image is of no use.

use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with an image; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It cannot be read, its partition table is damaged, or a program that is needed did not do its work.
    #[error("{0}")]
    Environment(String),
    /// What was named is no image, or has no such partition.
    #[error("{0}")]
    Usage(String),
    /// All or a part of it is attached already: written by two ways it would be damaged.
    #[error("{path} is attached as {node}: drivelab image detach {path} first")]
    Attached {
        /// Which.
        path: PathBuf,
        /// As what.
        node: PathBuf,
    },
}

impl ImageError {
    /// The file cannot be read: what the system said.
    pub(crate) fn io(path: &Path, source: impl fmt::Display) -> ImageError {
        ImageError::Environment(format!("{} cannot be read: {source}", path.display()))
    }

    pub(crate) fn not_a_file(path: &Path) -> ImageError {
        let path = path.display();
        ImageError::Usage(format!(
            "{path} is no regular file: image: names a file that holds a drive's contents"
        ))
    }
}
