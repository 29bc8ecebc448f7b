//! When the program itself stood still, and which I/Os and seconds can say nothing of the drive for that.
//!
//! The completion of an I/O is stamped by the program. While the program does not run, an I/O that the drive has answered waits
//! for its stamp, and a request that is due waits for its submission: both look like a delay of the drive.

use drivelab_block::{Completion, Instant, Nanos, QueueId};

use crate::LoopKind;

/// An I/O is left out where standstills take at least a tenth of its time.
const PARTS: u64 = 10;
/// A request of an open loop that is sent so much later than it was due is late, in nanoseconds.
const LATE: u64 = 1_000_000;
/// For how many times its own length after its end a standstill explains that requests of an open loop are late: those that
/// became due meanwhile are sent first.
const CATCHING_UP: u64 = 10;

/// Why the program stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StandstillCause {
    /// The process was stopped (SIGSTOP, a frozen control group), or its virtual machine was paused.
    Stopped,
    /// The machine was suspended.
    Suspended,
    /// The hypervisor gave the processor to another virtual machine.
    Stolen,
    /// The kernel gave the processor to other programs.
    Starved,
    /// Not known: this kernel does not count the time that threads wait for a processor.
    Unknown,
}

/// A time in which the program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// From when on it is known not to have run.
    pub from: Instant,
    /// When it ran again.
    pub until: Instant,
    /// The queue whose worker did not run; `None` where nothing of the program did.
    pub queue: Option<QueueId>,
    /// Why.
    pub cause: StandstillCause,
}

impl Standstill {
    /// How long it was.
    pub fn length(&self) -> Nanos {
        self.until.since(self.from)
    }

    fn concerns(&self, queue: QueueId) -> bool {
        self.queue.is_none_or(|own| own == queue)
    }
}

/// The standstills of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standstills {
    /// In the order of their ends.
    list: Vec<Standstill>,
    /// The length of the longest, in nanoseconds.
    longest: u64,
}

impl Standstills {
    /// Adds one.
    pub fn add(&mut self, standstill: Standstill) {
        let place = self.list.partition_point(|one| one.until <= standstill.until);
        self.list.insert(place, standstill);
        self.longest = self.longest.max(standstill.length().get());
    }

    /// All of them, in the order of their ends.
    pub fn all(&self) -> &[Standstill] {
        &self.list
    }

    /// Whether the service time of an I/O is the drive's: standstills take less than a tenth of it.
    pub fn judge_service(&self, completion: &Completion) -> bool {
        self.list.is_empty()
            || self.is_covered_little(completion.submitted_at, completion.completed_at, completion.queue)
    }

    /// Whether the times of an I/O are the drive's. Its time is from the submission to the completion, in an open loop from the
    /// moment when it was due: standstills take less than a tenth of that, and it was not sent late because an open loop
    /// had to send first what had become due during a standstill.
    pub fn judge(&self, completion: &Completion, loop_kind: LoopKind) -> bool {
        if self.list.is_empty() {
            return true;
        }
        if loop_kind == LoopKind::Closed {
            return self.judge_service(completion);
        }
        let due = completion.intended_at.min(completion.submitted_at);
        self.is_covered_little(due, completion.completed_at, completion.queue)
            && self.judge_service(completion)
            && !self.is_late_after_one(due, completion)
    }

    fn is_covered_little(&self, from: Instant, until: Instant, queue: QueueId) -> bool {
        let met = self.that_end_after(from, until).filter(|one| one.concerns(queue));
        let covered: u64 = met.map(|one| one.until.min(until).since(one.from.max(from)).get()).sum();
        covered == 0 || covered.saturating_mul(PARTS) < until.since(from).get()
    }

    fn is_late_after_one(&self, due: Instant, completion: &Completion) -> bool {
        if completion.submitted_at.since(due).get() < LATE {
            return false;
        }
        let reach = Nanos::new(self.longest.saturating_mul(CATCHING_UP));
        let earliest = Instant::from_nanos(due.as_nanos().saturating_sub(reach.get()));
        self.that_end_after(earliest, due).filter(|one| one.concerns(completion.queue)).any(|one| {
            let explains = Nanos::new(one.length().get().saturating_mul(CATCHING_UP));
            due < one.until + explains
        })
    }

    /// Those that end after one moment and begin before another one.
    fn that_end_after(&self, from: Instant, before: Instant) -> impl Iterator<Item = &Standstill> {
        let first = self.list.partition_point(|one| one.until <= from);
        let last = before.as_nanos().saturating_add(self.longest);
        let near = self.list[first..].iter().take_while(move |one| one.until.as_nanos() <= last);
        near.filter(move |one| one.from < before)
    }

    /// Whether one lies between two moments, at least in part.
    pub fn touch(&self, from: Instant, until: Instant) -> bool {
        self.that_end_after(from, until).next().is_some()
    }

    /// How much of the time between two moments they take; what two of them share counts once.
    pub fn covered(&self, from: Instant, until: Instant) -> Nanos {
        let mut spans: Vec<(Instant, Instant)> =
            self.that_end_after(from, until).map(|one| (one.from.max(from), one.until.min(until))).collect();
        spans.sort_unstable();
        let (mut covered, mut reached) = (0, from);
        for (begin, end) in spans {
            covered += end.since(begin.max(reached)).get();
            reached = reached.max(end);
        }
        Nanos::new(covered)
    }
}

impl FromIterator<Standstill> for Standstills {
    fn from_iter<I: IntoIterator<Item = Standstill>>(all: I) -> Standstills {
        let mut standstills = Standstills::default();
        all.into_iter().for_each(|one| standstills.add(one));
        standstills
    }
}

#[cfg(test)]
mod tests;
