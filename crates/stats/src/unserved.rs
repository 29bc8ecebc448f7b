//! What a drive did not do as it was asked, of one phase, as its completions come.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_block::{Completion, Instant, Nanos, Op, Status};

use crate::{FailedIos, Standstills};

/// A drive that was asked for something and answered nothing for this time, and for what the answered block takes at
/// [`SLOWEST`], was silent.
pub const SILENCE_MIN: Nanos = Nanos::from_secs(1);
/// The rate of the slowest drives that work as they should, in bytes/s: SD cards of old, and disks that write at random.
const SLOWEST: u64 = 5_000_000;
/// A silence is this many times as long as an I/O of the phase took on average before it, or longer.
const TIMES_USUAL: u64 = 3;
/// Addresses that are kept: those with the lowest number are enough.
const KEPT_MAX: usize = 64;

/// A time in which a drive was asked for something and answered nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// When it began, from the start of its phase.
    pub from: Nanos,
    /// How long it was, without the time in which the program stood still.
    pub lasted: Nanos,
}

/// The longest silence of a phase, and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PhaseSilences {
    pub(crate) longest: Option<Silence>,
    pub(crate) count: u64,
}

impl PhaseSilences {
    fn add(&mut self, silence: Silence) {
        self.count += 1;
        if self.longest.is_none_or(|longest| silence.lasted > longest.lasted) {
            self.longest = Some(silence);
        }
    }
}

/// I/Os of a phase that the drive had not answered when they were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnansweredIos {
    /// How many.
    pub count: u64,
    /// The last answer before, or when the first of them was sent, from the start of the phase.
    last_answer: Nanos,
    /// When the first of them was sent, from the start of the phase.
    first_sent: Nanos,
    /// When the last of them was sent.
    last_sent: Nanos,
    /// When the last I/O was sent that was answered, from the start of the phase.
    answered_sent: Nanos,
    /// When they were given up, from the start of the phase.
    given_up_at: Nanos,
}

impl UnansweredIos {
    /// Whether the drive answered others that were sent [`SILENCE_MIN`] after the last of them, or later: it lost these, and is
    /// neither slow nor fell silent.
    pub fn later_ones_were_answered(&self) -> bool {
        self.answered_sent - self.last_sent >= SILENCE_MIN
    }

    /// From when on they were waited for, from the start of the phase: the last answer before, or when the first of them was sent
    /// if later ones were answered.
    pub fn since(&self) -> Nanos {
        if self.later_ones_were_answered() { self.first_sent } else { self.last_answer }
    }

    /// How long they were waited for since then.
    pub fn waited(&self) -> Nanos {
        self.given_up_at - self.since()
    }

    /// Those of two parts of a phase.
    fn join(self, other: UnansweredIos) -> UnansweredIos {
        UnansweredIos {
            count: self.count + other.count,
            last_answer: self.last_answer.min(other.last_answer),
            first_sent: self.first_sent.min(other.first_sent),
            last_sent: self.last_sent.max(other.last_sent),
            answered_sent: self.answered_sent.max(other.answered_sent),
            given_up_at: self.given_up_at.max(other.given_up_at),
        }
    }
}

/// How many I/Os of one kind did what was asked, and how far they got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) count: u64,
    /// The sector behind the last one.
    pub(crate) sector: u64,
    /// When the last one was sent, in nanoseconds from the start of the phase.
    pub(crate) at: u64,
}

impl Reached {
    #[inline]
    fn add(&mut self, completion: &Completion, at: u64) {
        self.count += 1;
        self.sector = self.sector.max(completion.extent.end().get());
        self.at = self.at.max(at);
    }
}

/// The I/Os of one kind of a phase that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FailedOfKind {
    pub(crate) count: u64,
    statuses: BTreeMap<i16, u64>,
    /// When the first was sent, in nanoseconds from the start of the phase.
    pub(crate) first_at: Option<u64>,
    pub(crate) lowest: Option<u64>,
    /// The lowest addresses behind everything that did what was asked.
    pub(crate) behind: BTreeSet<u64>,
    since: Option<FailedRow>,
}

/// I/Os that failed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FailedRow {
    /// When the first of them was sent, in nanoseconds from the start of the phase.
    pub(crate) since: u64,
    pub(crate) count: u64,
}

impl FailedOfKind {
    /// Counts a failed I/O; `reached` is how far those got that did what was asked.
    #[cold]
    fn add(&mut self, failed: &Completion, at: u64, reached: Reached) {
        self.count += 1;
        *self.statuses.entry(failed.status.code()).or_default() += 1;
        self.first_at = Some(self.first_at.map_or(at, |first| first.min(at)));
        let start = failed.extent.start.get();
        self.lowest = Some(self.lowest.map_or(start, |lowest| lowest.min(start)));
        self.behind.insert(start);
        self.keep_behind(reached.sector);
        self.since = match self.row_after(reached) {
            Some(row) => Some(FailedRow { count: row.count + 1, ..row }),
            None => Some(FailedRow { since: at, count: 1 }),
        };
    }

    pub(crate) fn statuses(&self) -> impl Iterator<Item = (i16, u64)> {
        self.statuses.iter().map(|(code, count)| (*code, *count))
    }

    /// Whether most of them failed as those do that are sent to a drive that is gone.
    pub(crate) fn is_gone(&self) -> bool {
        let gone = self.statuses().filter(|(code, _)| Status::from_code(*code).is_gone());
        gone.map(|(_, count)| count).sum::<u64>() * 2 > self.count
    }

    /// Those that failed after the last one that did what was asked; none where none did.
    pub(crate) fn row_after(&self, reached: Reached) -> Option<FailedRow> {
        self.since.filter(|row| row.since >= reached.at)
    }

    fn keep_behind(&mut self, sector: u64) {
        if self.behind.first().is_some_and(|lowest| *lowest < sector) {
            self.behind = self.behind.split_off(&sector);
        }
        while self.behind.len() > KEPT_MAX {
            self.behind.pop_last();
        }
    }
}

/// What a drive did not do as it was asked, in one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unserved {
    reached: [Reached; 4],
    failed: [FailedOfKind; 4],
    /// Where I/Os failed.
    pub places: FailedIos,
    /// The times in which the drive was asked for something and answered nothing.
    pub(crate) silences: PhaseSilences,
    unanswered: Option<UnansweredIos>,
    /// How long all that was answered took from its sending, in nanoseconds.
    answered_after: u64,
}

impl Unserved {
    /// Takes a completion of a phase that began at `started_at`, in which the last one before it came `quiet_from` after that.
    #[inline]
    pub(crate) fn add(
        &mut self,
        (started_at, quiet_from): (Instant, Nanos),
        completion: &Completion,
        still: &Standstills,
    ) {
        if completion.status.is_unanswered() {
            return self.add_unanswered(started_at, quiet_from, completion);
        }
        let at = completion.completed_at.since(started_at);
        if at - quiet_from >= SILENCE_MIN {
            self.end_silence(started_at, quiet_from, completion, still);
        }
        self.answered_after = self.answered_after.saturating_add(completion.service().get());
        let code = usize::from(completion.op.code());
        // What fails may be answered at once, and before that which was sent earlier.
        let sent_at = completion.submitted_at.since(started_at).get();
        if completion.status.is_ok() {
            self.reached[code].add(completion, sent_at);
        } else {
            self.places.add(completion.extent, completion.op, completion.status);
            self.failed[code].add(completion, sent_at, self.reached[code]);
        }
    }

    /// Takes the first answer after a time of at least [`SILENCE_MIN`] without one, which began `quiet_from` after the phase.
    #[cold]
    fn end_silence(
        &mut self,
        started_at: Instant,
        quiet_from: Nanos,
        answer: &Completion,
        still: &Standstills,
    ) {
        // How long the drive takes for a large discard or a flush is its own affair.
        if !matches!(answer.op, Op::Read | Op::Write) {
            return;
        }
        let asked = answer.submitted_at.since(started_at);
        // The first I/O of a phase, or after a rest, may wake the drive up: how long that takes is no silence.
        let answered = self.answered();
        if answered == 0 || asked - quiet_from >= SILENCE_MIN {
            return;
        }
        let from = quiet_from.max(asked);
        let until = answer.completed_at.since(started_at);
        let lasted = until - from - still.covered(started_at + from, started_at + until);
        // A slow drive takes seconds for a large block, or for each of many.
        let of_block = Nanos::new(answer.bytes().get().saturating_mul(1_000_000_000 / SLOWEST));
        let usual = Nanos::new(self.answered_after / answered);
        if lasted >= SILENCE_MIN + of_block && lasted.get() >= usual.get().saturating_mul(TIMES_USUAL) {
            self.silences.add(Silence { from, lasted });
        }
    }

    /// How many I/Os were answered, with an error too.
    fn answered(&self) -> u64 {
        self.reached.iter().map(|served| served.count).chain(self.failed.iter().map(|kind| kind.count)).sum()
    }

    /// Counts an I/O that was given up. The last answer before is known when the first of them comes.
    #[cold]
    fn add_unanswered(&mut self, started_at: Instant, quiet_from: Nanos, given_up: &Completion) {
        let sent_at = given_up.submitted_at.since(started_at);
        let given_up_at = given_up.completed_at.since(started_at);
        let last_answer = quiet_from.max(sent_at).min(given_up_at);
        let one = UnansweredIos {
            count: 1,
            last_answer,
            first_sent: sent_at,
            last_sent: sent_at,
            // Known when all answers are; see `unanswered`.
            answered_sent: Nanos::ZERO,
            given_up_at,
        };
        self.unanswered = Some(self.unanswered.map_or(one, |others| others.join(one)));
    }

    /// I/Os that the drive had not answered when they were given up.
    pub fn unanswered(&self) -> Option<UnansweredIos> {
        let answered_sent =
            self.reached.iter().map(|reached| Nanos::new(reached.at)).max().unwrap_or_default();
        self.unanswered.map(|ios| UnansweredIos { answered_sent, ..ios })
    }

    pub(crate) fn failed(&self, op: Op) -> &FailedOfKind {
        &self.failed[usize::from(op.code())]
    }

    /// How far the I/Os of a kind got that did what was asked.
    pub(crate) fn reached(&self, op: Op) -> Reached {
        self.reached[usize::from(op.code())]
    }

    /// How many I/Os of a kind did what was asked.
    pub fn served(&self, op: Op) -> u64 {
        self.reached(op).count
    }
}
