//! Where requests are.

use drivelab_block::{Extent, Sector, SectorCount};

/// The last sector of 8 EiB: no drive is larger.
const LAST_SECTOR: u64 = (1 << 54) - 1;

/// An extent of 512-byte sectors; `None` where it is longer than a request can be, or ends where no drive does.
#[inline]
pub fn extent(start: u64, sectors: u64) -> Option<Extent> {
    start.checked_add(sectors).filter(|end| *end <= LAST_SECTOR)?;
    Some(Extent { start: Sector::new(start), length: SectorCount::new(u32::try_from(sectors).ok()?) })
}
