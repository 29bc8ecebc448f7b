//! When the program itself stood still, and what I/Os and seconds can say of the drive for that.
//!
//! The completion of an I/O is stamped by the program. While the program does not run, an I/O that the drive has answered waits
//! for its stamp, and a request that is due waits for its submission: both look like a delay of the drive.

use drivelab_block::{Completion, Instant, Nanos, QueueId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::LoopKind;

/// A time is the drive's as it is if standstills take less than a tenth of it.
const PARTS: u64 = 10;
/// An I/O that was out for this long while the program ran is long whatever happened during a standstill.
const LONG: Nanos = Nanos::from_secs(1);
/// A request of an open loop that is sent so much later than it was due is late, in nanoseconds.
const LATE: u64 = 1_000_000;
/// For how many times its own length after its end a standstill explains that requests of an open loop are late: those that
/// became due meanwhile are sent first.
const CATCHING_UP: u64 = 10;

// Not running, the process may also have been in a frozen control group. The cause is not known where the kernel does not count
// the time that threads wait for a processor.
/// Why the program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StandstillCauseLabel")]
pub enum StandstillCause {
    /// The process was stopped, or its virtual machine was paused.
    Stopped,
    /// The machine was suspended.
    Suspended,
    /// The hypervisor gave the processor to another virtual machine.
    Stolen,
    /// The kernel gave the processor to other programs.
    Starved,
    /// Not known.
    Unknown,
}

/// A time in which the program did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StandstillDocument")]
pub struct Standstill {
    /// Its begin on the clock of the records, in nanoseconds.
    #[serde(rename = "from_ns")]
    #[schemars(with = "u64")]
    pub from: Instant,
    /// Its end.
    #[serde(rename = "until_ns")]
    #[schemars(with = "u64")]
    pub until: Instant,
    /// Why the program did not run.
    pub cause: StandstillCause,
    /// The queue whose worker did not run; absent where nothing of the program ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u16>")]
    pub queue: Option<QueueId>,
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

/// What of a time of an I/O is the drive's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JudgedTime {
    /// All of it: standstills take less than a tenth.
    Whole(Nanos),
    /// At least this: standstills take a tenth or more, and are taken off. The drive may have worked meanwhile.
    AtLeast(Nanos),
    /// Nothing is known: the program stood still for half of it or more, and watched for less than a second.
    LeftOut,
}

impl JudgedTime {
    /// Of `time`, in which the program stood still for `taken`.
    fn new(time: Nanos, taken: Nanos) -> JudgedTime {
        let watched = time - taken;
        if taken == Nanos::ZERO || taken.get().saturating_mul(PARTS) < time.get() {
            JudgedTime::Whole(time)
        } else if watched > taken || watched >= LONG {
            JudgedTime::AtLeast(watched)
        } else {
            JudgedTime::LeftOut
        }
    }

    /// The time for the figures; none if nothing is known.
    #[inline]
    pub fn nanos(self) -> Option<Nanos> {
        match self {
            JudgedTime::Whole(time) | JudgedTime::AtLeast(time) => Some(time),
            JudgedTime::LeftOut => None,
        }
    }
}

/// What of the times of one I/O is the drive's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JudgedTimes {
    /// From submission to completion.
    pub service: JudgedTime,
    /// From when it was due to completion; in a closed loop its service.
    pub response: JudgedTime,
}

impl JudgedTimes {
    /// Whether all of its times are the drive's.
    #[inline]
    pub fn is_whole(&self) -> bool {
        matches!((self.service, self.response), (JudgedTime::Whole(_), JudgedTime::Whole(_)))
    }

    /// Whether nothing is known of its time: the I/O counts, and its times do not.
    #[inline]
    pub fn is_left_out(&self) -> bool {
        self.response == JudgedTime::LeftOut
    }
}

/// The I/Os whose times a standstill has made longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayedIos {
    /// How many count with a lower bound of their time.
    pub at_least: u64,
    /// How many are left out, as nothing is known of their time.
    pub left_out: u64,
    /// The longest time that one was out which is left out: in an open loop from when it was due, since it is that time that is
    /// not judged.
    pub longest_left_out: Nanos,
}

impl DelayedIos {
    /// Counts an I/O that was out for `time`.
    #[inline]
    pub fn add(&mut self, judgement: &JudgedTimes, time: Nanos) {
        if judgement.is_whole() {
            return;
        }
        if judgement.is_left_out() {
            self.left_out += 1;
            self.longest_left_out = self.longest_left_out.max(time);
        } else {
            self.at_least += 1;
        }
    }

    /// Adds those of another part of the run.
    pub fn merge(&mut self, other: &DelayedIos) {
        self.at_least += other.at_least;
        self.left_out += other.left_out;
        self.longest_left_out = self.longest_left_out.max(other.longest_left_out);
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
    /// Adds one. It may be read from a file: one that ends before its begin takes no time.
    pub fn add(&mut self, standstill: Standstill) {
        let standstill = Standstill { until: standstill.until.max(standstill.from), ..standstill };
        let place = self.list.partition_point(|one| one.until <= standstill.until);
        self.list.insert(place, standstill);
        self.longest = self.longest.max(standstill.length().get());
    }

    /// All of them, in the order of their ends.
    pub fn all(&self) -> &[Standstill] {
        &self.list
    }

    /// What of the service time of an I/O is the drive's.
    #[inline]
    pub fn judge_service(&self, completion: &Completion) -> JudgedTime {
        let service = completion.service();
        if self.list.is_empty() {
            return JudgedTime::Whole(service);
        }
        let Completion { submitted_at, completed_at, queue, .. } = *completion;
        JudgedTime::new(service, self.covered_of(submitted_at, completed_at, Some(queue)))
    }

    /// What of the times of an I/O is the drive's. In an open loop its time begins when it was due, and if it was sent late
    /// because what had become due during a standstill had to be sent first, its wait for that is the standstill's.
    #[inline]
    pub fn judge(&self, completion: &Completion, loop_kind: LoopKind) -> JudgedTimes {
        let service = self.judge_service(completion);
        if loop_kind == LoopKind::Closed {
            return JudgedTimes { service, response: service };
        }
        if self.list.is_empty() {
            return JudgedTimes { service, response: JudgedTime::Whole(completion.response()) };
        }
        self.judge_open(completion, service)
    }

    fn judge_open(&self, completion: &Completion, service: JudgedTime) -> JudgedTimes {
        let Completion { intended_at, submitted_at, completed_at, queue, .. } = *completion;
        let due = intended_at.min(submitted_at);
        let total = completed_at.since(due);
        let taken = if self.is_late_after_one(due, completion) {
            submitted_at.since(due) + self.covered_of(submitted_at, completed_at, Some(queue))
        } else {
            self.covered_of(due, completed_at, Some(queue))
        };
        let response = JudgedTime::new(total, taken);
        // What follows a standstill at once is sent in a heap, so that its service is no better known than its response.
        let service = if response.nanos().is_some() { service } else { JudgedTime::LeftOut };
        let response = match (response, service) {
            (JudgedTime::Whole(_), JudgedTime::Whole(_)) => JudgedTime::Whole(completion.response()),
            // Of a wait that is known a service may be left that is not.
            (JudgedTime::Whole(time), JudgedTime::AtLeast(_) | JudgedTime::LeftOut) => {
                JudgedTime::AtLeast(time - taken)
            }
            (response, _) => response,
        };
        JudgedTimes { service, response }
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
        self.covered_of(from, until, None)
    }

    /// The same, of those alone that concern a queue, where one is named.
    fn covered_of(&self, from: Instant, until: Instant, queue: Option<QueueId>) -> Nanos {
        let met = self.that_end_after(from, until);
        let met = met.filter(|one| queue.is_none_or(|queue| one.concerns(queue)));
        let mut spans: Vec<(Instant, Instant)> =
            met.map(|one| (one.from.max(from), one.until.min(until))).collect();
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
