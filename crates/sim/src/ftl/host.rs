//! Host writes and reads.

use std::ops::RangeInclusive;

use super::die::WriteFrontier;
use super::map::{FlashPlace, LINE_ENTRIES, Unit};
use super::pending::{BATCH, LAG, MAP_LAG};
use super::{Ftl, Tag};

/// Where a unit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) die: u32,
    /// The multi-plane page, numbered over the whole drive: units of the same one come with one read.
    pub(crate) page: u32,
}

/// Whether the next host data of a die goes to cells in SLC mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    Slc,
    Dense,
}

impl Ftl {
    /// Makes room for one program of host data on the die, in SLC mode where `cells` asks for it and a block
    /// can be had; `None` where the die has no room.
    pub(crate) fn open_program(&mut self, die: u32, cells: Cells) -> Option<Cells> {
        let host = self.dies[die as usize].host;
        if host.left() == 0 {
            let is_slc = cells == Cells::Slc && self.may_open_slc(die);
            if !is_slc && self.room_of(die) == 0 {
                return None;
            }
            self.dies[die as usize].host = self.open(die, is_slc)?;
        }
        let host = self.dies[die as usize].host;
        // By the time that the die comes to its next line of the map, all others had their turn: too many to be
        // foreseen by the processor itself.
        self.map.prefetch_place(host.next + LINE_ENTRIES);
        Some(if host.is_slc { Cells::Slc } else { Cells::Dense })
    }

    /// Whether host data can go to the die without any collection.
    pub(crate) fn has_room(&self, die: u32) -> bool {
        let owner = &self.dies[die as usize];
        owner.host.left() > 0 || owner.room > 0 || self.may_open_slc(die)
    }

    /// Puts `count` units from `unit` on at the die's host frontier, which has room for them; they lie within
    /// one program, of at most 64 units.
    #[inline]
    pub(crate) fn append(&mut self, die: u32, unit: Unit, count: u32, tag: Tag) {
        let owner = &mut self.dies[die as usize];
        let first = owner.host.next;
        owner.host.next += count;
        let host = owner.host;
        self.blocks.add(host.block, count);
        self.map.occupy(first, unit, count);
        if let Some(contents) = &mut self.contents {
            contents[first as usize..][..count as usize].fill(tag);
        }
        for offset in 0..count {
            self.push(unit + offset, first + offset);
        }
        if host.left() == 0 {
            self.close(die, host);
        }
    }

    /// Fills the rest of a program with nothing, as a flush does.
    pub(crate) fn pad(&mut self, die: u32, count: u32) {
        let owner = &mut self.dies[die as usize];
        owner.host.next += count;
        let host = owner.host;
        if host.left() == 0 {
            self.close(die, host);
        }
    }

    /// Units left in the block that the die's host data goes to.
    pub(crate) fn host_left(&self, die: u32) -> u32 {
        self.dies[die as usize].host.left()
    }

    /// The page that the die's host data was last put in, numbered as in [`Located`].
    pub(crate) fn last_host_page(&self, die: u32) -> u32 {
        (self.dies[die as usize].host.next - 1) / self.layout.units_per_program
    }

    /// Offers a full block to collection, or queues it for folding.
    pub(super) fn close(&mut self, die: u32, full: WriteFrontier) {
        if full.is_slc {
            self.dies[die as usize].slc_closed.push_back(full.block);
        } else {
            self.blocks.offer(full.block);
        }
    }

    /// Notes a write whose map entry changes later; every [`BATCH`] writes, the oldest are settled.
    #[inline]
    fn push(&mut self, unit: Unit, place: FlashPlace) {
        self.pending.push(unit, place);
        if self.pending.is_batch_full() {
            self.advance();
        }
    }

    /// One step of the pipeline for a batch of writes each: the youngest ask for their map entries, those
    /// that have them ask for what the old places need, and the oldest are settled.
    fn advance(&mut self) {
        for age in 1..=BATCH {
            self.map.prefetch_unit(self.pending.peek(age));
        }
        let waiting = self.pending.len();
        if waiting >= MAP_LAG + BATCH {
            self.prefetch_old_places(MAP_LAG + 1..=MAP_LAG + BATCH);
        }
        for _ in LAG..waiting {
            if let Some((unit, place)) = self.pending.pop() {
                self.settle_one(unit, place);
            }
        }
    }

    /// Asks for what the places need that the writes of these ages will free.
    #[inline]
    fn prefetch_old_places(&self, ages: RangeInclusive<u32>) {
        for age in ages {
            if let Some(old) = self.map.place_of(self.pending.peek(age)) {
                self.map.prefetch_validity(old);
                self.blocks.prefetch(self.block_of(old));
            }
        }
    }

    #[inline]
    fn settle_one(&mut self, unit: Unit, place: FlashPlace) {
        if let Some(old) = self.map.point(unit, place) {
            self.release(old);
        }
    }

    /// Changes the map entries of all writes that are pending.
    pub(crate) fn settle(&mut self) {
        self.prefetch_old_places(1..=self.pending.len().min(MAP_LAG + BATCH));
        while let Some((unit, place)) = self.pending.pop() {
            self.settle_one(unit, place);
        }
    }

    /// Settles where a pending write touches the range.
    pub(crate) fn settle_range(&mut self, first: Unit, count: u32) {
        if self.pending.holds(first, count) {
            self.settle();
        }
    }

    /// Where the unit is; `None` where it was never written or was discarded. The range it is in is settled.
    #[inline]
    pub(crate) fn locate(&self, unit: Unit) -> Option<Located> {
        let place = self.map.place_of(unit)?;
        let die = self.block_of(place) / self.layout.blocks_per_die;
        Some(Located { die, page: place / self.layout.units_per_program })
    }

    /// The tag of the unit's contents; `None` where it holds nothing, or contents are not kept.
    pub(crate) fn load(&mut self, unit: Unit) -> Option<Tag> {
        self.settle();
        let place = self.map.place_of(unit)?;
        self.contents.as_ref().map(|contents| contents[place as usize])
    }
}
