//! What happened in every second.

use drivelab_block::{Completion, Instant, Nanos, Op};

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
    /// Well-ended discards and flushes.
    pub others: u32,
    /// I/Os of any kind that failed.
    pub failed: u32,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// The longest service time of any I/O whose times are the drive's, in nanoseconds.
    pub service_max: u64,
    /// I/Os of any kind that a standstill of the program delayed.
    pub left_out: u32,
}

impl Bin {
    /// Well-ended I/Os of any kind.
    pub fn ios(&self) -> u32 {
        self.reads + self.writes + self.others
    }

    fn add(&mut self, completion: &Completion, is_judged: bool) {
        if is_judged {
            self.service_max = self.service_max.max(completion.service().get());
        } else {
            self.left_out += 1;
        }
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
            Op::Discard | Op::Flush => self.others += 1,
        }
    }

    fn merge(&mut self, other: &Bin) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.others += other.others;
        self.failed += other.failed;
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
        self.service_max = self.service_max.max(other.service_max);
        self.left_out += other.left_out;
    }
}

/// One-second bins from the start of a phase, by the time of completion.
///
/// A week is 600 thousand bins, 29 MB. The last bin is usually cut short by the end of the phase:
/// [`Series::whole_seconds`] leaves it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    bins: Vec<Bin>,
    /// The last completion, in nanoseconds from the start.
    end: u64,
}

impl Series {
    /// Counts a completion of a phase that started at `start`; `is_judged` where its times are the drive's.
    pub fn add(&mut self, start: Instant, completion: &Completion, is_judged: bool) {
        let at = completion.completed_at.since(start).get();
        self.end = self.end.max(at);
        let second = bin_of(at);
        if second >= self.bins.len() {
            self.bins.resize(second + 1, Bin::default());
        }
        self.bins[second].add(completion, is_judged);
    }

    /// Adds what another part of the same phase has seen.
    pub fn merge(&mut self, other: &Series) {
        if other.bins.len() > self.bins.len() {
            self.bins.resize(other.bins.len(), Bin::default());
        }
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.merge(theirs);
        }
        self.end = self.end.max(other.end);
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

    /// The last completion, in nanoseconds from the start of the phase.
    pub fn end_nanos(&self) -> u64 {
        self.end
    }
}

/// The second in which a time lies; the seconds of 584 years fit into any `usize` of a machine with drives.
fn bin_of(nanos: u64) -> usize {
    usize::try_from(nanos / BIN_NANOS).unwrap_or(usize::MAX)
}
