//! All that is known of a replay while its completions come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drivelab_block::{Completion, PhaseId, TracedIo};

use crate::{Fidelity, LoopKind, Standstills, Thresholds, TraceAnalysis};

/// Completions that are held back until those submitted before them are there: 6 MB. One that is overtaken by more
/// than these (160 ms at 400 thousand a second) is taken where it comes.
const HELD: usize = 1 << 16;

/// A completion in the order of its submission; of the same instant, in the order of their completion.
#[derive(Clone, Copy, Debug)]
struct Held {
    key: (u64, u64),
    completion: Completion,
    is_judged: bool,
}

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        self.key == other.key
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Held) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Held) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// One pass over the completions of one phase: the trace that it made, and how well it kept its schedule.
#[derive(Clone, Debug)]
pub struct ReplayAnalysis {
    phase: PhaseId,
    held: BinaryHeap<Reverse<Held>>,
    seen: u64,
    made: TraceAnalysis,
    fidelity: Fidelity,
}

impl ReplayAnalysis {
    /// The analysis of a phase that begins, with slow I/Os counted at these thresholds.
    pub fn new(phase: PhaseId, thresholds: Thresholds) -> ReplayAnalysis {
        ReplayAnalysis {
            phase,
            held: BinaryHeap::new(),
            seen: 0,
            made: TraceAnalysis::new(thresholds),
            fidelity: Fidelity::default(),
        }
    }

    /// Takes completions in the order in which they come; those of other phases are passed over. Of those that a standstill of
    /// the program delayed, the times are not known, and they say nothing of how the schedule was kept.
    pub fn accept(&mut self, completions: &[Completion], standstills: &Standstills) {
        let phase = self.phase;
        for completion in completions.iter().filter(|completion| completion.phase == phase) {
            let key = (completion.submitted_at.as_nanos(), self.seen);
            self.seen += 1;
            let is_judged = standstills.judge(completion, LoopKind::Open);
            self.held.push(Reverse(Held { key, completion: *completion, is_judged }));
            if self.held.len() > HELD {
                self.release_first();
            }
        }
    }

    fn release_first(&mut self) {
        if let Some(Reverse(first)) = self.held.pop() {
            let io = TracedIo::from(&first.completion);
            if first.is_judged {
                self.made.add(&io);
                self.fidelity.add(&first.completion);
            } else {
                self.made.add(&TracedIo { service: None, ..io });
            }
        }
    }

    /// Takes what is held back: nothing more comes.
    pub fn finish(&mut self) {
        while !self.held.is_empty() {
            self.release_first();
        }
    }

    /// The trace that the replay made.
    pub fn made(&self) -> &TraceAnalysis {
        &self.made
    }

    /// How well the schedule was kept.
    pub fn fidelity(&self) -> &Fidelity {
        &self.fidelity
    }
}
