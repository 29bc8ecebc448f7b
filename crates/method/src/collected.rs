//! What a workload collects while it runs, and its owner reads afterwards.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_block::{Completion, Instant};
use drivelab_workload::{Next, Workload};

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

/// A workload whose answers something is collected from.
struct Observed<W, F> {
    workload: W,
    observe: F,
}

impl<W: Workload, F: FnMut(&[Completion]) + Send> Workload for Observed<W, F> {
    fn next_ask(&mut self) -> Next {
        self.workload.next_ask()
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        (self.observe)(completions);
        self.workload.answered(completions, started_at);
    }
}

/// Asks what `workload` asks, and shows its answers to `observe`, which must not allocate.
pub(crate) fn observed(workload: impl Workload, observe: impl FnMut(&[Completion]) + Send) -> impl Workload {
    Observed { workload, observe }
}

/// Asks what `workload` asks, and notes its answers one by one, as far as there is room for them.
pub fn noted<W: Workload>(workload: W, answers: Collected<Completion>) -> impl Workload + use<W> {
    observed(workload, move |completions| answers.add(completions))
}
