//! One question to a drive, and streams of them.

use drivelab_block::{Completion, Extent, Instant, Nanos, Op};

use crate::Schedule;

/// An I/O that a workload wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// When, counted from the start of the phase; `None` in a closed loop: as soon as there is a slot.
    pub due: Option<Nanos>,
    /// What.
    pub op: Op,
    /// Where.
    pub extent: Extent,
}

/// What a workload says to the question for its next I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This one.
    Ask(Ask),
    /// None before something that is in flight was answered.
    AfterAnswer,
    /// None yet, but soon, whatever the drive does: the workload itself is late.
    Soon,
    /// None any more.
    End,
}

impl Next {
    /// The I/O, where there is one.
    pub fn ask(self) -> Option<Ask> {
        match self {
            Next::Ask(ask) => Some(ask),
            Next::AfterAnswer | Next::Soon | Next::End => None,
        }
    }
}

impl From<Option<Ask>> for Next {
    /// A stream without an ask has ended.
    fn from(ask: Option<Ask>) -> Next {
        ask.map_or(Next::End, Next::Ask)
    }
}

/// A stream of questions. It ends with [`Next::End`], or never.
pub trait Workload: Send {
    /// The next question. Must not allocate. It is asked for when the one before was taken by the engine.
    fn next_ask(&mut self) -> Next;

    /// Learns what was answered, in a phase that started at `started_at`. Must not allocate.
    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        let _ = (completions, started_at);
    }
}

/// A workload on an absolute schedule, an open loop, or without one.
#[derive(Clone, Debug)]
pub struct Paced<W> {
    workload: W,
    schedule: Option<Schedule>,
}

impl<W: Workload> Paced<W> {
    /// Asks what `workload` asks, when `schedule` says; in a closed loop, which has none, when the workload says.
    pub fn new(workload: W, schedule: Option<Schedule>) -> Paced<W> {
        Paced { workload, schedule }
    }
}

impl<W: Workload> Workload for Paced<W> {
    #[inline]
    fn next_ask(&mut self) -> Next {
        match (self.workload.next_ask(), &mut self.schedule) {
            (Next::Ask(ask), Some(schedule)) => {
                schedule.next().map(|due| Ask { due: Some(due), ..ask }).into()
            }
            (next, _) => next,
        }
    }

    #[inline]
    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        self.workload.answered(completions, started_at);
    }
}
