//! Every write of a stream, in the order of completion.

use drivelab_block::{Completion, Instant, Nanos, Op, PhaseId};

use crate::{DelayedIos, JudgedTime, JudgedTimes, Standstills};

/// One write of a stream that went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamWrite {
    /// When it was submitted, in nanoseconds from the start of the stream; later by what standstills of the program took of
    /// its time, if that is known as a lower bound alone.
    pub submitted_at: u64,
    /// When it was complete, in nanoseconds from the start of the stream.
    pub completed_at: u64,
    /// Its first sector.
    pub sector: u64,
}

impl StreamWrite {
    /// The write's completion time in nanoseconds: from submission to completion.
    pub fn duration(&self) -> u64 {
        self.completed_at - self.submitted_at
    }
}

/// The writes of one phase, one by one: 24 bytes each.
#[derive(Clone, Debug, Default)]
pub struct StreamWrites {
    phase: PhaseId,
    started_at: Instant,
    /// Bytes of one write.
    pub block_bytes: u64,
    writes: Vec<StreamWrite>,
    /// The places of the writes of whose times a standstill of the program left nothing that is known, in rising order.
    left_out: Vec<usize>,
    /// The writes that were delayed by a standstill of the program.
    pub delayed: DelayedIos,
    standstills: Standstills,
    /// Whether what was to be written during a standstill is written after it.
    is_paced: bool,
    /// Writes that failed, those among them that were not answered.
    pub failed: u64,
    /// How many of the writes the drive had not answered when they were given up: they count as delays, and not as written.
    unanswered: u64,
    /// The shortest completion time that is a lower bound, in nanoseconds: of a write that was given up, or in whose time the
    /// program stood still. The longest completion time is one as well then. None where all are known.
    pub shortest_bound: Option<u64>,
}

impl StreamWrites {
    /// The writes of a phase that is to begin, of `block_bytes` bytes each.
    pub fn new(phase: PhaseId, block_bytes: u64) -> StreamWrites {
        StreamWrites { phase, block_bytes, ..StreamWrites::default() }
    }

    /// The same of a stream that has a rate of its own.
    #[must_use]
    pub fn paced(self, is_paced: bool) -> StreamWrites {
        StreamWrites { is_paced, ..self }
    }

    /// Notes when a phase begins; others than the stream's are passed by.
    pub fn begin(&mut self, phase: PhaseId, started_at: Instant) {
        if phase == self.phase {
            self.started_at = started_at;
        }
    }

    /// Takes what was completed; reads and other phases are passed by.
    pub fn accept(&mut self, completions: &[Completion], standstills: &Standstills) {
        if self.standstills.all().len() < standstills.all().len() {
            self.standstills.clone_from(standstills);
        }
        let phase = self.phase;
        let writes = completions.iter().filter(|one| one.phase == phase && one.op == Op::Write);
        for completion in writes {
            if !completion.status.is_ok() {
                self.failed += 1;
                if !completion.status.is_unanswered() {
                    continue;
                }
                self.unanswered += 1;
            }
            let submitted_at = completion.submitted_at.since(self.started_at).get();
            let completed_at = completion.completed_at.since(self.started_at).get().max(submitted_at);
            let service = standstills.judge_service(completion);
            let out_for = Nanos::new(completed_at - submitted_at);
            self.delayed.add(&JudgedTimes { service, response: service }, out_for);
            let submitted_at = match service {
                JudgedTime::Whole(time) => {
                    if completion.status.is_unanswered() {
                        self.bound_from(time);
                    }
                    submitted_at
                }
                JudgedTime::AtLeast(time) => {
                    self.bound_from(time);
                    completed_at.saturating_sub(time.get())
                }
                JudgedTime::LeftOut => {
                    self.left_out.push(self.writes.len());
                    submitted_at
                }
            };
            self.writes.push(StreamWrite {
                submitted_at,
                completed_at,
                sector: completion.extent.start.get(),
            });
        }
    }

    fn bound_from(&mut self, time: Nanos) {
        self.shortest_bound = Some(self.shortest_bound.map_or(time.get(), |least| least.min(time.get())));
    }

    /// The writes that went well, in the order of completion, and behind them those that the drive had not answered when they
    /// were given up.
    pub fn writes(&self) -> &[StreamWrite] {
        &self.writes
    }

    /// The writes whose times are the drive's, with their places in the list of all: the program watched for most of it.
    pub fn judged(&self) -> impl Iterator<Item = (usize, &StreamWrite)> {
        let mut left_out = self.left_out.iter().copied().peekable();
        let all = self.writes.iter().enumerate();
        all.filter(move |(place, _)| left_out.next_if_eq(place).is_none())
    }

    /// How long the program stood still between the start of the stream and its last completion, in nanoseconds.
    pub fn stood_still(&self) -> u64 {
        let end = self.started_at + Nanos::new(self.span());
        self.standstills.covered(self.started_at, end).get()
    }

    /// The time in which the stream went on, in nanoseconds: its span, where it has no rate of its own without standstills of
    /// the program.
    fn under_way(&self) -> u64 {
        let lost = if self.is_paced { 0 } else { self.stood_still() };
        self.span().saturating_sub(lost)
    }

    /// Bytes that were written.
    pub fn bytes(&self) -> u64 {
        (self.writes.len() as u64 - self.unanswered) * self.block_bytes
    }

    /// Until the last completion, in nanoseconds from the start of the stream.
    pub fn span(&self) -> u64 {
        self.writes.iter().map(|write| write.completed_at).max().unwrap_or(0)
    }

    /// What each judged write adds to the time in which one was in flight, in nanoseconds: with one in flight, its own.
    pub(super) fn service(&self) -> impl Iterator<Item = u64> + '_ {
        let mut previous = 0;
        self.judged().map(move |(_, write)| {
            let service = write.completed_at.saturating_sub(write.submitted_at.max(previous));
            previous = write.completed_at.max(previous);
            service
        })
    }

    /// How many of the judged writes at the end show what the drive keeps up with for long: those of one pass where the range
    /// was written at least twice, as a disk is slower at its end than at its beginning in every pass; otherwise the last
    /// quarter.
    pub(super) fn late_writes(&self) -> usize {
        let judged = self.judged().count();
        match self.writes_of_a_pass() {
            Some(pass) if judged / 2 >= pass => pass,
            _ => judged / 4,
        }
    }

    /// How many writes it took until the least address was written again; none where it was written once.
    fn writes_of_a_pass(&self) -> Option<usize> {
        let least = self.writes.iter().map(|write| write.sector).min()?;
        let mut begins = self.writes.iter().enumerate().filter(|(_, write)| write.sector == least);
        let (first, second) = (begins.next()?, begins.next()?);
        Some(second.0 - first.0)
    }

    /// The share of the stream's time in which a write was in flight, between 0 and 1; none before the first completion.
    pub fn busy_share(&self) -> Option<f64> {
        let (busy, span): (u64, u64) = (self.service().sum(), self.under_way());
        (span > 0).then(|| busy as f64 / span as f64)
    }

    /// Bytes a second over the whole stream; none before the first completion.
    pub fn rate(&self) -> Option<f64> {
        let span = self.under_way();
        (span > 0).then(|| self.bytes() as f64 * 1e9 / span as f64)
    }
}
