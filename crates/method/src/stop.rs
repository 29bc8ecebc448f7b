//! When a phase ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use drivelab_block::{ByteCount, Nanos};

/// What ends a phase besides the end of its workload: whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRule {
    /// After this time from the start of the phase nothing is asked any more.
    pub duration: Option<Nanos>,
    /// After this many bytes were asked for, all workers together.
    pub bytes: Option<ByteCount>,
}

impl StopRule {
    /// The share of one of `workers`.
    #[must_use]
    pub fn share(self, workers: u16) -> StopRule {
        let bytes = self.bytes.map(|bytes| ByteCount::new(bytes.get().div_ceil(u64::from(workers.max(1)))));
        StopRule { bytes, ..self }
    }
}

/// The user's wish to stop, heard by every loop between two I/Os.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// The flag of all that this one is a part of.
    all: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// One that is raised with this one, and can be raised alone.
    #[must_use]
    pub fn part(&self) -> Interrupt {
        Interrupt { flag: Arc::default(), all: Some(Arc::clone(&self.flag)) }
    }

    /// Asks every loop to stop asking, and to wait for what is in flight.
    pub fn raise(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.flag) || self.all.as_ref().is_some_and(is_set)
    }

    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_hears_the_whole_and_not_the_other_way_round() {
        let whole = Interrupt::default();
        let (one, other) = (whole.part(), whole.part());
        one.raise();
        assert!(one.is_raised() && !other.is_raised() && !whole.is_raised());
        whole.raise();
        assert!(other.is_raised());
    }
}
