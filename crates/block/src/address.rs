//! Where on a drive, and how much of it.

use std::fmt;
use std::ops::Add;

/// The unit of addresses: 512 bytes, as in the kernel's block layer, whatever the drive's own block size is.
pub const SECTOR_BYTES: u64 = 512;

/// An address on a drive, in units of [`SECTOR_BYTES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sector(u64);

impl Sector {
    /// The sector with this number.
    pub const fn new(number: u64) -> Sector {
        Sector(number)
    }

    /// The sector's number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The byte at which the sector begins.
    pub const fn byte_offset(self) -> u64 {
        self.0 * SECTOR_BYTES
    }
}

impl Add<SectorCount> for Sector {
    type Output = Sector;

    fn add(self, count: SectorCount) -> Sector {
        Sector(self.0 + u64::from(count.0))
    }
}

/// The length of one request, in units of [`SECTOR_BYTES`]; at most 2 TiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectorCount(u32);

impl SectorCount {
    /// A length of `count` sectors.
    pub const fn new(count: u32) -> SectorCount {
        SectorCount(count)
    }

    /// The number of sectors.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The length in bytes.
    pub const fn bytes(self) -> ByteCount {
        ByteCount(self.0 as u64 * SECTOR_BYTES)
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteCount(u64);

impl ByteCount {
    /// This many bytes.
    pub const fn new(bytes: u64) -> ByteCount {
        ByteCount(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whole sectors that fit in this many bytes.
    pub const fn whole_sectors(self) -> u64 {
        self.0 / SECTOR_BYTES
    }
}

impl Add for ByteCount {
    type Output = ByteCount;

    fn add(self, other: ByteCount) -> ByteCount {
        ByteCount(self.0 + other.0)
    }
}

impl fmt::Display for ByteCount {
    /// Decimal units, as drives are sold: `240.1 GB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} B", self.0),
            1_000..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            1_000_000_000..1_000_000_000_000 => write!(f, "{:.1} GB", bytes / 1e9),
            _ => write!(f, "{:.2} TB", bytes / 1e12),
        }
    }
}

/// A run of sectors: where a request begins and how long it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extent {
    /// The first sector.
    pub start: Sector,
    /// How many sectors; zero only for a flush.
    pub length: SectorCount,
}

impl Extent {
    /// The sector after the last one.
    pub fn end(self) -> Sector {
        self.start + self.length
    }
}

/// Bytes of a target that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: ByteCount,
    /// The byte behind the last one.
    pub end: ByteCount,
}

impl ByteRange {
    /// The bytes from the first one on, as far as the one before `end`.
    pub const fn new(start: ByteCount, end: ByteCount) -> ByteRange {
        ByteRange { start, end }
    }

    /// How many bytes they are; none where the end lies before the start.
    pub const fn length(self) -> ByteCount {
        ByteCount(self.end.0.saturating_sub(self.start.0))
    }
}

/// What a workload has to know of a drive before it can address it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// User-accessible bytes.
    pub capacity: ByteCount,
    /// The smallest request, and the alignment of every request, in bytes: a power of two, 512 or more.
    pub logical_block: u32,
    /// The unit the drive writes without reading first, in bytes; at least `logical_block`.
    pub physical_block: u32,
}
