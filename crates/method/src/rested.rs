//! Reads of single blocks, each of them after a rest.

use drivelab_block::{Completion, Instant, Nanos};
use drivelab_workload::{Ask, Next, Workload};

use crate::collected::Collected;

/// A read after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestedRead {
    /// The rest that was asked for.
    pub rest: Nanos,
    /// From the answer before, or the start of the phase, to when the read was submitted.
    pub rested: Nanos,
    /// The read.
    pub completion: Completion,
}

/// Asks what `workload` asks, one at a time, each after a rest: the first after the first of `rests`, and so on. It ends with
/// them.
#[derive(Debug)]
pub struct Rested<W> {
    workload: W,
    rests: Vec<Nanos>,
    asked: usize,
    is_waiting: bool,
    /// When the last answer came, from the start of the phase.
    answered_at: Nanos,
    reads: Collected<RestedRead>,
}

impl<W> Rested<W> {
    /// One after the other, each with its rest; `reads` has room for all.
    pub fn new(workload: W, rests: Vec<Nanos>, reads: Collected<RestedRead>) -> Rested<W> {
        Rested { workload, rests, asked: 0, is_waiting: false, answered_at: Nanos::ZERO, reads }
    }
}

impl<W: Workload> Workload for Rested<W> {
    fn next_ask(&mut self) -> Next {
        if self.is_waiting {
            return Next::AfterAnswer;
        }
        let Some(rest) = self.rests.get(self.asked) else { return Next::End };
        let Next::Ask(ask) = self.workload.next_ask() else { return Next::End };
        self.asked += 1;
        self.is_waiting = true;
        Next::Ask(Ask { due: Some(self.answered_at + *rest), ..ask })
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        for completion in completions {
            let rest = self.rests.get(self.asked.wrapping_sub(1)).copied().unwrap_or(Nanos::ZERO);
            let rested = completion.submitted_at.since(started_at + self.answered_at);
            self.reads.add(&[RestedRead { rest, rested, completion: *completion }]);
            self.answered_at = completion.completed_at.since(started_at);
            self.is_waiting = false;
        }
        self.workload.answered(completions, started_at);
    }
}
