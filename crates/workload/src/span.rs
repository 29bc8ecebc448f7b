//! The part of a drive that a workload may touch.

use drivelab_block::{ByteCount, SECTOR_BYTES, Sector, SectorCount};

/// Blocks of one size, each as far from the next as every other: the address range of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: Sector,
    block: SectorCount,
    blocks: u64,
    /// From the start of a block to that of the next, in blocks: 1 where they follow each other without a gap.
    step: u64,
}

/// Settings that make no sense on a drive. The message is a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

impl Span {
    /// The whole blocks in `length` bytes from `start`; what is left over at the end is not used.
    ///
    /// # Errors
    /// Where not one block fits.
    pub fn new(start: Sector, length: ByteCount, block: SectorCount) -> Result<Span, PlanError> {
        let blocks = match block.get() {
            0 => 0,
            sectors => length.whole_sectors() / u64::from(sectors),
        };
        match blocks {
            0 => Err(PlanError(format!(
                "the address range of {} bytes does not hold one block of {} bytes: use a smaller block or a larger range",
                length.get(),
                block.bytes().get()
            ))),
            _ => Ok(Span { start, block, blocks, step: 1 }),
        }
    }

    /// Every second, third or nth block of these, so that there are at most `most`; all of them where there are no more.
    #[must_use]
    pub fn thinned(self, most: u64) -> Span {
        let every = self.blocks.div_ceil(most.max(1));
        Span { blocks: self.blocks.div_ceil(every), step: self.step * every, ..self }
    }

    /// From the start of a block to that of the next, in blocks: 1 where they follow each other without a gap.
    pub fn step(&self) -> u64 {
        self.step
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

    /// The bytes of all blocks.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.blocks * u64::from(self.block.get()) * SECTOR_BYTES)
    }

    /// The first sector of a block, counted from 0.
    pub fn sector_of(&self, block: u64) -> Sector {
        Sector::new(self.start.get() + block * self.step * u64::from(self.block.get()))
    }

    /// The block in which a sector lies, counted from 0; none outside of all blocks.
    pub fn block_of(&self, sector: Sector) -> Option<u64> {
        let offset = sector.get().checked_sub(self.start.get())? / u64::from(self.block.get());
        let block = offset / self.step;
        (offset.is_multiple_of(self.step) && block < self.blocks).then_some(block)
    }

    /// The part of worker `index` of `count`, all of nearly the same size. Where there are more workers
    /// than blocks, some have the same one.
    #[must_use]
    pub fn part(&self, index: u16, count: u16) -> Span {
        let (index, count) = (u128::from(index), u128::from(count.max(1)));
        let cut = |at: u128| u64::try_from(u128::from(self.blocks) * at / count).unwrap_or(self.blocks);
        let first = cut(index).min(self.blocks - 1);
        let blocks = cut(index + 1).saturating_sub(first).max(1);
        Span { start: self.sector_of(first), blocks, ..*self }
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
    fn of_too_many_blocks_every_nth_is_used() {
        let span =
            Span::new(Sector::new(64), ByteCount::new(10 * 4096), SectorCount::new(8)).expect("blocks fit");
        let thin = span.thinned(4);
        let starts: Vec<u64> = (0..thin.blocks()).map(|block| thin.sector_of(block).get()).collect();
        assert_eq!(starts, [64, 64 + 3 * 8, 64 + 6 * 8, 64 + 9 * 8]);
        assert_eq!(span.thinned(10), span);
        for (sector, block) in [
            (63, None),
            (64, Some(0)),
            (71, Some(0)),
            (72, None),
            (88, Some(1)),
            (143, Some(3)),
            (144, None),
            (160, None),
        ] {
            assert_eq!(thin.block_of(Sector::new(sector)), block, "sector {sector}");
        }
        let parts = [thin.part(0, 2), thin.part(1, 2)];
        assert_eq!(parts.map(|part| part.sector_of(1).get()), [88, 136]);
    }

    #[test]
    fn a_range_smaller_than_a_block_is_refused_with_the_mend() {
        let error =
            Span::new(Sector::new(0), ByteCount::new(2048), SectorCount::new(8)).expect_err("too small");
        assert!(error.to_string().contains("smaller block"));
    }
}
