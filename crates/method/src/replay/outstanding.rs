//! What a replay has in flight.

use drivelab_block::{Extent, Nanos, Op};

use super::links::AnswerNote;

/// One request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutstandingRequest {
    pub op: Op,
    pub extent: Extent,
    /// When it was due; none where it had no schedule.
    pub due: Option<Nanos>,
    pub note: Option<AnswerNote>,
}

/// The requests in flight. A completion does not name its request: it is that of the first one that was asked for the
/// same at the same time, and such twins may stand for each other.
#[derive(Clone, Debug)]
pub struct Outstanding(Vec<OutstandingRequest>);

impl Outstanding {
    /// Room for this many; beyond them it allocates.
    pub fn with_capacity(depth: u32) -> Outstanding {
        Outstanding(Vec::with_capacity(depth as usize))
    }

    pub fn add(&mut self, asked: OutstandingRequest) {
        self.0.push(asked);
    }

    /// Takes the request that was answered.
    pub fn take(&mut self, op: Op, extent: Extent, due: Option<Nanos>) -> Option<OutstandingRequest> {
        let is_it = |asked: &OutstandingRequest| asked.extent == extent && asked.op == op && asked.due == due;
        let place = self.0.iter().position(is_it)?;
        Some(self.0.swap_remove(place))
    }

    /// Whether a request would meet another in flight, and one of the two changes what the drive holds.
    pub fn meets(&self, op: Op, extent: Extent) -> bool {
        let (start, end) = (extent.start, extent.end());
        let overlaps = |other: &OutstandingRequest| other.extent.start < end && start < other.extent.end();
        self.0.iter().any(|other| (op.is_destructive() || other.op.is_destructive()) && overlaps(other))
    }
}
