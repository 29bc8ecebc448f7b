//! A workload whose progress is timed: how long each of many equal amounts of bytes took.

use drivelab_block::{ByteCount, Completion, Instant, Nanos, PhaseId};
use drivelab_workload::Workload;

use crate::collected::{Collected, observed};

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

/// Times each step of completions that come in the order in which they were answered. What is answered in the same nanosecond
/// as a step's first byte belongs to one step.
#[derive(Debug)]
struct StepTimer {
    step: ByteCount,
    since: Option<Instant>,
    bytes: u64,
}

impl StepTimer {
    fn new(step: ByteCount) -> StepTimer {
        StepTimer { step, since: None, bytes: 0 }
    }

    /// Takes the next completion; the step that it ends, where it ends one.
    fn add(&mut self, completion: &Completion) -> Option<StepTime> {
        let since = *self.since.get_or_insert(completion.submitted_at);
        if completion.status.is_ok() {
            self.bytes += completion.bytes().get();
        }
        let elapsed = completion.completed_at.since(since);
        if self.bytes < self.step.get() || elapsed == Nanos::ZERO {
            return None;
        }
        self.since = Some(completion.completed_at);
        Some(StepTime { bytes: ByteCount::new(std::mem::take(&mut self.bytes)), elapsed })
    }
}

/// The steps of one phase, of the records of a run.
#[derive(Debug)]
pub struct RecordedSteps {
    phase: PhaseId,
    timer: StepTimer,
    steps: Vec<StepTime>,
}

impl RecordedSteps {
    /// Times each `step` of bytes of a phase.
    pub fn new(phase: PhaseId, step: ByteCount) -> RecordedSteps {
        RecordedSteps { phase, timer: StepTimer::new(step), steps: Vec::new() }
    }

    pub(crate) fn accept(&mut self, completions: &[Completion]) {
        let own = completions.iter().filter(|completion| completion.phase == self.phase);
        for completion in own {
            self.steps.extend(self.timer.add(completion));
        }
    }

    /// The steps, in their order.
    pub fn steps(&self) -> &[StepTime] {
        &self.steps
    }
}

/// Asks what `workload` asks, and notes how long each `step` of bytes took, as far as there is room.
pub fn stepped<W: Workload>(
    workload: W,
    step: ByteCount,
    steps: Collected<StepTime>,
) -> impl Workload + use<W> {
    let mut timer = StepTimer::new(step);
    observed(workload, move |completions| {
        for step in completions.iter().filter_map(|completion| timer.add(completion)) {
            steps.add(&[step]);
        }
    })
}
