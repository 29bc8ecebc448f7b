//! Why an image is of no use.

use std::io;
use std::path::PathBuf;

use crate::image::OtherTable;

/// What is wrong with an image; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no regular file.
    #[error("{path} is no regular file: image: names a file that holds a drive's contents", path = .0.display())]
    NotAFile(PathBuf),
    /// It holds less than a sector.
    #[error(
        "{path} holds less than a block of 512 bytes: make it as long as the drive that it is to hold (truncate -s SIZE {path})",
        path = .0.display()
    )]
    Empty(PathBuf),
    /// What follows the colon is no number.
    #[error("{number:?} is no partition of {path}: behind the colon stands its number, from 1", path = .path.display())]
    NoNumber {
        /// Which image.
        path: PathBuf,
        /// What stands there.
        number: String,
    },
    /// It has no partition table.
    #[error("{path} has no partition table: leave out the partition's number", path = .0.display())]
    NoTable(PathBuf),
    /// It has a partition table of a kind that is not opened.
    #[error(
        "{path} has a partition table of a kind that is not opened ({table}): leave out the partition's number, and show the \
         loop device's partitions with a kernel that knows it (partprobe)",
        path = .path.display()
    )]
    OtherTable {
        /// Which image.
        path: PathBuf,
        /// Which kind.
        table: OtherTable,
    },
    /// Its table is damaged.
    #[error("the partition table of {path} is damaged: {why}", path = .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// In which way.
        why: &'static str,
    },
    /// A partition goes on behind the end of the image.
    #[error(
        "{path} is shorter than its partition table says ({length} bytes, and a partition ends at {end}): it was cut; put back \
         a whole copy, or make it as long again (truncate -s {end} {path})",
        path = .path.display()
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
    #[error("{path} has no partition {number}: it has {there}", path = .path.display())]
    NoPartition {
        /// Which image.
        path: PathBuf,
        /// The number asked.
        number: u32,
        /// The numbers there are.
        there: String,
    },
    /// All or a part of it is attached already: written by two ways it would be damaged.
    #[error("{path} is attached as {node}: drivelab image detach {path} first", path = .path.display(), node = .node.display())]
    Attached {
        /// Which.
        path: PathBuf,
        /// As what.
        node: PathBuf,
    },
    /// It is attached as nothing.
    #[error("{path} is not attached", path = .0.display())]
    NotAttached(PathBuf),
    /// A program that is needed did not do its work.
    #[error("{0}")]
    Program(String),
}
