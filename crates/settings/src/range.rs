//! The part of a drive that was asked for.

use std::fmt;

use drivelab_block::ByteCount;
use serde::{Deserialize, Serialize};

use crate::value::exact_bytes;

/// A part of a drive, as it was asked for: the same share of two drives is the same range, whatever they hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedRange {
    /// Where it begins.
    pub start: RangeEnd,
    /// Where it ends.
    pub end: RangeEnd,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RangeEnd {
    /// Bytes from the start of the drive.
    Bytes(u64),
    /// A share of the drive, 0 to 100.
    Percent(f64),
}

impl AskedRange {
    /// The whole drive.
    pub const WHOLE: AskedRange = AskedRange { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) };

    /// The range between two ends on a drive of this size: its first byte is its start, and its last its end.
    pub fn new(start: RangeEnd, end: RangeEnd, capacity: ByteCount) -> AskedRange {
        let plain = |end: RangeEnd| match end {
            RangeEnd::Bytes(0) => RangeEnd::Percent(0.0),
            RangeEnd::Bytes(bytes) if bytes == capacity.get() => RangeEnd::Percent(100.0),
            other => other,
        };
        AskedRange { start: plain(start), end: plain(end) }
    }
}

impl fmt::Display for AskedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

impl fmt::Display for RangeEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeEnd::Bytes(bytes) => f.write_str(&exact_bytes(ByteCount::new(*bytes))),
            RangeEnd::Percent(percent) => write!(f, "{percent} %"),
        }
    }
}
