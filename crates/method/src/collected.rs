//! What a workload collects while it runs, and its owner reads afterwards.

use std::sync::{Arc, Mutex, PoisonError};

/// A list that a workload and its owner share.
#[derive(Clone, Debug)]
pub struct Collected<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> Collected<T> {
    /// Room for this many, so that nothing is allocated while the clock runs.
    pub fn with_room(count: usize) -> Collected<T> {
        Collected(Arc::new(Mutex::new(Vec::with_capacity(count))))
    }

    /// All of them so far.
    pub fn all(&self) -> Vec<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds these, as far as there is room.
    pub(crate) fn add(&self, new: &[T]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = all.capacity() - all.len();
        all.extend_from_slice(&new[..new.len().min(room)]);
    }
}
