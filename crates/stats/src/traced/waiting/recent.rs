//! The I/Os that may still be in flight.

use super::party::Tally;
use super::{Party, PartyTally};

/// As many I/Os are remembered whatever they took.
const RECENT: usize = 512;
/// What took as long, in nanoseconds, is remembered until it has completed.
const LONG: u64 = 10_000_000;
/// As many long ones at most; a system with more has lost its order long before.
const LONG_MOST: usize = 4096;

#[derive(Clone, Copy, Debug)]
struct RecentWait {
    party: Party,
    bytes: u64,
    issued: u64,
    completed: u64,
}

/// The last I/Os, and earlier ones that took long. What is in flight is looked for only where a wait begins: to know it at every
/// I/O would cost more than all the rest.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentIos {
    last: Vec<RecentWait>,
    /// Where the next one goes, once all places are taken.
    next: usize,
    long: Vec<RecentWait>,
}

impl RecentIos {
    /// Takes an I/O by its issue and its completion.
    pub fn add(&mut self, party: Party, bytes: u64, issued: u64, completed: u64) {
        let io = RecentWait { party, bytes, issued, completed };
        if completed - issued >= LONG {
            if self.long.len() == LONG_MOST {
                self.long.retain(|one| one.completed > issued);
            }
            if self.long.len() < LONG_MOST {
                self.long.push(io);
            }
        } else if self.last.len() < RECENT {
            self.last.push(io);
        } else {
            self.last[self.next] = io;
            self.next = (self.next + 1) % RECENT;
        }
    }

    /// What was issued before a moment and completes after it, and when that is.
    pub fn in_flight(&self, at: u64) -> impl Iterator<Item = (PartyTally, u64)> {
        let all = self.last.iter().chain(&self.long);
        let in_flight = all.filter(move |io| io.completed > at);
        in_flight.map(|io| {
            let tally = Tally::new(io.bytes, io.completed - io.issued);
            (PartyTally { party: io.party, tally }, io.completed)
        })
    }
}
