//! All that is known of a replay while its completions come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drivelab_block::{Completion, PhaseId, TracedIo};

use crate::{Fidelity, JudgedTimes, LoopKind, Standstills, Thresholds, TraceAnalysis};

/// Completions that are held back until those submitted before them are there: 6 MB. One that is overtaken by more
/// than these (160 ms at 400 thousand a second) is taken where it comes.
const HELD: usize = 1 << 16;

/// A completion in the order of its submission; of the same instant, in the order of their completion, which its number tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HeldCompletion {
    sent_at: u64,
    number: u64,
    completion: Completion,
    judgement: JudgedTimes,
}

/// One pass over the completions of one phase: the trace that it made, and how well it kept its schedule.
#[derive(Clone, Debug)]
pub struct ReplayAnalysis {
    phase: PhaseId,
    held: BinaryHeap<Reverse<HeldCompletion>>,
    seen: u64,
    /// The trace that the replay made.
    pub made: TraceAnalysis,
    /// How well the schedule was kept.
    pub fidelity: Fidelity,
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
    /// the program delayed, as much of the service counts as is the drive's, and they say nothing of how the schedule was kept.
    pub fn accept(&mut self, completions: &[Completion], standstills: &Standstills) {
        let phase = self.phase;
        for completion in completions.iter().filter(|completion| completion.phase == phase) {
            let (sent_at, number) = (completion.submitted_at.as_nanos(), self.seen);
            self.seen += 1;
            let judgement = standstills.judge(completion, LoopKind::Open);
            self.held.push(Reverse(HeldCompletion { sent_at, number, completion: *completion, judgement }));
            if self.held.len() > HELD {
                self.release_first();
            }
        }
    }

    fn release_first(&mut self) {
        if let Some(Reverse(first)) = self.held.pop() {
            let io = TracedIo::from(&first.completion);
            let service = io.service.and(first.judgement.service.nanos());
            self.made.add(&TracedIo { service, ..io });
            if first.judgement.is_whole() {
                self.fidelity.add(&first.completion);
            }
        }
    }

    /// Takes what is held back: nothing more comes.
    pub fn finish(&mut self) {
        while !self.held.is_empty() {
            self.release_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Instant, Op, QueueId, Sector, SectorCount, Status};

    use super::*;
    use crate::{JudgedTime, Standstill, StandstillCause};

    /// A read that was due and submitted so many microseconds after the start, and completed a millisecond later.
    fn read(due: u64, submitted: u64) -> Completion {
        let at = |micros: u64| Instant::from_nanos(micros * 1_000);
        Completion {
            intended_at: at(due),
            submitted_at: at(submitted),
            issued_at: None,
            completed_at: at(submitted + 1_000),
            extent: Extent { start: Sector::new(submitted * 8), length: SectorCount::new(8) },
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Read,
            phase: PhaseId(1),
        }
    }

    fn replayed(completions: &[Completion], standstills: &Standstills) -> ReplayAnalysis {
        let mut replay = ReplayAnalysis::new(PhaseId(1), Thresholds::default());
        replay.accept(completions, standstills);
        replay
    }

    #[test]
    fn completions_are_taken_in_the_order_of_their_submission() {
        let mut replay = replayed(
            &[read(2, 2), read(1, 1), Completion { phase: PhaseId(0), ..read(0, 0) }, read(3, 3)],
            &Standstills::default(),
        );
        assert_eq!(replay.made.requests(), 0, "one that was submitted before may still come");
        replay.finish();
        let reads = replay.made.op(Op::Read);
        assert_eq!((reads.requests, reads.sequential, replay.fidelity.inversions), (3, 2, 0));
        assert_eq!((replay.fidelity.span(), replay.fidelity.lateness.moments().count()), (2_000, 3));
    }

    #[test]
    fn of_one_that_the_program_delayed_the_time_is_not_known() {
        let at = |micros: u64| Instant::from_nanos(micros * 1_000);
        let stopped =
            Standstill { from: at(100), until: at(900), queue: None, cause: StandstillCause::Stopped };
        let mut replay = replayed(&[read(50, 50), read(50_000, 50_000)], &Standstills::from_iter([stopped]));
        replay.finish();
        let reads = replay.made.op(Op::Read);
        assert_eq!((reads.requests, reads.service.distribution.moments().count()), (2, 1));
        assert_eq!(replay.fidelity.lateness.moments().count(), 1);
    }

    #[test]
    fn as_many_are_held_back_as_memory_is_set_aside_for() {
        let completions: Vec<Completion> = (0..=HELD as u64).map(|number| read(number, number)).collect();
        let mut replay = replayed(&completions[..HELD], &Standstills::default());
        assert_eq!(replay.made.requests(), 0);
        replay.accept(&completions[HELD..], &Standstills::default());
        assert_eq!(replay.made.requests(), 1);
    }

    #[test]
    fn of_the_same_instant_the_one_that_came_first_is_first() {
        let time = JudgedTime::Whole(read(0, 0).service());
        let judgement = JudgedTimes { service: time, response: time };
        let held = |(sent_at, number)| HeldCompletion { sent_at, number, completion: read(0, 0), judgement };
        assert!(held((5, 0)) < held((5, 1)) && held((4, 9)) < held((5, 0)));
        let left_out = JudgedTimes { service: JudgedTime::LeftOut, response: JudgedTime::LeftOut };
        assert!(
            HeldCompletion { judgement: left_out, ..held((5, 0)) } < held((5, 1)),
            "whatever else it says"
        );
        assert_eq!(HELD, 65_536);
    }

    #[test]
    fn what_was_submitted_at_once_is_taken_in_the_order_in_which_it_came() {
        let at_once: Vec<Completion> = (0..40).map(|due| read(due, 40)).collect();
        let mut replay = replayed(&at_once, &Standstills::default());
        replay.finish();
        assert_eq!((replay.made.requests(), replay.fidelity.inversions), (40, 0));
    }
}
