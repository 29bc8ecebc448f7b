//! Who waited for a drive, when, for what, and what else was asked of it meanwhile.
//!
//! Programs wait for a read, for a flush, and for a write that the block layer marks as synchronous. A wait is one that takes
//! [`WAIT`] or longer, the time from which on a person no longer takes an answer for immediate (Miller, "Response time in
//! man-computer conversational transactions", 1968). Waits that overlap, or lie no farther apart than that, are one spell.

mod party;
mod process;
mod recent;
mod spell;
mod streams;
mod time_bins;

use drivelab_block::{IoFlags, Nanos, Op, TracedIo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sizes::{SIZE_CLASSES, size_class};

pub use party::{IoWork, Party, PartyTally, Tally};
pub use process::ProcessTotals;
pub use spell::Spell;
pub use streams::{IoStream, IoStreams};
pub use time_bins::{WaitBin, WaitBins};

use process::Processes;
use recent::RecentIos;
use spell::{ClosedSpells, OpenSpell};

/// From when on programs wait.
pub const WAIT: Nanos = Nanos::from_millis(100);

/// Which writes were counted as waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AwaitedWritesFindings")]
pub enum AwaitedWrites {
    /// Those that the block layer marks as synchronous.
    #[default]
    Synchronous,
    /// All, since the source does not say which are synchronous.
    All,
}

/// What is collected of the waits of a trace.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    awaited: AwaitedWrites,
    recent: RecentIos,
    open: Option<OpenSpell>,
    spells: u64,
    /// Up to when waits were counted as time.
    covered_until: u64,
    waited: u64,
    closed: ClosedSpells,
    /// The waits in time.
    pub(super) bins: WaitBins,
    processes: Processes,
    streams: IoStreams,
    sizes: [Tally; SIZE_CLASSES],
}

impl Waiting {
    /// A collection that counts these writes as waited for, of a trace at whose beginning the clock had shown its day for this
    /// many nanoseconds.
    pub fn new(awaited: AwaitedWrites, nanos_of_day: u64) -> Waiting {
        Waiting { awaited, bins: WaitBins::begun_at(nanos_of_day), ..Waiting::default() }
    }

    /// Takes the next I/O, in the order of their issue; `service` is none where its duration is not known.
    pub fn add(&mut self, io: &TracedIo) {
        let at = io.issued_at.as_nanos();
        let work = self.processes.add(io);
        self.streams.add(io, work);
        self.bins.begin(at);
        let Some(service) = io.service.map(Nanos::get) else { return };
        if self.open.as_ref().is_some_and(|open| at > open.until.saturating_add(WAIT.get())) {
            self.close();
        }
        let party = Party { process: io.process, device: io.device, work };
        if service >= WAIT.get() && self.is_awaited(io) {
            self.wait(party, io, at, at.saturating_add(service));
        } else if let Some(open) = self.open.as_mut().filter(|open| at <= open.until) {
            open.meanwhile(party, io.bytes().get(), at, at.saturating_add(service));
        }
        self.recent.add(party, io.bytes().get(), at, at.saturating_add(service));
    }

    /// Whether programs wait for an I/O.
    fn is_awaited(&self, io: &TracedIo) -> bool {
        match io.op {
            Op::Read | Op::Flush => true,
            Op::Write => {
                let is_marked = [IoFlags::SYNC, IoFlags::FUA, IoFlags::PREFLUSH];
                self.awaited == AwaitedWrites::All || is_marked.iter().any(|flag| io.flags.contains(*flag))
            }
            Op::Discard => false,
        }
    }

    fn wait(&mut self, party: Party, io: &TracedIo, at: u64, until: u64) {
        let is_first = self.open.is_none();
        let recent = &self.recent;
        let open = self.open.get_or_insert_with(|| OpenSpell::new(at, recent.in_flight(at)));
        open.wait(party, io.bytes().get(), at, until);
        // The time between waits that are one is waited as well.
        let from = if is_first { self.covered_until.max(at) } else { self.covered_until };
        let new = until.saturating_sub(from);
        self.covered_until = self.covered_until.max(until);
        self.waited = self.waited.saturating_add(new);
        self.spells += u64::from(is_first);
        self.bins.wait(at, u32::from(is_first), new);
        self.processes.wait(io.process, until - at);
        if let Some(class) = size_class(io.bytes().get()) {
            self.sizes[class].merge(&Tally::new(io.bytes().get(), until - at));
        }
    }

    fn close(&mut self) {
        self.open.take().iter().for_each(|open| self.closed.add(open));
    }

    /// What was found of the I/Os so far.
    pub fn found(&self) -> Waits<'_> {
        let mut all = self.closed.clone();
        self.open.iter().for_each(|open| all.add(open));
        Waits {
            awaited: self.awaited,
            spells: self.spells,
            waited: self.waited,
            longest: all.worst.first().map_or(0, Spell::nanos),
            waiters: all.waiters.by_time(),
            around: all.around.by_time(),
            in_flight: all.in_flight.by_time(),
            any_in_flight: all.any_in_flight,
            worst: all.worst,
            bins: &self.bins,
            processes: self.processes.all(),
            streams: &self.streams,
            sizes: &self.sizes,
        }
    }
}

/// What was found of the waits of a trace. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub struct Waits<'a> {
    /// Which writes were counted as waited for.
    pub awaited: AwaitedWrites,
    /// Spells in which programs waited.
    pub spells: u64,
    /// How long all spells lasted.
    pub waited: u64,
    /// How long the longest one lasted.
    pub longest: u64,
    /// Who waited for what, the longest in sum first.
    pub waiters: Vec<PartyTally>,
    /// What else was in flight when a wait began, or was issued while one lasted, the longest in flight in sum first.
    pub around: Vec<PartyTally>,
    /// Of each party of these in how many spells an I/O was in flight, and how long at least one was.
    pub in_flight: Vec<PartyTally>,
    /// How long at least one I/O of any of them was in flight.
    pub any_in_flight: u64,
    /// The longest spells, the longest first.
    pub worst: Vec<Spell>,
    /// The waits in time.
    pub bins: &'a WaitBins,
    /// What each process did, by its number in the trace.
    pub processes: &'a [ProcessTotals],
    /// I/Os by operation, size and order.
    pub streams: &'a IoStreams,
    /// The waits by the size of their I/Os, in the classes of [`crate::TracedOp::sizes`]; flushes have none.
    pub sizes: &'a [Tally; SIZE_CLASSES],
}

#[cfg(test)]
mod tests;
