//! One phase: what is planned of it, and how it ended.

use drivelab_block::{ByteCount, Instant, Limits, Nanos, OpSet, Unanswered};
use drivelab_stats::{LoopKind, PhaseAnalysis, Unsent};

use crate::StopRule;

/// What all workers of a phase have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePlan {
    /// What a reader calls it.
    pub name: String,
    /// How its requests are timed.
    pub loop_kind: LoopKind,
    /// What each worker's engine has to be ready for.
    pub limits: Limits,
    /// When it ends.
    pub stop: StopRule,
}

impl PhasePlan {
    /// A phase of a closed loop with these operations that goes on until its workload ends.
    pub fn closed(
        name: impl Into<String>,
        queue_depth: u32,
        max_transfer: ByteCount,
        ops: OpSet,
    ) -> PhasePlan {
        let limits = Limits { queue_depth, max_transfer, ops };
        PhasePlan { name: name.into(), loop_kind: LoopKind::Closed, limits, stop: StopRule::default() }
    }
}

/// How a phase ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseEnd {
    /// Its start on the engine's clock.
    pub started_at: Instant,
    /// When nothing was asked any more: the duration that was set, or an earlier end.
    pub ended_at: Instant,
    /// Requests that were completed, failed ones included.
    pub completed: u64,
    /// In an open loop: requests that found every slot taken and were sent late.
    pub delayed_sends: u64,
    /// In an open loop: requests that were due and had not been sent when the phase ended; up to ten million a
    /// worker.
    pub unsent: Unsent,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// Where a worker ended it because every I/O failed for three seconds: when the first of them was seen to.
    pub failing_since: Option<Instant>,
    /// What the drive had not answered when it was given up: it is among the completions, with a status of its own, and not in
    /// `completed`.
    pub unanswered: Option<Unanswered>,
}

impl PhaseEnd {
    /// How long anything was asked.
    pub fn asked_for(&self) -> Nanos {
        self.ended_at.since(self.started_at)
    }

    /// How long it took until the first of the failures for which it was ended; zero where it was not ended for any.
    pub fn failing_after(&self) -> Nanos {
        self.failing_since.map_or(Nanos::ZERO, |since| since.since(self.started_at))
    }

    /// How long anything was asked, and until the last completion: what was in flight at the end is counted, so its time is
    /// too; the time in which the program stood still is not. `measured` is what the completions came to, where there were any.
    pub fn took(&self, measured: Option<&PhaseAnalysis>) -> Nanos {
        let asked = self.asked_for();
        measured.map_or(asked, |measured| measured.ran(measured.span().max(asked)))
    }

    /// The end of several workers' shares of one phase.
    #[must_use]
    pub fn join(mut self, other: &PhaseEnd) -> PhaseEnd {
        self.unsent.merge(&other.unsent);
        PhaseEnd {
            started_at: self.started_at.min(other.started_at),
            ended_at: self.ended_at.max(other.ended_at),
            completed: self.completed + other.completed,
            delayed_sends: self.delayed_sends + other.delayed_sends,
            unsent: self.unsent,
            interrupted: self.interrupted || other.interrupted,
            failing_since: self.failing_since.into_iter().chain(other.failing_since).min(),
            unanswered: self.unanswered.into_iter().chain(other.unanswered).reduce(Unanswered::join),
        }
    }
}
