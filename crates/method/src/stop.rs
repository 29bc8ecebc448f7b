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
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks every loop to stop asking, and to wait for what is in flight.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
