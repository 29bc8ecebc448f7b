//! The phases of one run, told apart as their completions come.

use drivelab_block::{Completion, Instant, PhaseId};

use crate::series::PHASE_MAX;
use crate::{DelayedIos, LoopKind, PhaseAnalysis, Standstill, Standstills, Unsent};

/// One pass over a run: live, or from its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunAnalysis {
    phases: Vec<PhaseAnalysis>,
    /// Completions of phases that never began, or from more than 100 days after the start of theirs: records that
    /// do not belong to their run.
    pub orphans: u64,
    standstills: Standstills,
}

impl RunAnalysis {
    /// Begins the next phase; phases are numbered from 0 in the order in which they begin.
    pub fn begin_phase(&mut self, started_at: Instant, loop_kind: LoopKind) {
        let mut phase = PhaseAnalysis::new(started_at, loop_kind);
        // One that ended before the phase began can still make it late.
        self.standstills.all().iter().for_each(|standstill| phase.note_standstill(*standstill));
        self.phases.push(phase);
    }

    /// Notes that the program stood still: before the completions that this concerns are counted.
    pub fn note_standstill(&mut self, standstill: Standstill) {
        self.standstills.add(standstill);
        self.phases.iter_mut().for_each(|phase| phase.note_standstill(standstill));
    }

    /// When the program stood still.
    pub fn standstills(&self) -> &Standstills {
        &self.standstills
    }

    /// I/Os whose times do not count, or not in full, as the program stood still meanwhile; of all phases.
    pub fn delayed(&self) -> DelayedIos {
        let mut all = DelayedIos::default();
        self.phases.iter().for_each(|phase| all.merge(&phase.delayed));
        all
    }

    /// Counts completions.
    #[inline]
    pub fn accept(&mut self, completions: &[Completion]) {
        for completion in completions {
            match self.phases.get_mut(usize::from(completion.phase.0)) {
                Some(phase) if completion.completed_at.since(phase.started_at) <= PHASE_MAX => {
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
}

#[cfg(test)]
mod tests;
