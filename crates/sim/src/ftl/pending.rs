//! Writes whose place is settled but whose map entry is not yet changed.
//!
//! The map entry of a random write is not in the processor's cache. Asking for it when the write comes in,
//! and changing it some writes later, hides the wait. Nothing sees the difference: reads, discards and the
//! choice of a victim settle what is pending first.

use super::map::{FlashPlace, Unit};

/// Writes go through the pipeline by so many at a time: the waits for memory of one batch overlap.
pub(super) const BATCH: u32 = 8;
/// Entries wait this long for their line of the map.
pub(super) const MAP_LAG: u32 = 16;
/// And then this long, up to here, for the line of the place that they free.
pub(super) const LAG: u32 = 32;
const SLOTS: usize = 64;

/// A ring of the youngest writes.
#[derive(Debug)]
pub(super) struct Pending {
    slots: [(Unit, FlashPlace); SLOTS],
    pushed: u32,
    settled: u32,
}

impl Pending {
    pub(super) fn new() -> Pending {
        Pending { slots: [(0, 0); SLOTS], pushed: 0, settled: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, unit: Unit, place: FlashPlace) {
        self.slots[self.pushed as usize % SLOTS] = (unit, place);
        self.pushed = self.pushed.wrapping_add(1);
    }

    /// Whether the youngest entries make up a whole batch.
    #[inline]
    pub(super) fn is_batch_full(&self) -> bool {
        self.pushed.is_multiple_of(BATCH)
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.pushed.wrapping_sub(self.settled)
    }

    /// The unit of the entry that was pushed `age` entries ago.
    #[inline]
    pub(super) fn peek(&self, age: u32) -> Unit {
        self.slots[self.pushed.wrapping_sub(age) as usize % SLOTS].0
    }

    /// Takes the oldest entry out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Unit, FlashPlace)> {
        if self.len() == 0 {
            return None;
        }
        let slot = self.slots[self.settled as usize % SLOTS];
        self.settled = self.settled.wrapping_add(1);
        Some(slot)
    }

    /// Whether a unit of the range is pending.
    pub(super) fn holds(&self, first: Unit, count: u32) -> bool {
        (1..=self.len()).any(|age| self.peek(age).wrapping_sub(first) < count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_what_lies_in_it_and_not_what_lies_right_behind_it() {
        let mut pending = Pending::new();
        pending.push(5, 0);
        let found = [(3, 2), (3, 3), (5, 1), (6, 2)].map(|(first, count)| pending.holds(first, count));
        assert_eq!(found, [false, true, true, false]);
    }
}
