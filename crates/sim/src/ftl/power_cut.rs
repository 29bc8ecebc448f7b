//! Older contents that come back.

use super::map::Unit;
use super::{Ftl, Tag};

impl Ftl {
    /// Gives a unit the contents that it had before a write that was lost. They are kept in the place of the lost ones: their
    /// own may have been erased since, and which of the two it is changes no time.
    pub(crate) fn revert(&mut self, unit: Unit, left: Option<Tag>) {
        self.settle();
        let Some(place) = self.map.place_of(unit) else { return };
        match (left, &mut self.contents) {
            (Some(tag), Some(contents)) => contents.store(place, 1, tag),
            (Some(_), None) => {}
            (None, _) => {
                self.map.forget(unit);
                self.release(place);
            }
        }
    }
}
