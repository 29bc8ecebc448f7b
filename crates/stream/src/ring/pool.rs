//! The free buffers of a channel.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_uring::Buffer;

/// The buffers of a ring that nothing is in. The one freed last is taken first, since caches still hold it.
#[derive(Debug)]
pub struct Pool {
    state: Mutex<PoolState>,
    freed: Condvar,
    /// How many buffers the ring has.
    pub total: usize,
}

#[derive(Debug)]
struct PoolState {
    free: Vec<Buffer>,
    least_free: usize,
}

impl Pool {
    /// A ring of these buffers.
    pub fn new(free: Vec<Buffer>) -> Pool {
        let total = free.len();
        Pool { state: Mutex::new(PoolState { free, least_free: total }), freed: Condvar::new(), total }
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

    /// How many buffers are in use.
    pub fn used(&self) -> usize {
        self.total - self.lock().free.len()
    }

    /// The most buffers that were ever in use at a time.
    pub fn high_water(&self) -> usize {
        self.total - self.lock().least_free
    }

    /// Every change is one push or pop, so that what a thread left that panicked is whole.
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Pool {
        Pool::new(Buffer::map(&[4_096; 3]).expect("a little memory"))
    }

    #[test]
    fn the_most_buffers_in_use_are_remembered() {
        let pool = pool();
        assert_eq!((pool.total, pool.high_water()), (3, 0));
        let (one, _other) = (pool.take().expect("a buffer"), pool.take().expect("a buffer"));
        assert_eq!((pool.used(), pool.high_water()), (2, 2));
        pool.put(one);
        assert_eq!((pool.used(), pool.high_water()), (1, 2));
        assert!(pool.take().is_some());
        assert_eq!(pool.high_water(), 2);
        assert!(pool.take().is_some() && pool.take().is_none());
        assert_eq!(pool.high_water(), 3);
    }

    #[test]
    fn a_wait_lasts_until_a_buffer_is_given_back() {
        let pool = pool();
        let taken: Vec<Buffer> = std::iter::from_fn(|| pool.take()).collect();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                pool.wait(Duration::from_secs(60));
                pool.take().is_some()
            });
            // Long enough for the other thread to wait.
            std::thread::park_timeout(Duration::from_millis(50));
            taken.into_iter().for_each(|buffer| pool.put(buffer));
            assert!(waiter.join().expect("no panic"));
        });
        pool.wait(Duration::from_secs(60));
        assert!(pool.take().is_some(), "nothing is waited for where a buffer is free");
    }
}
