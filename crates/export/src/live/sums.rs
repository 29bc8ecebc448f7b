//! Sums of the I/Os of a recording, in their path.

use crate::rollup::{PackedInterval, RecentSums, RollupInterval};
use drivelab_block::TracedIo;

use crate::rolled::outcome_of;

/// Counts the I/Os of a recording. It takes some nanoseconds for each.
#[derive(Clone, Debug)]
pub struct RecordingSums {
    /// When the recording began, in nanoseconds since 1970.
    began_unix_ns: u64,
    recent: RecentSums,
    /// When the last I/O was issued, in nanoseconds after the beginning.
    last_ns: u64,
    /// The first interval that is not closed.
    open_from: RollupInterval,
}

/// What was counted in intervals that are closed.
#[derive(Clone, Debug, Default)]
pub struct ClosedSums {
    pub(super) intervals: Vec<PackedInterval>,
    pub(super) last_ns: u64,
}

impl ClosedSums {
    /// How much memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.intervals.iter().map(PackedInterval::bytes).sum()
    }
}

impl RecordingSums {
    /// Begins at a time in nanoseconds since 1970.
    pub fn new(began_unix_ns: u64) -> RecordingSums {
        let open_from = RollupInterval::of_unix_nanos(began_unix_ns);
        RecordingSums { began_unix_ns, recent: RecentSums::default(), last_ns: 0, open_from }
    }

    /// Counts I/Os.
    pub fn add(&mut self, ios: &[TracedIo]) {
        for io in ios {
            let at = io.issued_at.as_nanos();
            self.last_ns = self.last_ns.max(at);
            let interval = RollupInterval::of_unix_nanos(self.began_unix_ns.saturating_add(at));
            self.recent.add(interval, io.device.0, io.op, io.bytes(), outcome_of(io));
        }
    }

    /// The intervals that ended until `until_ns`, in nanoseconds after the beginning; none where none has ended since the last
    /// call. An I/O that took longer than its interval is in a later call, as a further part of that interval.
    pub fn close_until(&mut self, until_ns: u64) -> Option<ClosedSums> {
        let open_from = RollupInterval::of_unix_nanos(self.began_unix_ns.saturating_add(until_ns));
        if open_from <= self.open_from {
            return None;
        }
        self.open_from = open_from;
        Some(ClosedSums { intervals: self.recent.close_before(open_from), last_ns: self.last_ns })
    }

    /// All intervals, of a recording that has ended.
    pub fn close(&mut self) -> ClosedSums {
        ClosedSums { intervals: self.recent.close_all(), last_ns: self.last_ns }
    }
}
