//! Why an image is of no use.

use std::io;
use std::path::PathBuf;

use crate::image::OtherTable;

/// What is wrong with an image; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be read: what the system said.
    #[error("{0} cannot be read: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// It is no regular file.
    #[error("{0} is no regular file: image: names a file that holds a drive's contents")]
    NotAFile(PathBuf),
    /// It holds less than a sector.
    #[error(
        "{0} holds less than a block of 512 bytes: make it as long as the drive that it is to hold (truncate -s SIZE {0})"
    )]
    Empty(PathBuf),
    /// What follows the colon of an image is no number.
    #[error("{1:?} is no partition of {0}: behind the colon stands its number, from 1")]
    NoNumber(PathBuf, String),
    /// It has no partition table.
    #[error("{0} has no partition table: leave out the partition's number")]
    NoTable(PathBuf),
    /// It has a partition table of a kind that is not opened.
    #[error(
        "{0} has a partition table of a kind that is not opened ({1}): leave out the partition's number, and show the \
         loop device's partitions with a kernel that knows it (partprobe)"
    )]
    OtherTable(PathBuf, OtherTable),
    /// Its table is damaged, in this way.
    #[error("the partition table of {0} is damaged: {1}")]
    Damaged(PathBuf, &'static str),
    /// A partition goes on behind the end of the image.
    #[error(
        "{path} is shorter than its partition table says ({length} bytes, and a partition ends at {end}): it was cut; put back \
         a whole copy, or make it as long again (truncate -s {end} {path})"
    )]
    Cut {
        /// Which.
        path: PathBuf,
        /// Its length in bytes.
        length: u64,
        /// Where the last partition ends.
        end: u64,
    },
    /// It has other partitions.
    #[error("{path} has no partition {number}: it has {there}")]
    NoPartition {
        /// Which image.
        path: PathBuf,
        /// The number asked.
        number: u32,
        /// The numbers there are.
        there: String,
    },
    /// All or a part of it is attached already: written by two ways it would be damaged.
    #[error("{path} is attached as {node}: drivelab image detach {path} first")]
    Attached {
        /// Which.
        path: PathBuf,
        /// As what.
        node: PathBuf,
    },
    /// It is attached as nothing.
    #[error("{0} is not attached")]
    NotAttached(PathBuf),
    /// A program that is needed did not do its work.
    #[error("{0}")]
    Program(String),
}
