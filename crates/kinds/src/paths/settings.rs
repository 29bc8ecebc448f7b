//! What a comparison of paths is asked.

use crate::RangeOption;
use drivelab_block::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a comparison of paths is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathsSettings {
    /// The lengths of files in bytes, as they were asked for: they are rounded up to whole blocks.
    pub file_bytes: Vec<u64>,
    /// Bytes that each cell (a path with a length) writes; where nothing was asked, 256 MB or what there is room for.
    pub cell_bytes: Option<u64>,
    /// Runs of every cell.
    pub runs: u16,
    /// The part of the target that is written.
    pub range: RangeOption,
    /// Requests in flight on the raw paths.
    pub queue_depth: u32,
    /// The idle time before and after each cell, in nanoseconds; a simulated drive has none.
    pub idle_ns: u64,
    /// Where the file-system paths have their files.
    pub files: FileLocation,
}

/// Where the file-system paths have their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileLocation {
    /// On the target itself, where it is a directory or a file; a drive has no such paths.
    Target,
    /// In a directory of a mounted file system, besides the drive.
    Directory,
    /// On an ext4 that is made on the drive anew for each cell.
    NewExt4,
}

impl PathsSettings {
    /// The idle time before and after each cell.
    pub fn idle(&self) -> Nanos {
        Nanos::new(self.idle_ns)
    }
}
