//! The phases of one run, told apart as their completions come.

use drivelab_block::{Completion, Instant, PhaseId};

use crate::series::PHASE_MAX;
use crate::{LoopKind, PhaseAnalysis, Unsent};

/// One pass over a run: live, or from its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunAnalysis {
    phases: Vec<PhaseAnalysis>,
    orphans: u64,
}

impl RunAnalysis {
    /// Begins the next phase; phases are numbered from 0 in the order in which they begin.
    pub fn begin_phase(&mut self, started_at: Instant, loop_kind: LoopKind) {
        self.phases.push(PhaseAnalysis::new(started_at, loop_kind));
    }

    /// Counts completions.
    pub fn accept(&mut self, completions: &[Completion]) {
        for completion in completions {
            match self.phases.get_mut(usize::from(completion.phase.0)) {
                Some(phase) if completion.completed_at.since(phase.started_at()) <= PHASE_MAX => {
                    phase.add(completion);
                }
                _ => self.orphans += 1,
            }
        }
    }

    /// Notes what a phase did not send though it was due.
    pub fn add_unsent(&mut self, phase: usize, unsent: &Unsent) {
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.add_unsent(unsent);
        }
    }

    /// A phase that has begun.
    pub fn phase(&self, phase: PhaseId) -> Option<&PhaseAnalysis> {
        self.phases.get(usize::from(phase.0))
    }

    /// Every phase that has begun, in order.
    pub fn phases(&self) -> &[PhaseAnalysis] {
        &self.phases
    }

    /// Completions of phases that never began, or from more than 100 days after the start of theirs: records that
    /// do not belong to their run.
    pub fn orphans(&self) -> u64 {
        self.orphans
    }
}
