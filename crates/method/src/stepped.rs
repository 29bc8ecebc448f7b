//! A workload whose progress is timed: how long each of many equal amounts of bytes took.

use drivelab_block::{ByteCount, Completion, Instant, Nanos};
use drivelab_workload::{Next, Workload};

use crate::collected::Collected;

/// An amount of bytes, and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTime {
    /// Bytes that were answered with success.
    pub bytes: ByteCount,
    /// From the answer to the last byte before them, or from the first request, to the answer to the last of them.
    pub elapsed: Nanos,
}

impl StepTime {
    /// Bytes a second.
    pub fn rate(self) -> f64 {
        self.bytes.get() as f64 / self.elapsed.as_secs_f64()
    }
}

/// A workload whose progress is timed. What is answered in the same nanosecond as a step's first byte belongs to one step.
#[derive(Debug)]
pub struct Stepped<W> {
    workload: W,
    step: ByteCount,
    since: Option<Instant>,
    bytes: u64,
    steps: Collected<StepTime>,
}

impl<W> Stepped<W> {
    /// Asks what `workload` asks, and notes each `step` of bytes, as far as there is room.
    pub fn new(workload: W, step: ByteCount, steps: Collected<StepTime>) -> Stepped<W> {
        Stepped { workload, step, since: None, bytes: 0, steps }
    }

    fn add(&mut self, completion: &Completion) {
        let since = *self.since.get_or_insert(completion.submitted_at);
        if completion.status.is_ok() {
            self.bytes += completion.bytes().get();
        }
        let elapsed = completion.completed_at.since(since);
        if self.bytes >= self.step.get() && elapsed > Nanos::ZERO {
            self.steps.add(&[StepTime { bytes: ByteCount::new(self.bytes), elapsed }]);
            self.since = Some(completion.completed_at);
            self.bytes = 0;
        }
    }
}

impl<W: Workload> Workload for Stepped<W> {
    fn next_ask(&mut self) -> Next {
        self.workload.next_ask()
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        completions.iter().for_each(|completion| self.add(completion));
        self.workload.answered(completions, started_at);
    }
}
