//! How large the SLC cache is, and how much of it is used.

use drivelab_block::ByteCount;

use super::Ftl;
use crate::profile::UNIT_BYTES;
use crate::truth::SlcCache;

impl Ftl {
    /// Whether one more block of the die may be used in SLC mode.
    pub(crate) fn may_open_slc(&self, die: u32) -> bool {
        let owner = &self.dies[die as usize];
        let limit = if owner.folds { self.layout.slc_blocks_per_die } else { owner.slc_limit };
        owner.slc_in_use < limit && !self.is_short(die)
    }

    /// Whether host data of the die goes through its SLC cache, which is folded for that because free blocks were short, until
    /// the cache has room by its own size again: as many blocks as are folded may be used in SLC mode, however small the free
    /// space is.
    pub(crate) fn folds(&mut self, die: u32) -> &mut bool {
        &mut self.dies[die as usize].folds
    }

    /// Whether the die has no free blocks to lend to the SLC cache.
    pub(crate) fn is_short(&self, die: u32) -> bool {
        self.dies[die as usize].free.len() as u32 <= self.layout.reserve_per_die + self.layout.slc_floor
    }

    /// Whether the die has two free blocks more than it needs to go on with its SLC cache.
    pub(crate) fn has_blocks_in_hand(&self, die: u32) -> bool {
        self.dies[die as usize].free.len() as u32 > self.layout.reserve_per_die + self.layout.slc_floor + 2
    }

    /// Brings the size of a cache up to date that is a share of the free space: of the user capacity of a die without the data in
    /// its dense blocks. What is in the cache is no part of that: its size stays as it is while it is filled.
    pub(super) fn settle_slc(&mut self, die: u32) {
        let layout = self.layout;
        if layout.slc_share == 0 {
            return;
        }
        let all = self.blocks.valid_of_die(die as usize);
        let free = u64::from(layout.user_units / layout.dies).saturating_sub(all - self.valid_in_slc(die));
        let units = free * u64::from(layout.slc_share) / 1_000_000;
        // One block more than the cache holds: the one that is being folded.
        let blocks = units.div_ceil(u64::from(layout.slc_block_units)) + 1;
        let limit = u32::try_from(blocks).unwrap_or(u32::MAX);
        self.dies[die as usize].slc_limit =
            limit.min(layout.slc_blocks_per_die).max(layout.slc_least_per_die);
    }

    /// Whether a cache whose size follows the free space can get a block of the die by an erase alone, as after a discard.
    pub(crate) fn has_block_to_erase(&mut self, die: u32) -> bool {
        self.layout.slc_share > 0 && {
            self.settle();
            self.blocks.fewest(die as usize, 1).is_some()
        }
    }

    /// Current units of the die in blocks of SLC mode.
    fn valid_in_slc(&self, die: u32) -> u64 {
        let owner = &self.dies[die as usize];
        let open = Some(owner.host).filter(|host| host.is_slc && host.left() > 0).map(|host| host.block);
        let folding = owner.folding.as_ref().map(|victim| victim.block);
        let blocks = owner.slc_closed.iter().copied().chain(open).chain(folding);
        blocks.map(|block| u64::from(self.blocks.valid(block))).sum()
    }

    pub(crate) fn slc_cache(&self) -> SlcCache {
        let block = u64::from(self.layout.slc_block_units);
        let kept = self.layout.reserve_per_die + self.layout.slc_floor;
        let (mut limit, mut used, mut left) = (0, 0, 0);
        for owner in &self.dies {
            let lent = (owner.free.len() as u32).saturating_sub(kept);
            let blocks = owner.slc_limit.saturating_sub(owner.slc_in_use).min(lent);
            let open = if owner.host.is_slc { u64::from(owner.host.left()) } else { 0 };
            limit += u64::from(owner.slc_limit) * block;
            used += u64::from(owner.slc_in_use) * block - open;
            left += u64::from(blocks) * block + open;
        }
        let bytes = |units: u64| ByteCount::new(units * UNIT_BYTES);
        SlcCache { size: bytes(limit), used: bytes(used), left: bytes(left) }
    }
}
