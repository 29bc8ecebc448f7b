//! A workload whose answers are noted one by one.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_block::{Completion, Instant};
use drivelab_workload::{Next, Workload};

/// A workload whose answers are noted one by one, up to as many as there is room for.
#[derive(Debug)]
pub struct Noted<W> {
    workload: W,
    answers: Answers,
}

/// The answers so far.
#[derive(Clone, Debug)]
pub struct Answers(Arc<Mutex<Vec<Completion>>>);

impl Answers {
    /// Room for so many, so that nothing is allocated while the clock runs.
    pub fn with_room(count: usize) -> Answers {
        Answers(Arc::new(Mutex::new(Vec::with_capacity(count))))
    }

    /// All that were noted, in the order in which they came.
    pub fn all(&self) -> Vec<Completion> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, completions: &[Completion]) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = noted.capacity() - noted.len();
        noted.extend_from_slice(&completions[..completions.len().min(room)]);
    }
}

impl<W> Noted<W> {
    /// Asks what `workload` asks.
    pub fn new(workload: W, answers: Answers) -> Noted<W> {
        Noted { workload, answers }
    }
}

impl<W: Workload> Workload for Noted<W> {
    fn next_ask(&mut self) -> Next {
        self.workload.next_ask()
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        self.answers.note(completions);
        self.workload.answered(completions, started_at);
    }
}
