//! A workload whose answers are noted one by one.

use drivelab_block::{Completion, Instant};
use drivelab_workload::{Next, Workload};

use crate::collected::Collected;

/// A workload whose answers are noted one by one, up to as many as there is room for.
#[derive(Debug)]
pub struct Noted<W> {
    workload: W,
    answers: Collected<Completion>,
}

impl<W> Noted<W> {
    /// Asks what `workload` asks.
    pub fn new(workload: W, answers: Collected<Completion>) -> Noted<W> {
        Noted { workload, answers }
    }
}

impl<W: Workload> Workload for Noted<W> {
    fn next_ask(&mut self) -> Next {
        self.workload.next_ask()
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        self.answers.add(completions);
        self.workload.answered(completions, started_at);
    }
}
