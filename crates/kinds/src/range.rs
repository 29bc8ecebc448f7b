//! The part of a drive that was asked for.

use std::fmt;

use drivelab_block::{ByteCount, ByteRange, Geometry};
use serde::{Deserialize, Serialize};

use crate::whole::whole_part;

/// A part of a drive, as it was asked for: the same share of two drives is the same range, whatever they hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeOption {
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

impl RangeOption {
    /// The same range in the one form that ranges on a drive of this size are compared in: its first byte is its start, and the
    /// one past its last is its end, however they were typed.
    #[must_use]
    pub fn on_capacity(self, capacity: ByteCount) -> RangeOption {
        let plain = |end: RangeEnd| match end {
            RangeEnd::Bytes(0) => RangeEnd::Percent(0.0),
            RangeEnd::Bytes(bytes) if bytes == capacity.get() => RangeEnd::Percent(100.0),
            other => other,
        };
        RangeOption { start: plain(self.start), end: plain(self.end) }
    }

    /// The bytes on a drive: its first one, and the one past its last. Shares of a drive lie on boundaries of 1 MiB, or of its
    /// physical block where it is small: a write across two physical blocks costs a read.
    pub fn on(self, geometry: &Geometry) -> ByteRange {
        let capacity = geometry.capacity;
        let align =
            if capacity.get() < 64 << 20 { u64::from(geometry.physical_block.max(1)) } else { 1 << 20 };
        ByteRange::new(self.start.on(capacity, align), self.end.on(capacity, align))
    }

    /// Whether that is the whole of every drive.
    pub fn is_whole(self) -> bool {
        let from_the_start = match self.start {
            RangeEnd::Bytes(bytes) => bytes == 0,
            RangeEnd::Percent(percent) => percent <= 0.0,
        };
        from_the_start && matches!(self.end, RangeEnd::Percent(100.0..))
    }
}

impl RangeEnd {
    /// The byte on a drive of this size, on a boundary of `align` bytes; the end of the drive is its end.
    fn on(self, capacity: ByteCount, align: u64) -> ByteCount {
        match self {
            RangeEnd::Bytes(bytes) => ByteCount::new(bytes),
            RangeEnd::Percent(100.0..) => capacity,
            RangeEnd::Percent(percent) => {
                let bytes = whole_part(capacity.get() as f64 * percent / 100.0);
                ByteCount::new(bytes.min(capacity.get()) / align * align)
            }
        }
    }
}

impl fmt::Display for RangeOption {
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

/// Bytes without rounding, in the largest binary unit that they are a whole number of.
pub(crate) fn exact_bytes(bytes: ByteCount) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let fits = |(unit, _): &&(u64, &str)| bytes.get() > 0 && bytes.get().is_multiple_of(*unit);
    match units.iter().find(fits) {
        Some((unit, name)) => format!("{} {name}", bytes.get() / unit),
        None => format!("{} bytes", bytes.get()),
    }
}
