//! How many current units each block holds, and which one to collect.

use super::memory::prefetch;

/// The flag of a block that cannot be a victim: free, open, a victim already, or in the SLC cache.
const NOT_A_CANDIDATE: u16 = 1 << 15;

/// Counts of all blocks, die after die.
///
/// The best victim is found by looking through the counts of one die: a few hundred nanoseconds for each
/// block collected, which costs less than keeping the blocks sorted at each overwrite.
#[derive(Debug)]
pub(super) struct BlockCounts {
    counts: Vec<u16>,
    /// How often each was erased.
    erases: Vec<u32>,
    per_die: usize,
}

/// How often the blocks of a drive were erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wear {
    pub(crate) blocks: u64,
    /// Of all blocks.
    pub(crate) erases: u64,
    /// Of the block that was erased most often.
    pub(crate) most: u64,
}

impl BlockCounts {
    pub(super) fn new(dies: usize, per_die: usize) -> BlockCounts {
        let blocks = dies * per_die;
        BlockCounts { counts: vec![NOT_A_CANDIDATE; blocks], erases: vec![0; blocks], per_die }
    }

    /// Current units of a block.
    #[inline]
    pub(super) fn valid(&self, block: u32) -> u32 {
        u32::from(self.counts[block as usize] & !NOT_A_CANDIDATE)
    }

    #[inline]
    pub(super) fn add(&mut self, block: u32, units: u32) {
        self.counts[block as usize] += units as u16;
    }

    #[inline]
    pub(super) fn remove(&mut self, block: u32, units: u32) {
        self.counts[block as usize] -= units as u16;
    }

    /// From now on the block may be chosen as a victim.
    pub(super) fn offer(&mut self, block: u32) {
        self.counts[block as usize] &= !NOT_A_CANDIDATE;
    }

    /// From now on the block may not be chosen.
    pub(super) fn withdraw(&mut self, block: u32) {
        self.counts[block as usize] |= NOT_A_CANDIDATE;
    }

    /// The candidate of a die with the fewest current units, if it has fewer than `below`.
    pub(super) fn fewest(&self, die: usize, below: u32) -> Option<u32> {
        let first = die * self.per_die;
        let counts = &self.counts[first..first + self.per_die];
        let least = counts.iter().copied().fold(u16::MAX, u16::min);
        if least >= NOT_A_CANDIDATE || u32::from(least) >= below {
            return None;
        }
        counts.iter().position(|&count| count == least).map(|place| (first + place) as u32)
    }

    pub(super) fn erased(&mut self, block: u32) {
        self.erases[block as usize] += 1;
    }

    pub(super) fn wear(&self) -> Wear {
        Wear {
            blocks: self.erases.len() as u64,
            erases: self.erases.iter().map(|count| u64::from(*count)).sum(),
            most: self.erases.iter().copied().max().map_or(0, u64::from),
        }
    }

    /// The sum over the blocks of a die.
    pub(super) fn valid_of_die(&self, die: usize) -> u64 {
        let counts = &self.counts[die * self.per_die..][..self.per_die];
        counts.iter().map(|count| u64::from(count & !NOT_A_CANDIDATE)).sum()
    }

    /// Every block free and empty.
    pub(super) fn clear(&mut self) {
        self.counts.fill(NOT_A_CANDIDATE);
    }

    #[inline]
    pub(super) fn prefetch(&self, block: u32) {
        prefetch(&self.counts, block as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_victim_is_the_candidate_of_the_die_with_the_fewest_units_below_the_bound() {
        let mut blocks = BlockCounts::new(2, 3);
        assert_eq!(blocks.fewest(1, 100), None, "no block is a candidate");
        for (block, units) in [(0, 1), (3, 64), (4, 9), (5, 30)] {
            blocks.add(block, units);
            blocks.offer(block);
        }
        assert_eq!(blocks.fewest(1, 64), Some(4));
        blocks.withdraw(4);
        assert_eq!((blocks.fewest(1, 64), blocks.valid(4)), (Some(5), 9));
        assert_eq!(blocks.fewest(1, 30), None, "moving as many as are freed gains nothing");
        blocks.withdraw(5);
        assert_eq!((blocks.fewest(1, 64), blocks.fewest(1, 65)), (None, Some(3)));
    }
}
