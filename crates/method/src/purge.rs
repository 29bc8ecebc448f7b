//! Purges: every block of a range is given back to the drive.

use drivelab_block::{ByteCount, ByteRange, Extent, Geometry, Op, OpSet, SECTOR_BYTES, Sector, SectorCount};
use drivelab_workload::{Ask, Next, Workload};

use crate::PhasePlan;

/// Bytes of one discard: small enough for every drive, large enough that a purge takes seconds.
const DISCARD_BYTES: u64 = 1 << 30;

/// What blocks are given back for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscardPurpose {
    /// To begin with a fresh drive. A drive that refuses is tested as it is: that is no failure of the run.
    Purge,
    /// To see what it does to the drive.
    Trim,
}

/// Gives every block of a range back to the drive.
#[derive(Clone, Debug)]
pub struct Purge {
    next: u64,
    end: u64,
}

impl Purge {
    /// Discards a range of a drive, first byte and one past the last, in whole logical blocks.
    pub fn new(range: ByteRange, geometry: &Geometry) -> Purge {
        let block = u64::from(geometry.logical_block);
        let start = range.start.get().next_multiple_of(block);
        let end = range.end.get().min(geometry.capacity.get()) / block * block;
        let sector = |byte: u64| ByteCount::new(byte).whole_sectors();
        Purge { next: sector(start), end: sector(end) }
    }

    /// The phase that discards: one request after the other, as large as the drive takes them.
    pub fn phase(purpose: DiscardPurpose) -> PhasePlan {
        let ops = OpSet::EMPTY.with(Op::Discard);
        let name = match purpose {
            DiscardPurpose::Purge => "purge",
            DiscardPurpose::Trim => "trim",
        };
        PhasePlan::closed(name, 1, ByteCount::new(0), ops)
    }

    /// Bytes that are still to be discarded.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.end.saturating_sub(self.next) * SECTOR_BYTES)
    }

    fn next_discard(&mut self) -> Option<Ask> {
        let left = self.end.checked_sub(self.next).filter(|left| *left > 0)?;
        let length = u32::try_from(left.min(ByteCount::new(DISCARD_BYTES).whole_sectors())).ok()?;
        let extent = Extent { start: Sector::new(self.next), length: SectorCount::new(length) };
        self.next += u64::from(length);
        Some(Ask { due: None, op: Op::Discard, extent })
    }
}

impl Workload for Purge {
    fn next_ask(&mut self) -> Next {
        self.next_discard().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purge_covers_the_drive_once() {
        let geometry =
            Geometry { capacity: ByteCount::new((5 << 30) + 4096), logical_block: 512, physical_block: 4096 };
        let mut purge = Purge::new(ByteRange::new(ByteCount::new(0), geometry.capacity), &geometry);
        let mut next = 0;
        while let Next::Ask(ask) = purge.next_ask() {
            assert_eq!((ask.op, ask.extent.start.get()), (Op::Discard, next));
            next = ask.extent.end().get();
        }
        assert_eq!(next * 512, geometry.capacity.get());
    }
}
