//! Who asked for what.

use std::collections::HashMap;

use drivelab_block::{DeviceId, Op, ProcessId, worded_enum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// An I/O is sequential where it begins at the end of the one before of the same process, device and direction.
worded_enum! {
    /// The kind of work that I/Os are part of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[schemars(rename = "WorkFindings")]
    pub enum IoWork {
        /// Reads each of which begins where the one before of the same process ended.
        SequentialReads = "sequential reads",
        /// Other reads.
        ScatteredReads = "scattered reads",
        /// Writes each of which begins where the one before of the same process ended.
        SequentialWrites = "sequential writes",
        /// Other writes.
        ScatteredWrites = "scattered writes",
        /// Discards.
        Discards = "discards",
        /// Flushes.
        Flushes = "flushes",
    }
}

impl IoWork {
    /// The work of an operation.
    pub const fn classify(op: Op, is_sequential: bool) -> IoWork {
        match (op, is_sequential) {
            (Op::Read, true) => IoWork::SequentialReads,
            (Op::Read, false) => IoWork::ScatteredReads,
            (Op::Write, true) => IoWork::SequentialWrites,
            (Op::Write, false) => IoWork::ScatteredWrites,
            (Op::Discard, _) => IoWork::Discards,
            (Op::Flush, _) => IoWork::Flushes,
        }
    }
}

/// One kind of work of one process on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Party {
    /// The process.
    pub process: ProcessId,
    /// The device.
    pub device: DeviceId,
    /// The work.
    pub work: IoWork,
}

/// Some I/Os of a party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub ios: u64,
    /// Bytes that they asked for.
    pub bytes: u64,
    /// The sum of their service times in nanoseconds.
    pub nanos: u64,
    /// The longest of these.
    pub longest: u64,
}

impl Tally {
    /// One I/O.
    pub(super) const fn new(bytes: u64, nanos: u64) -> Tally {
        Tally { ios: 1, bytes, nanos, longest: nanos }
    }

    /// Adds the I/Os of another.
    pub fn merge(&mut self, other: &Tally) {
        self.ios += other.ios;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.longest = self.longest.max(other.longest);
    }
}

/// A party with its I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartyTally {
    /// The party.
    pub party: Party,
    /// Its I/Os.
    pub tally: Tally,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tallies(HashMap<Party, Tally>);

impl Tallies {
    pub fn add(&mut self, party: Party, tally: &Tally) {
        self.0.entry(party).or_default().merge(tally);
    }

    pub fn merge(&mut self, others: &[PartyTally]) {
        others.iter().for_each(|other| self.add(other.party, &other.tally));
    }

    /// All, those with the longest service times in sum first.
    pub fn by_time(&self) -> Vec<PartyTally> {
        let all = self.0.iter().map(|(party, tally)| PartyTally { party: *party, tally: *tally });
        let mut all: Vec<PartyTally> = all.collect();
        all.sort_by_key(|one| (std::cmp::Reverse(one.tally.nanos), one.party));
        all
    }
}
