//! The free buffers of a channel.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_uring::Buffer;

/// The buffers of a ring that nothing is in. The one freed last is taken first, since caches still hold it.
#[derive(Debug)]
pub struct Pool {
    state: Mutex<State>,
    freed: Condvar,
    total: usize,
}

#[derive(Debug)]
struct State {
    free: Vec<Buffer>,
    least_free: usize,
}

impl Pool {
    /// A ring of these buffers.
    pub fn new(free: Vec<Buffer>) -> Pool {
        let total = free.len();
        Pool { state: Mutex::new(State { free, least_free: total }), freed: Condvar::new(), total }
    }

    /// How many buffers the ring has.
    pub fn total(&self) -> usize {
        self.total
    }

    /// A free buffer, where there is one.
    pub fn take(&self) -> Option<Buffer> {
        let mut state = self.lock();
        let taken = state.free.pop();
        state.least_free = state.least_free.min(state.free.len());
        taken
    }

    /// Waits until there is a free buffer, for `patience` at most.
    pub fn wait(&self, patience: Duration) {
        let state = self.lock();
        if state.free.is_empty() {
            let _ = self.freed.wait_timeout(state, patience);
        }
    }

    /// Gives a buffer back.
    pub fn put(&self, buffer: Buffer) {
        self.lock().free.push(buffer);
        self.freed.notify_one();
    }

    /// The most buffers that were ever in use at a time.
    pub fn high_water(&self) -> usize {
        self.total - self.lock().least_free
    }

    /// Every change is one push or pop, so that what a thread left that panicked is whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
