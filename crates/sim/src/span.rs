//! A request's extent in mapping units.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a drive has fewer than 2^32 units, places and blocks: checked when its profile is made"
)]

use std::ops::Range;

use drivelab_block::{Extent, Sector};

/// Sectors of 512 bytes in a mapping unit.
const UNIT_SECTORS: u64 = 8;

/// The mapping units that an extent touches, and whether it covers the first and the last as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitSpan {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) sectors: u32,
    pub(crate) head_is_partial: bool,
    pub(crate) tail_is_partial: bool,
}

impl UnitSpan {
    /// The units of an extent that lies on the drive; drives have fewer than 2^32 units.
    #[inline]
    pub(crate) fn touched(extent: Extent) -> UnitSpan {
        let (start, end) = (extent.start.get(), extent.end().get());
        let first = start / UNIT_SECTORS;
        UnitSpan {
            first: first as u32,
            count: (end.div_ceil(UNIT_SECTORS) - first) as u32,
            sectors: extent.length.get(),
            head_is_partial: start % UNIT_SECTORS != 0,
            tail_is_partial: end % UNIT_SECTORS != 0,
        }
    }

    /// The whole unit that begins with a sector.
    pub(crate) fn from_sector(sector: Sector) -> UnitSpan {
        let first = (sector.get() / UNIT_SECTORS) as u32;
        UnitSpan { first, count: 1, sectors: 8, head_is_partial: false, tail_is_partial: false }
    }

    pub(crate) fn units(self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// First unit and number of the units that the extent covers as a whole.
    pub(crate) fn covered(extent: Extent) -> (u32, u32) {
        let first = extent.start.get().div_ceil(UNIT_SECTORS);
        let end = extent.end().get() / UNIT_SECTORS;
        (first as u32, end.saturating_sub(first) as u32)
    }
}

pub(crate) fn first_sector(unit: u32) -> Sector {
    Sector::new(u64::from(unit) * UNIT_SECTORS)
}
