//! The part of a drive that a workload may touch.

use std::fmt;

use drivelab_block::{ByteCount, SECTOR_BYTES, Sector, SectorCount};

/// A run of blocks of one size: the address range of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: Sector,
    block: SectorCount,
    blocks: u64,
}

/// A span without a single block: the range is smaller than the block size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptySpan {
    range: ByteCount,
    block: ByteCount,
}

impl fmt::Display for EmptySpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the address range of {} bytes does not hold one block of {} bytes: use a smaller block or a larger range",
            self.range.get(),
            self.block.get()
        )
    }
}

impl std::error::Error for EmptySpan {}

impl Span {
    /// The whole blocks in `length` bytes from `start`; what is left over at the end is not used.
    ///
    /// # Errors
    /// [`EmptySpan`] where not one block fits.
    pub fn new(start: Sector, length: ByteCount, block: SectorCount) -> Result<Span, EmptySpan> {
        let blocks = match block.get() {
            0 => 0,
            sectors => length.whole_sectors() / u64::from(sectors),
        };
        match blocks {
            0 => Err(EmptySpan { range: length, block: block.bytes() }),
            _ => Ok(Span { start, block, blocks }),
        }
    }

    /// How many blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The size of a block.
    pub fn block(&self) -> SectorCount {
        self.block
    }

    /// The first sector.
    pub fn start(&self) -> Sector {
        self.start
    }

    /// The length in bytes.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.blocks * u64::from(self.block.get()) * SECTOR_BYTES)
    }

    /// The first sector of a block, counted from 0.
    pub fn sector_of(&self, block: u64) -> Sector {
        Sector::new(self.start.get() + block * u64::from(self.block.get()))
    }

    /// The part of worker `index` of `count`, all of nearly the same size. Where there are more workers
    /// than blocks, some have the same one.
    #[must_use]
    pub fn part(&self, index: u16, count: u16) -> Span {
        let (index, count) = (u128::from(index), u128::from(count.max(1)));
        let cut = |at: u128| u64::try_from(u128::from(self.blocks) * at / count).unwrap_or(self.blocks);
        let first = cut(index).min(self.blocks - 1);
        let blocks = cut(index + 1).saturating_sub(first).max(1);
        Span { start: self.sector_of(first), block: self.block, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_cover_the_span_without_overlap(blocks in 16u64..10_000, count in 1u16..16) {
            let span = Span::new(Sector::new(64), ByteCount::new(blocks * 4096), SectorCount::new(8)).expect("blocks fit");
            let mut next = span.start();
            for index in 0..count {
                let part = span.part(index, count);
                prop_assert_eq!(part.start(), next);
                next = part.sector_of(part.blocks());
            }
            prop_assert_eq!(next, span.sector_of(blocks));
        }
    }

    #[test]
    fn a_range_smaller_than_a_block_is_refused_with_the_mend() {
        let error =
            Span::new(Sector::new(0), ByteCount::new(2048), SectorCount::new(8)).expect_err("too small");
        assert!(error.to_string().contains("smaller block"));
    }
}
