//! Discards.

use super::Ftl;
use super::map::Unit;

impl Ftl {
    /// Forgets `count` units from `first` on; a discard of the whole drive makes it fresh. Returns whether
    /// it was the whole drive.
    pub(crate) fn discard(&mut self, first: Unit, count: u32) -> bool {
        self.settle();
        if first == 0 && count as usize == self.map.units() {
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
        false
    }
}
