//! Units that are discarded, and older contents that come back.

use super::Ftl;
use super::map::{Tag, Unit};

impl Ftl {
    /// Forgets `count` units from `first` on; a discard of the whole drive makes it fresh. Returns whether
    /// it was the whole drive.
    pub(crate) fn discard(&mut self, first: Unit, count: u32) -> bool {
        self.settle();
        if first == 0 && count as usize == self.map.units() {
            self.erase_all();
            self.map.clear();
            self.blocks.clear();
            self.refresh_dies();
            return true;
        }
        for unit in first..first + count {
            if let Some(place) = self.map.forget(unit) {
                self.release(place);
            }
        }
        (0..self.layout.dies).for_each(|die| self.settle_slc(die));
        false
    }

    /// Gives a unit the contents that it had before a write that was lost. They are kept in the place of the lost ones: their
    /// own may have been erased since, and which of the two it is changes no time.
    pub(crate) fn revert(&mut self, unit: Unit, left: Option<Tag>) {
        self.settle();
        let Some(place) = self.map.place_of(unit) else { return };
        match (left, &mut self.contents) {
            (Some(tag), Some(contents)) => contents[place as usize] = tag,
            (Some(_), None) => {}
            (None, _) => {
                self.map.forget(unit);
                self.release(place);
            }
        }
    }

    /// Counts an erase of each block that is not free.
    fn erase_all(&mut self) {
        let count = self.layout.blocks_per_die;
        for (first, die) in (0..).step_by(count as usize).zip(&self.dies) {
            let mut is_free = vec![false; count as usize];
            die.free.iter().for_each(|block| is_free[(block - first) as usize] = true);
            (first..)
                .zip(is_free)
                .filter(|(_, is_free)| !is_free)
                .for_each(|(block, _)| self.blocks.erased(block));
        }
    }
}
