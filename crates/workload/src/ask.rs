//! One question to a drive, and streams of them.

use drivelab_block::{Extent, Nanos, Op};

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

/// A stream of questions. It ends with `None`, or never.
pub trait Workload: Send {
    /// The next question. Must not allocate.
    fn next_ask(&mut self) -> Option<Ask>;
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
    fn next_ask(&mut self) -> Option<Ask> {
        let ask = self.workload.next_ask()?;
        Some(Ask { due: Some(self.schedule.next()?), ..ask })
    }
}
