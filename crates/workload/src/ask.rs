//! One question to a drive, and streams of them.

use drivelab_block::{Completion, Extent, Instant, Nanos, Op};

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

/// A workload on an absolute schedule: an open loop.
#[derive(Clone, Debug)]
pub struct Paced<W, S> {
    workload: W,
    schedule: S,
}

impl<W: Workload, S: Iterator<Item = Nanos> + Send> Paced<W, S> {
    /// Asks what `workload` asks, when `schedule` says.
    pub fn new(workload: W, schedule: S) -> Paced<W, S> {
        Paced { workload, schedule }
    }
}

impl<W: Workload, S: Iterator<Item = Nanos> + Send> Workload for Paced<W, S> {
    fn next_ask(&mut self) -> Next {
        match self.workload.next_ask() {
            Next::Ask(ask) => self.schedule.next().map(|due| Ask { due: Some(due), ..ask }).into(),
            other => other,
        }
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        self.workload.answered(completions, started_at);
    }
}
