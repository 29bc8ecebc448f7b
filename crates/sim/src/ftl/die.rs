//! The blocks of one die: free ones, the two that are being filled, the one that is being emptied.

use std::collections::VecDeque;

use super::map::{Ahead, FlashPlace};

/// A block that is being filled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WriteFrontier {
    pub(super) block: u32,
    pub(super) next: FlashPlace,
    pub(super) end: FlashPlace,
    pub(super) is_slc: bool,
}

impl WriteFrontier {
    /// Units that still fit.
    #[inline]
    pub(super) fn left(&self) -> u32 {
        self.end - self.next
    }
}

/// A block that is being emptied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    pub(super) block: u32,
    /// The next place to look at.
    pub(super) next: FlashPlace,
    pub(super) end: FlashPlace,
    /// The end of the multi-plane page that was read last.
    pub(super) read_until: FlashPlace,
    /// Current units when it was chosen.
    pub(super) valid: u32,
    pub(super) ahead: Ahead,
}

/// Where victims come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VictimSource {
    /// The block with the fewest current units.
    Greedy,
    /// The oldest block of the SLC cache.
    Slc,
}

#[derive(Debug, Default)]
pub(super) struct Die {
    pub(super) free: Vec<u32>,
    /// Where host data goes.
    pub(super) host: WriteFrontier,
    /// Where moved data goes.
    pub(super) moved: WriteFrontier,
    pub(super) victim: Option<Victim>,
    pub(super) folding: Option<Victim>,
    pub(super) slc_closed: VecDeque<u32>,
    pub(super) slc_in_use: u32,
    /// Whether host data goes through a full SLC cache because free blocks are short.
    pub(super) folds: bool,
    /// Blocks that may be in SLC mode.
    pub(super) slc_limit: u32,
    /// Free blocks that host data may take; kept up to date with every change of `free` and `slc_in_use`.
    pub(super) room: u32,
}
