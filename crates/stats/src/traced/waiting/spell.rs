//! Spells in which programs waited.

use std::collections::HashMap;

use super::party::{Tallies, Tally};
use super::{Party, PartyTally};

/// As many of the longest spells are kept.
const WORST: usize = 20;

/// A spell in which programs waited. Times are in nanoseconds since the beginning of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spell {
    /// When the first wait began.
    pub from: u64,
    /// When the last one ended.
    pub until: u64,
    /// Who waited for what, the longest in sum first.
    pub waiters: Vec<PartyTally>,
    /// What else was in flight at its beginning or issued while it lasted, the longest in flight in sum first.
    pub around: Vec<PartyTally>,
}

impl Spell {
    /// How long it lasted.
    pub fn nanos(&self) -> u64 {
        self.until - self.from
    }
}

/// The time in which at least one of some I/Os was in flight, from a moment on. They come in the order of their issue.
#[derive(Clone, Copy, Debug, Default)]
struct InFlightUnion {
    until: u64,
    nanos: u64,
}

impl InFlightUnion {
    fn add(&mut self, from: u64, until: u64) {
        self.nanos += until.saturating_sub(from.max(self.until));
        self.until = self.until.max(until);
    }

    /// How much of it lies before a moment at which none of them had still to be issued.
    fn before(self, end: u64) -> u64 {
        self.nanos - self.until.saturating_sub(end)
    }
}

/// A spell to which waits may still be added.
#[derive(Clone, Debug)]
pub(super) struct OpenSpell {
    from: u64,
    /// When it ends, as far as its waits are known.
    pub until: u64,
    waiters: Tallies,
    around: Tallies,
    /// When the I/Os of each party of these were in flight, and when any was.
    in_flight: HashMap<Party, InFlightUnion>,
    any_in_flight: InFlightUnion,
}

impl OpenSpell {
    /// A spell that begins while these are in flight, each until a moment.
    pub fn new(from: u64, in_flight: impl Iterator<Item = (PartyTally, u64)>) -> OpenSpell {
        let mut spell = OpenSpell {
            from,
            until: from,
            waiters: Tallies::default(),
            around: Tallies::default(),
            in_flight: HashMap::new(),
            any_in_flight: InFlightUnion::default(),
        };
        in_flight.for_each(|(one, until)| spell.add_around(one.party, &one.tally, from, until));
        spell
    }

    pub fn wait(&mut self, party: Party, bytes: u64, at: u64, until: u64) {
        self.waiters.add(party, &Tally::new(bytes, until - at));
        self.until = self.until.max(until);
    }

    /// Takes an I/O that was issued meanwhile, and that no program waited for as long.
    pub fn meanwhile(&mut self, party: Party, bytes: u64, at: u64, until: u64) {
        self.add_around(party, &Tally::new(bytes, until - at), at, until);
    }

    fn add_around(&mut self, party: Party, tally: &Tally, from: u64, until: u64) {
        self.around.add(party, tally);
        self.in_flight.entry(party).or_default().add(from, until);
        self.any_in_flight.add(from, until);
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct ClosedSpells {
    /// The waits of all.
    pub waiters: Tallies,
    /// What else went on in all.
    pub around: Tallies,
    /// In how many spells the I/Os of a party were in flight, and how long at least one of them was.
    pub in_flight: Tallies,
    /// How long at least one I/O of any of these parties was in flight.
    pub any_in_flight: u64,
    /// The longest ones, the longest first.
    pub worst: Vec<Spell>,
}

impl ClosedSpells {
    pub fn add(&mut self, open: &OpenSpell) {
        for (party, time) in &open.in_flight {
            self.in_flight.add(*party, &Tally::new(0, time.before(open.until)));
        }
        self.any_in_flight = self.any_in_flight.saturating_add(open.any_in_flight.before(open.until));
        let spell = Spell {
            from: open.from,
            until: open.until,
            waiters: open.waiters.by_time(),
            around: open.around.by_time(),
        };
        self.waiters.merge(&spell.waiters);
        self.around.merge(&spell.around);
        // Of equal ones the earlier is kept.
        let place = self.worst.partition_point(|kept| kept.nanos() >= spell.nanos());
        self.worst.insert(place, spell);
        self.worst.truncate(WORST);
    }
}
