//! What the drive holds: a 64-bit tag for each mapping unit, by the place it is in.

use super::map::FlashPlace;

/// The tag that stands for the contents of one mapping unit: the number of the write that made them.
pub type Tag = u64;

/// Tags by place in flash, so that a unit that is moved, lost or found in a stale place is seen as such.
///
/// Eight bytes a unit of raw flash: kept only where the drive was made with contents. All contents pass
/// through [`FlashContents::store`] and [`FlashContents::load`], which makes them the place to inject faults.
#[derive(Debug)]
pub(crate) struct FlashContents {
    tags: Vec<Tag>,
}

impl FlashContents {
    pub(super) fn new(places: usize) -> FlashContents {
        FlashContents { tags: vec![0; places] }
    }

    /// Programs `count` places from `first` on, all by the same write.
    #[inline]
    pub(super) fn store(&mut self, first: FlashPlace, count: u32, tag: Tag) {
        self.tags[first as usize..][..count as usize].fill(tag);
    }

    /// Reads a place.
    #[inline]
    pub(super) fn load(&self, place: FlashPlace) -> Tag {
        self.tags[place as usize]
    }
}
