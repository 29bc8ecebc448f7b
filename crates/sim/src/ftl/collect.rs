//! Garbage collection: choosing victims, moving what is current, erasing.

use super::Ftl;
use super::die::{Victim, VictimSource};
use super::map::{Ahead, FlashPlace, LINE_ENTRIES};

/// Map entries are asked for this many moves before they are changed.
const AHEAD: u32 = 32;

/// Physical work that collection did on one die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Units moved.
    pub(crate) units: u32,
    /// Multi-plane pages read for it.
    pub(crate) page_reads: u32,
    /// Multi-plane programs that were completed.
    pub(crate) programs: u32,
    /// Blocks erased.
    pub(crate) erased: u32,
}

impl Moved {
    /// Whether there was nothing to gain on this die.
    pub(crate) fn is_nothing(&self) -> bool {
        self.units == 0 && self.erased == 0
    }
}

impl Ftl {
    /// Moves up to `budget` units out of the die's victim, which is chosen where there is none, and erases
    /// it once it is empty. At most one block is erased.
    pub(crate) fn collect(&mut self, die: u32, source: VictimSource, budget: u32) -> Moved {
        let mut work = Moved::default();
        let Some(mut victim) = self.take_victim(die, source) else {
            return work;
        };
        while work.units < budget {
            let limit = budget - work.units;
            if self.move_some(die, &mut victim, limit, &mut work) {
                self.free(die, victim.block, source == VictimSource::Slc);
                work.erased = 1;
                return work;
            }
        }
        *self.victim_slot(die, source) = Some(victim);
        work
    }

    /// Of the die's current victim, chosen where there is none: current units when chosen, and the units
    /// that moving them to dense cells and erasing it gains. `None` where nothing can be gained.
    pub(crate) fn victim_yield(&mut self, die: u32, source: VictimSource) -> Option<(u32, u32)> {
        let victim = self.take_victim(die, source)?;
        *self.victim_slot(die, source) = Some(victim);
        Some((victim.valid, self.layout.units_per_block - victim.valid))
    }

    /// What is best collected on the die when its free blocks run low: a block of the SLC cache holds less
    /// than its worth, so that folding comes first.
    pub(crate) fn best_source(&self, die: u32) -> VictimSource {
        if self.has_slc_to_fold(die) { VictimSource::Slc } else { VictimSource::Greedy }
    }

    /// Whether blocks of the die wait for folding, or one is being folded.
    pub(crate) fn has_slc_to_fold(&self, die: u32) -> bool {
        let owner = &self.dies[die as usize];
        owner.folding.is_some() || !owner.slc_closed.is_empty()
    }

    fn victim_slot(&mut self, die: u32, source: VictimSource) -> &mut Option<Victim> {
        let owner = &mut self.dies[die as usize];
        match source {
            VictimSource::Greedy => &mut owner.victim,
            VictimSource::Slc => &mut owner.folding,
        }
    }

    fn take_victim(&mut self, die: u32, source: VictimSource) -> Option<Victim> {
        if let Some(victim) = self.victim_slot(die, source).take() {
            return Some(victim);
        }
        // What is pending may lie in a block that was just filled, and lowers the counts of others.
        self.settle();
        let (block, units) = match source {
            VictimSource::Greedy => {
                let units = self.layout.units_per_block;
                (self.blocks.fewest(die as usize, units)?, units)
            }
            VictimSource::Slc => {
                (self.dies[die as usize].slc_closed.pop_front()?, self.layout.slc_block_units)
            }
        };
        self.blocks.withdraw(block);
        let next = block * self.layout.units_per_block;
        for line in 0..AHEAD.div_ceil(LINE_ENTRIES) * 2 {
            self.map.prefetch_place(next + line * LINE_ENTRIES);
        }
        self.map.prefetch_validity(next);
        let valid = self.blocks.valid(block);
        let end = next + units;
        Some(Victim { block, next, end, read_until: next, valid, ahead: Ahead::new(next, end) })
    }

    /// Moves up to `limit` units, or as many as fit the frontier; returns whether the victim is empty.
    fn move_some(&mut self, die: u32, victim: &mut Victim, limit: u32, work: &mut Moved) -> bool {
        let block_units = self.layout.units_per_block;
        if self.dies[die as usize].moved.left() == 0 {
            let opened = self.open(die, false);
            self.dies[die as usize].moved = opened.expect("collection keeps a free block in reserve");
        }
        let frontier = self.dies[die as usize].moved;
        let budget = limit.min(frontier.left());
        let (moved, is_empty) = self.move_run(victim, frontier.next, budget, work);
        self.blocks.remove(victim.block, moved);
        self.blocks.add(frontier.block, moved);
        let base = frontier.block * block_units;
        let program = self.layout.units_per_program;
        let next = frontier.next + moved;
        work.programs += (next - base) / program - (frontier.next - base) / program;
        work.units += moved;
        self.dies[die as usize].moved.next = next;
        if next == frontier.end {
            self.close(die, frontier);
        }
        is_empty
    }

    /// The inner loop: moves up to `budget` units to the places from `to` on, a word of validity bits at a
    /// time. Returns how many, and whether the victim is empty.
    fn move_run(
        &mut self,
        victim: &mut Victim,
        to: FlashPlace,
        budget: u32,
        work: &mut Moved,
    ) -> (u32, bool) {
        if victim.next.is_multiple_of(self.layout.units_per_block) {
            for _ in 0..AHEAD {
                self.map.ask(&mut victim.ahead);
            }
        }
        let mut moved = 0;
        while victim.next < victim.end {
            let word = victim.next as usize / 64;
            let current = self.map.valid[word] & (!0 << (victim.next % 64));
            if current == 0 {
                victim.next = (word as u32 + 1) * 64;
                continue;
            }
            if moved == budget {
                return (moved, false);
            }
            let bits = lowest(current, budget - moved);
            work.page_reads += self.pages_read(victim, word, bits);
            self.copy_contents(word, bits, to + moved);
            self.map.relocate(word, bits, to + moved, &mut victim.ahead);
            moved += bits.count_ones();
            victim.next = (word as u32 + 1) * 64 - bits.leading_zeros();
        }
        (moved, true)
    }

    /// Multi-plane pages that the places named by `bits` lie on, without the one that was read last.
    #[inline]
    fn pages_read(&self, victim: &mut Victim, word: usize, bits: u64) -> u32 {
        let shift = self.layout.units_per_program.trailing_zeros();
        let mut pages = bits;
        for step in 0..shift.min(6) {
            pages |= pages >> (1 << step);
        }
        // A place's bit has spread to the first of its page and, harmlessly, to the end of the page before.
        pages &= first_of_pages(shift);
        let first = (word * 64) as u32;
        let again = u32::from(first + bits.trailing_zeros() < victim.read_until);
        let last = first + 63 - bits.leading_zeros();
        victim.read_until = ((last >> shift) + 1) << shift;
        pages.count_ones() - again
    }

    #[inline]
    fn copy_contents(&mut self, word: usize, bits: u64, to: FlashPlace) {
        let Some(contents) = &mut self.contents else {
            return;
        };
        let mut left = bits;
        for target in to..to + bits.count_ones() {
            let from = (word * 64) as u32 + left.trailing_zeros();
            left &= left - 1;
            contents[target as usize] = contents[from as usize];
        }
    }
}

/// The lowest `count` of the bits that are set, or all of them where there are fewer.
#[inline]
fn lowest(bits: u64, count: u32) -> u64 {
    if bits.count_ones() <= count {
        return bits;
    }
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest - 1;
    }
    bits & !rest
}

/// A bit for the first place of each page of 2^`shift` places in a word; of longer pages, the word's first.
#[inline]
fn first_of_pages(shift: u32) -> u64 {
    match shift {
        0 => !0,
        1 => 0x5555_5555_5555_5555,
        2 => 0x1111_1111_1111_1111,
        3 => 0x0101_0101_0101_0101,
        4 => 0x0001_0001_0001_0001,
        5 => 0x0000_0001_0000_0001,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cells;
    use super::*;
    use crate::profile::DriveShape;

    #[test]
    fn a_page_has_one_bit_in_a_word_and_a_longer_one_has_that_of_its_word() {
        for shift in 0..8 {
            let is_first = |place: u32| place.is_multiple_of(1 << shift);
            let expected = (0..64).filter(|place| is_first(*place)).fold(0, |bits, place| bits | 1 << place);
            assert_eq!(first_of_pages(shift), expected, "pages of {} places", 1 << shift);
        }
    }

    #[test]
    fn the_lowest_bits_are_taken_first() {
        assert_eq!(lowest(0b1011_0100, 2), 0b0001_0100);
        assert_eq!(lowest(0b1011_0100, 9), 0b1011_0100);
        assert_eq!(lowest(!0, 64), !0);
    }

    /// What is asked for ahead has numbers, too, which must not overflow: of the ninth die of this drive a place times sixteen is
    /// beyond 32 bits. Hardly any of its memory is touched.
    #[test]
    fn a_block_of_a_drive_of_more_than_a_tebibyte_is_written_and_emptied() {
        let (die, block_units) = (8, 1_u32 << 23);
        let shape = DriveShape {
            user_units: 64,
            dies: 9,
            channels: 1,
            blocks_per_die: 4,
            units_per_block: block_units,
            units_per_program: 64,
            slc_blocks_per_die: 0,
            slc_least_per_die: 0,
            slc_share: 0,
            set_aside_per_die: 0,
            reserve_per_die: 1,
            slc_block_units: block_units,
            slc_floor: 0,
            pool_blocks: 1,
            idle_pool_blocks: 1,
        };
        let mut ftl = Ftl::new(&shape, false);
        ftl.open_program(die, Cells::Dense).expect("there is room");
        ftl.append(die, 0, 64, 0);
        let full = std::mem::take(&mut ftl.dies[die as usize].host);
        ftl.close(die, full);
        let work = ftl.collect(die, VictimSource::Greedy, 65);
        assert_eq!((work.units, work.erased), (64, 1));
        let found = (0..64).map(|unit| ftl.map.place_of(unit).expect("it was written"));
        let moved_to = (full.block + 1) * block_units;
        assert!(found.eq(moved_to..moved_to + 64));
    }
}
