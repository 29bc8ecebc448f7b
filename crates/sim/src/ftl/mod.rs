//! The flash translation layer: where data is, without any notion of time.
//!
//! It answers what physical work an operation takes ([`Moved`], [`Located`]); what the work costs is the
//! business of the modules above.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a drive has fewer than 2^32 units, places and blocks: checked when its profile is made"
)]

mod blocks;
mod check;
mod collect;
mod die;
mod host;
mod map;
mod memory;
mod pending;
mod slc;
mod trim;

pub(crate) use blocks::Wear;
pub(crate) use collect::Moved;
pub(crate) use die::VictimSource;
pub(crate) use host::Cells;
pub use map::Tag;

use crate::profile::DriveShape;
use blocks::BlockCounts;
use die::{Die, WriteFrontier};
use map::{FlashPlace, UnitMap};
use pending::Pending;

#[derive(Debug)]
pub(crate) struct Ftl {
    pub(crate) layout: DriveShape,
    map: UnitMap,
    blocks: BlockCounts,
    dies: Vec<Die>,
    pending: Pending,
    /// A tag for each place, where the drive was made with contents: a unit that is moved, lost or found in a stale place is seen
    /// as such.
    contents: Option<Vec<Tag>>,
    /// Free blocks that host data may take, on all dies.
    pub(crate) room: u32,
}

impl Ftl {
    /// A fresh drive; `with_contents` keeps a tag for each unit.
    pub(crate) fn new(shape: &DriveShape, with_contents: bool) -> Ftl {
        let layout = *shape;
        let places = layout.dies as usize * layout.blocks_per_die as usize * layout.units_per_block as usize;
        let mut ftl = Ftl {
            layout,
            map: UnitMap::new(layout.user_units as usize, places),
            blocks: BlockCounts::new(layout.dies as usize, layout.blocks_per_die as usize),
            dies: Vec::new(),
            pending: Pending::new(),
            contents: with_contents.then(|| vec![0; places]),
            room: 0,
        };
        ftl.refresh_dies();
        ftl
    }

    /// Free blocks of one die that host data may take.
    pub(crate) fn room_of(&self, die: u32) -> u32 {
        self.dies[die as usize].room
    }

    pub(crate) fn mapped(&mut self) -> u64 {
        self.settle();
        self.map.mapped
    }

    /// How often the blocks were erased, in collection and by discards of the whole drive.
    pub(crate) fn wear(&self) -> Wear {
        self.blocks.wear()
    }

    fn refresh_dies(&mut self) {
        let DriveShape { dies, blocks_per_die: count, slc_blocks_per_die: slc_limit, .. } = self.layout;
        // Taken from the end: the lowest number first.
        let free = |die: u32| (die * count..(die + 1) * count).rev().collect();
        self.dies = (0..dies).map(|die| Die { free: free(die), slc_limit, ..Die::default() }).collect();
        self.room = 0;
        for die in 0..dies {
            self.settle_slc(die);
            self.settle_room(die);
        }
    }

    /// Brings the counts of room up to date after a change of a die's free or SLC blocks.
    fn settle_room(&mut self, die: u32) {
        let kept = self.layout.set_aside_per_die;
        let die = &mut self.dies[die as usize];
        let held = self.layout.reserve_per_die + kept.saturating_sub(die.slc_in_use);
        let room = (die.free.len() as u32).saturating_sub(held);
        self.room = self.room - die.room + room;
        die.room = room;
    }

    /// Takes a free block into use; the caller knows that there is one.
    fn open(&mut self, die: u32, is_slc: bool) -> Option<WriteFrontier> {
        let units = if is_slc { self.layout.slc_block_units } else { self.layout.units_per_block };
        let owner = &mut self.dies[die as usize];
        let block = owner.free.pop()?;
        owner.folds &= owner.slc_in_use >= owner.slc_limit;
        owner.slc_in_use += u32::from(is_slc);
        self.settle_slc(die);
        self.settle_room(die);
        let next = block * self.layout.units_per_block;
        Some(WriteFrontier { block, next, end: next + units, is_slc })
    }

    /// Gives an erased block back.
    fn free(&mut self, die: u32, block: u32, was_slc: bool) {
        self.blocks.erased(block);
        let owner = &mut self.dies[die as usize];
        owner.free.push(block);
        owner.slc_in_use -= u32::from(was_slc);
        self.settle_slc(die);
        self.settle_room(die);
    }

    #[inline]
    fn block_of(&self, place: FlashPlace) -> u32 {
        place / self.layout.units_per_block
    }

    /// Marks a place as no longer current.
    #[inline]
    fn release(&mut self, place: FlashPlace) {
        self.map.vacate(place);
        self.blocks.remove(self.block_of(place), 1);
    }
}
