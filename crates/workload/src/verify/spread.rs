//! Where the blocks are that are not as they were written.

use std::collections::BTreeMap;

use drivelab_block::Sector;

use crate::verify::Piece;

/// So many blocks have to be faulty before all that lie behind them are said to be.
const EVIDENCE: usize = 4;
/// Faulty blocks below an address, or that are wrong in another way, may be one in this many where all behind it are faulty:
/// a drive that lies about its size may also flip bits.
const STRAY: usize = 10;
/// Addresses that are kept: the lowest are enough.
const KEPT_MAX: usize = 64;
/// A drive that wraps keeps at least as many blocks.
const WRAP_BLOCKS_MIN: u64 = 16;

/// Where the blocks are that are not as they were written, in sectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultSpread {
    lowest: Option<u64>,
    /// The highest block that is as it was written.
    well: Option<u64>,
    /// The lowest faulty ones behind that, each with its first wrong sector.
    behind: BTreeMap<u64, u64>,
    /// Faulty ones below it.
    below: usize,
    faulty: usize,
    /// The greatest common divisor of the distances between where blocks are and where they were written to.
    stride: u64,
    /// Blocks with a known distance.
    misplaced: usize,
    /// Blocks that are faulty in another way.
    others: usize,
}

impl FaultSpread {
    /// Takes a block that is as it was written.
    pub(crate) fn well(&mut self, block: Sector) {
        self.well = self.well.max(Some(block.get()));
        if self.behind.first_key_value().is_some_and(|(lowest, _)| *lowest < block.get()) {
            let still_behind = self.behind.split_off(&block.get());
            self.below += self.behind.len();
            self.behind = still_behind;
        }
    }

    /// Takes a faulty block, and what its first wrong piece, at this sector, is instead.
    pub(crate) fn faulty(&mut self, block: Sector, sector: Sector, found: Piece) {
        self.lowest = Some(self.lowest.map_or(block.get(), |lowest| lowest.min(block.get())));
        self.faulty += 1;
        if self.well.is_some_and(|well| block.get() < well) {
            self.below += 1;
        } else {
            self.behind.insert(block.get(), sector.get());
            if self.behind.len() > KEPT_MAX {
                self.behind.pop_last();
            }
        }
        match found {
            Piece::Elsewhere(Some(meant)) => {
                self.stride = common_divisor(self.stride, meant.get().abs_diff(sector.get()));
                self.misplaced += 1;
            }
            _ => self.others += 1,
        }
    }

    pub(crate) fn lowest(&self) -> Option<Sector> {
        self.lowest.map(Sector::new)
    }

    /// The first wrong sector of the block from which on all are faulty, and before which few are; none if there is no such
    /// block, or if none is as it was written. In a block that reaches over the end of what a drive keeps, what lies before that
    /// is right.
    pub(crate) fn edge(&self) -> Option<Sector> {
        let (_, first) = self.behind.first_key_value()?;
        let is_shown =
            self.behind.len() >= EVIDENCE && self.below * STRAY <= self.faulty && self.well.is_some();
        is_shown.then_some(Sector::new(*first))
    }

    /// How many sectors a drive keeps on which faulty blocks hold what was written a multiple of that away, but for a few that
    /// are faulty in another way.
    pub(crate) fn wraps_at(&self, block_sectors: u64) -> Option<u64> {
        let is_shown = self.misplaced >= EVIDENCE && self.others * STRAY <= self.misplaced;
        (is_shown && self.stride >= WRAP_BLOCKS_MIN * block_sectors).then_some(self.stride)
    }
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(blocks: impl Iterator<Item = (u64, Option<Piece>)>) -> FaultSpread {
        let mut spread = FaultSpread::default();
        for (block, found) in blocks {
            let at = Sector::new(block * 8);
            match found {
                None => spread.well(at),
                Some(found) => spread.faulty(at, at, found),
            }
        }
        spread
    }

    #[test]
    fn the_edge_is_found_behind_which_nothing_is_as_written() {
        let edge = |missing: fn(u64) -> bool| {
            let blocks = (0..100).map(|number| number * 37 % 100);
            spread(blocks.map(|block| (block, missing(block).then_some(Piece::Nothing)))).edge()
        };
        assert_eq!(edge(|block| block >= 40), Some(Sector::new(40 * 8)));
        assert_eq!(edge(|block| block >= 97), None, "too few");
        assert_eq!(edge(|block| block % 10 == 9), None);
        assert_eq!(
            edge(|block| block >= 40 || block % 13 == 5),
            Some(Sector::new(40 * 8)),
            "three of 63 lie below"
        );
        assert_eq!(edge(|block| block >= 80 || block % 13 == 5), None, "seven of 27 lie below");
        assert_eq!(edge(|_| true), None, "nothing is as written");
    }

    #[test]
    fn the_edge_is_the_first_wrong_sector_of_a_block_that_reaches_over_it() {
        let mut spread = FaultSpread::default();
        spread.well(Sector::new(0));
        for block in 1..6 {
            let first = if block == 1 { 3 } else { 0 };
            spread.faulty(Sector::new(block * 8), Sector::new(block * 8 + first), Piece::Nothing);
        }
        assert_eq!(spread.edge(), Some(Sector::new(11)));
    }

    #[test]
    fn the_capacity_is_found_of_a_drive_that_wraps() {
        // The last 25 of 100 blocks are the last that were written to their places.
        let holds = |block: u64| 75 + block % 25;
        let found = |block: u64| {
            let meant = Sector::new(holds(block) * 8);
            (block, (holds(block) != block).then_some(Piece::Elsewhere(Some(meant))))
        };
        assert_eq!(spread((0..100).map(found)).wraps_at(8), Some(25 * 8));
        let flipped = |block: u64| match found(block) {
            (block, Some(_)) if block % 30 == 3 => (block, Some(Piece::Nothing)),
            other => other,
        };
        assert_eq!(spread((0..100).map(flipped)).wraps_at(8), Some(25 * 8));
        // Blocks that went astray have no stride in common.
        let astray = |block: u64| (block, Some(Piece::Elsewhere(Some(Sector::new(block * 37 % 100 * 8)))));
        assert_eq!(spread((1..100).map(astray)).wraps_at(8), None);
    }
}
