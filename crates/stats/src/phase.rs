//! All that is known of one phase.

use std::collections::BTreeMap;

use drivelab_block::{ByteCount, Completion, Instant, Nanos, Op};

use crate::{
    Bin, DelayedIos, Distribution, HeatMap, JudgedTime, JudgedTimes, LoopKind, Series, Standstill,
    Standstills, Unsent, Unserved,
};

/// What one kind of operation did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpAnalysis {
    /// Well-ended I/Os.
    pub completed: u64,
    /// Bytes transferred or discarded.
    pub bytes: u64,
    /// From submission to completion, of well-ended I/Os whose times are the drive's, and of those that the drive had not
    /// answered when they were given up, with what they had waited until then.
    pub service: Distribution,
    /// From the intended start to completion, in an open loop only.
    pub response: Option<Distribution>,
}

/// One pass over the completions of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseAnalysis {
    /// When the phase began.
    pub started_at: Instant,
    /// How its requests were timed.
    pub loop_kind: LoopKind,
    ops: [Option<Box<OpAnalysis>>; 4],
    /// Failed I/Os by their status code (-1 short, else the error number).
    pub failures: BTreeMap<i16, u64>,
    /// Failed reads.
    pub failed_reads: u64,
    /// What the drive did not do as it was asked.
    pub unserved: Unserved,
    series: Series,
    heat: HeatMap,
    unsent: Unsent,
    /// From the start of the phase to the last completion that did all that was asked; zero where none did.
    pub until_last_success: Nanos,
    standstills: Standstills,
    /// I/Os whose times do not count, or not in full, as the program stood still meanwhile.
    pub delayed: DelayedIos,
}

impl PhaseAnalysis {
    /// A phase of which nothing has been seen yet.
    pub fn new(started_at: Instant, loop_kind: LoopKind) -> PhaseAnalysis {
        PhaseAnalysis { started_at, loop_kind, ..PhaseAnalysis::default() }
    }

    /// Notes that the program stood still: before the completions that this concerns are counted.
    pub fn note_standstill(&mut self, standstill: Standstill) {
        self.standstills.add(standstill);
    }

    /// Counts one completion. Of the times of one during which the program stood still, as much counts as is the drive's.
    pub fn add(&mut self, completion: &Completion) {
        let judgement = self.standstills.judge(completion, self.loop_kind);
        let out_for = match self.loop_kind {
            LoopKind::Closed => completion.service(),
            LoopKind::Open => completion.response(),
        };
        self.delayed.add(&judgement, out_for);
        let quiet_from = Nanos::new(self.series.end_nanos);
        self.unserved.add((self.started_at, quiet_from), completion, &self.standstills);
        self.series.add(self.started_at, completion, &judgement);
        if !completion.status.is_ok() {
            *self.failures.entry(completion.status.code()).or_default() += 1;
            self.failed_reads += u64::from(completion.op == Op::Read);
            if completion.status.is_unanswered() {
                self.add_times(completion, &judgement);
            }
            return;
        }
        let completed_at = completion.completed_at.since(self.started_at);
        self.until_last_success = self.until_last_success.max(completed_at);
        let op = self.ops[usize::from(completion.op.code())].get_or_insert_default();
        op.completed += 1;
        op.bytes += completion.bytes().get();
        self.add_times(completion, &judgement);
    }

    /// Counts the times of an I/O that ended well, or that a drive had not answered when it was given up: the longest are among
    /// those, and they would be hidden otherwise.
    #[inline]
    fn add_times(&mut self, completion: &Completion, judgement: &JudgedTimes) {
        let completed_at = completion.completed_at.since(self.started_at);
        let is_given_up = completion.status.is_unanswered();
        let op = self.ops[usize::from(completion.op.code())].get_or_insert_default();
        if let Some(service) = judgement.service.nanos() {
            self.heat.add(completed_at.get(), service.get());
            add_time(&mut op.service, judgement.service, is_given_up);
        }
        if self.loop_kind == LoopKind::Open && !judgement.is_left_out() {
            add_time(op.response.get_or_insert_default(), judgement.response, is_given_up);
        }
    }

    /// Notes what was due and never sent; no completion tells of it.
    pub fn add_unsent(&mut self, unsent: &Unsent) {
        self.unsent.merge(unsent);
    }

    /// Requests that were due and never sent: [`PhaseAnalysis::response`] holds them as lower bounds.
    pub fn unsent(&self) -> u64 {
        self.unsent.count()
    }

    /// What one kind of operation did; `None` where none of it ended well or was given up unanswered.
    pub fn op(&self, op: Op) -> Option<&OpAnalysis> {
        self.ops[usize::from(op.code())].as_deref()
    }

    /// Well-ended I/Os of every kind.
    pub fn completed(&self) -> u64 {
        Op::ALL.iter().filter_map(|op| self.op(*op)).map(|op| op.completed).sum()
    }

    /// Well-ended I/Os that rates and times are taken from: flushes are among them only if the phase has nothing else.
    pub fn rated(&self) -> u64 {
        self.rated_ops().map(|op| op.completed).sum()
    }

    /// The flushes, where there are other I/Os as well.
    pub fn flushes_among_others(&self) -> Option<&OpAnalysis> {
        self.op(Op::Flush).filter(|_| self.has_others())
    }

    /// Whether there is anything but flushes.
    fn has_others(&self) -> bool {
        [Op::Read, Op::Write, Op::Discard].into_iter().any(|op| self.op(op).is_some())
    }

    /// The operations that figures are of. A flush waits for all that was written before it: its time is that of no other I/O.
    fn rated_ops(&self) -> impl Iterator<Item = &OpAnalysis> {
        let with_flushes = !self.has_others();
        let ops = Op::ALL.into_iter().filter(move |op| *op != Op::Flush || with_flushes);
        ops.filter_map(|op| self.op(op))
    }

    /// Bytes read and written.
    pub fn moved(&self) -> ByteCount {
        let ops = [Op::Read, Op::Write].into_iter().filter_map(|op| self.op(op));
        ByteCount::new(ops.map(|op| op.bytes).sum())
    }

    /// Bytes of every kind: those that were discarded, too.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(Op::ALL.iter().filter_map(|op| self.op(*op)).map(|op| op.bytes).sum())
    }

    /// Failed I/Os.
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// The service times of all operations together; of flushes only where there is nothing else.
    pub fn service(&self) -> Distribution {
        self.joined(|op| Some(&op.service))
    }

    /// The response times of the same; `None` in a closed loop. Requests that were never sent count
    /// with what they had waited, as lower bounds.
    pub fn response(&self) -> Option<Distribution> {
        if self.loop_kind == LoopKind::Closed {
            return None;
        }
        let mut response = self.joined(|op| op.response.as_ref());
        self.unsent.waits().for_each(|(nanos, count)| response.add_many_at_least(nanos, count));
        Some(response)
    }

    fn joined(&self, pick: impl Fn(&OpAnalysis) -> Option<&Distribution>) -> Distribution {
        let mut joined = Distribution::default();
        for distribution in self.rated_ops().filter_map(&pick) {
            joined.merge(distribution);
        }
        joined
    }

    /// What happened in every second.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// The I/Os of every whole second, without flushes where there are others, given how long the phase lasted, and whether each
    /// second is one of the drive: the program did not stand still in it, and completed no I/O that a standstill had delayed.
    pub fn whole_seconds(&self, lasted: Nanos) -> (Vec<Bin>, Vec<bool>) {
        let mut bins = self.series.whole_seconds(lasted);
        if self.has_others() {
            bins.iter_mut().for_each(|bin| bin.flushes = 0);
        }
        let begin = |second: usize| self.started_at + Nanos::from_secs(second as u64);
        let is_judged = |(second, bin): (usize, &Bin)| {
            bin.left_out == 0 && !self.standstills.touch(begin(second), begin(second + 1))
        };
        let judged = bins.iter().enumerate().map(is_judged).collect();
        (bins, judged)
    }

    /// Whether anything was answered in each whole second: flushes and I/Os that failed count, too.
    pub fn answered_seconds(&self, lasted: Nanos) -> Vec<bool> {
        self.series.whole_seconds(lasted).iter().map(|bin| bin.ios() + bin.failed > 0).collect()
    }

    /// How much of a time from the start of the phase on counts: in a closed loop that in which the program ran. What an
    /// open loop had to ask during a standstill is asked after it, so that all of its time counts.
    pub fn ran(&self, lasted: Nanos) -> Nanos {
        if self.loop_kind == LoopKind::Open {
            return lasted;
        }
        lasted - self.standstills.covered(self.started_at, self.started_at + lasted)
    }

    /// Service time against time.
    pub fn heat(&self) -> &HeatMap {
        &self.heat
    }

    /// From the start of the phase to its last completion.
    pub fn span(&self) -> Nanos {
        Nanos::new(self.series.end_nanos)
    }
}

/// Adds what is known of a time; one of an I/O that was given up is longer than was seen.
#[inline]
fn add_time(times: &mut Distribution, time: JudgedTime, is_given_up: bool) {
    match time {
        JudgedTime::Whole(nanos) if !is_given_up => times.add(nanos.get()),
        JudgedTime::Whole(nanos) | JudgedTime::AtLeast(nanos) => times.add_many_at_least(nanos.get(), 1),
        JudgedTime::LeftOut => {}
    }
}
