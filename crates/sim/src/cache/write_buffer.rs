//! The write buffer: memory for host data that was taken but is not yet programmed.

use crate::profile::{DriveShape, FlashParameters, UNIT_BYTES};

/// A ring of release times: the data of one multi-plane page takes the slot that was released longest ago.
#[derive(Debug)]
pub(crate) struct WriteBuffer {
    released_at: Vec<u64>,
    next: usize,
    /// When all that was taken so far is programmed.
    pub(crate) drained_at: u64,
}

impl WriteBuffer {
    pub(crate) fn new(flash: &FlashParameters, shape: &DriveShape) -> WriteBuffer {
        let page = shape.units_per_program * UNIT_BYTES;
        let slots = if flash.write_buffer == 0 { 2 * shape.dies } else { (flash.write_buffer / page).max(2) };
        WriteBuffer { released_at: vec![0; slots as usize], next: 0, drained_at: 0 }
    }

    /// When the slot for the next page is there to be filled.
    #[inline]
    pub(crate) fn next_free_at(&self) -> u64 {
        self.released_at[self.next]
    }

    /// The slot's page will be programmed at `done`, and the slot released.
    #[inline]
    pub(crate) fn release(&mut self, done: u64) {
        self.released_at[self.next] = done;
        self.next = if self.next + 1 == self.released_at.len() { 0 } else { self.next + 1 };
        self.drained_at = self.drained_at.max(done);
    }

    /// Power fails at `now`: the buffer is empty.
    pub(crate) fn cut_power(&mut self, now: u64) {
        self.released_at.iter_mut().for_each(|released| *released = (*released).min(now));
        self.drained_at = self.drained_at.min(now);
    }
}
