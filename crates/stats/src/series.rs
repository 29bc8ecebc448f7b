//! What happened in every second.

use drivelab_block::{Completion, Instant, Nanos, Op};

use crate::JudgedTimes;

/// The longest phase: a time beyond it is a damaged record, and its second would take gigabytes to reach.
pub(crate) const PHASE_MAX: Nanos = Nanos::from_secs(100 * 86_400);

/// The width of a bin: one second, the field's custom for a consistency graph.
const BIN_NANOS: u64 = 1_000_000_000;

/// What was completed in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Well-ended reads.
    pub reads: u32,
    /// Well-ended writes.
    pub writes: u32,
    /// Well-ended discards.
    pub discards: u32,
    /// Well-ended flushes.
    pub flushes: u32,
    /// I/Os of any kind that failed.
    pub failed: u32,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// The longest service time of any I/O whose times are the drive's, in nanoseconds.
    pub service_max: u64,
    /// I/Os of any kind of whose times nothing is known, as a standstill of the program delayed them.
    pub left_out: u32,
}

impl Bin {
    /// Well-ended I/Os of any kind.
    pub fn ios(&self) -> u32 {
        self.reads + self.writes + self.discards + self.flushes
    }

    fn add(&mut self, completion: &Completion, judgement: &JudgedTimes) {
        self.service_max = self.service_max.max(judgement.service.nanos().unwrap_or_default().get());
        self.left_out += u32::from(judgement.is_left_out());
        if !completion.status.is_ok() {
            self.failed += 1;
            return;
        }
        match completion.op {
            Op::Read => {
                self.reads += 1;
                self.read_bytes += completion.bytes().get();
            }
            Op::Write => {
                self.writes += 1;
                self.written_bytes += completion.bytes().get();
            }
            Op::Discard => self.discards += 1,
            Op::Flush => self.flushes += 1,
        }
    }
}

/// One-second bins from the start of a phase, by the time of completion.
///
/// A week is 600 thousand bins, 29 MB. The last bin is usually cut short by the end of the phase:
/// [`Series::whole_seconds`] leaves it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    bins: Vec<Bin>,
    /// The last completion, in nanoseconds from the start of the phase.
    pub end_nanos: u64,
}

impl Series {
    /// Counts a completion of a phase that started at `start`.
    pub fn add(&mut self, start: Instant, completion: &Completion, judgement: &JudgedTimes) {
        let at = completion.completed_at.since(start).get();
        self.end_nanos = self.end_nanos.max(at);
        let second = bin_of(at);
        if second >= self.bins.len() {
            self.bins.resize(second + 1, Bin::default());
        }
        self.bins[second].add(completion, judgement);
    }

    /// Every bin, the last one possibly of less than a second.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The bins of whole seconds, given how long the phase lasted. Seconds without a completion count:
    /// a drive that stood still had an IOPS of zero.
    pub fn whole_seconds(&self, lasted: Nanos) -> Vec<Bin> {
        let whole = bin_of(lasted.min(PHASE_MAX).get());
        let mut bins = self.bins.clone();
        bins.resize(whole, Bin::default());
        bins
    }
}

/// The second in which a time lies; the seconds of 584 years fit into any `usize` of a machine with drives.
fn bin_of(nanos: u64) -> usize {
    usize::try_from(nanos / BIN_NANOS).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, PhaseId, QueueId, Sector, SectorCount, Status};

    use super::*;
    use crate::JudgedTime;

    fn io(op: Op, at_ms: u64, sectors: u32, status: Status) -> Completion {
        let at = Instant::from_nanos(at_ms * 1_000_000);
        Completion {
            intended_at: at,
            submitted_at: Instant::from_nanos(at.as_nanos() - 500_000),
            issued_at: None,
            completed_at: at,
            extent: Extent { start: Sector::new(0), length: SectorCount::new(sectors) },
            status,
            queue: QueueId(0),
            op,
            phase: PhaseId(0),
        }
    }

    /// Every consistency graph is made of these: an I/O in the wrong second, or counted as another kind, shows a stall that
    /// never was.
    #[test]
    fn each_io_counts_in_the_second_of_its_completion_and_by_its_kind() {
        let ios = [
            (io(Op::Read, 1_999, 8, Status::OK), true),
            (io(Op::Read, 2_000, 8, Status::OK), true),
            (io(Op::Write, 1_001, 16, Status::OK), true),
            (io(Op::Write, 1_002, 16, Status::OK), false),
            (io(Op::Discard, 1_003, 8, Status::OK), true),
            (io(Op::Flush, 1_004, 0, Status::OK), true),
            (io(Op::Read, 3_500, 8, Status::from_code(5)), true),
        ];
        let start = Instant::from_nanos(1_000_000_000);
        let mut whole = Series::default();
        for (io, is_judged) in &ios {
            let time = if *is_judged { JudgedTime::Whole(io.service()) } else { JudgedTime::LeftOut };
            let judgement = JudgedTimes { service: time, response: time };
            whole.add(start, io, &judgement);
        }
        let first = Bin {
            reads: 1,
            writes: 2,
            discards: 1,
            flushes: 1,
            read_bytes: 4_096,
            written_bytes: 16_384,
            service_max: 500_000,
            left_out: 1,
            ..Bin::default()
        };
        let second = Bin { reads: 1, read_bytes: 4_096, service_max: 500_000, ..Bin::default() };
        let third = Bin { failed: 1, service_max: 500_000, ..Bin::default() };
        assert_eq!(whole.bins(), [first, second, third]);
        assert_eq!((first.ios(), whole.end_nanos), (5, 2_500_000_000));
        assert_eq!(whole.whole_seconds(Nanos::from_millis(2_999)), [first, second]);
        assert_eq!(whole.whole_seconds(Nanos::from_secs(4)), [first, second, third, Bin::default()]);
    }
}
