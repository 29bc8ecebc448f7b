//! Whether a claim is given up for a while, as those know it who look at the target meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a claim was given up and taken back. A grant, what it was released as, and the one that is taken back share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lending(Arc<AtomicU64>);

impl Lending {
    /// The claim was given up, or taken back.
    pub(crate) fn changed(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// The moment, to be asked about later.
    pub(crate) fn moment(&self) -> LendingMoment {
        LendingMoment(self.0.load(Ordering::SeqCst))
    }

    /// Whether the claim was held from that moment on until now.
    pub(crate) fn was_held_since(&self, moment: LendingMoment) -> bool {
        moment.0.is_multiple_of(2) && self.moment().0 == moment.0
    }
}

/// How often a claim had been given up and taken back at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LendingMoment(u64);
