//! What the files of a run's records are called.

use std::path::{Path, PathBuf};

/// The folder of the segments.
pub const SEGMENTS: &str = "segments";
/// A whole segment.
pub const SEGMENT: &str = "parquet";
/// A segment that is being written.
pub const PARTIAL: &str = "parquet.partial";
/// Where the row groups of the segment that is being written are, and the records behind them.
pub const TAIL: &str = "tail";

/// The file of a segment in one of its states.
pub fn segment_path(segments: &Path, number: u32, kind: &str) -> PathBuf {
    segments.join(format!("{number:06}.{kind}"))
}
