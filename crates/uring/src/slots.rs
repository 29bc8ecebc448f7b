//! The requests in flight.

use drivelab_block::{Instant, Request};

/// A request in flight and when it was submitted.
#[derive(Clone, Copy, Debug)]
pub struct InFlight {
    pub request: Request,
    pub submitted_at: Instant,
}

/// A table of fixed size; the number of a slot is the user data of its submission entry.
#[derive(Debug)]
pub struct Slots {
    table: Vec<Option<InFlight>>,
    free: Vec<u32>,
}

impl Slots {
    pub fn new(depth: u32) -> Slots {
        Slots { table: vec![None; depth as usize], free: (0..depth).rev().collect() }
    }

    /// A free slot; `None` where every slot is taken.
    pub fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    pub fn put(&mut self, slot: u32, in_flight: InFlight) {
        self.table[slot as usize] = Some(in_flight);
    }

    /// What is in flight in a slot.
    pub fn get(&self, slot: u32) -> Option<&InFlight> {
        self.table.get(slot as usize)?.as_ref()
    }

    /// Frees a slot and says what was in flight there; `None` for a slot that had nothing in flight.
    pub fn release(&mut self, slot: u64) -> Option<InFlight> {
        let in_flight = self.table.get_mut(usize::try_from(slot).ok()?)?.take()?;
        self.free.push(u32::try_from(slot).ok()?);
        Some(in_flight)
    }

    pub fn in_flight(&self) -> usize {
        self.table.len() - self.free.len()
    }
}
