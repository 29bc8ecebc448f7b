//! Spells in which programs waited.

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
    #[must_use]
    pub fn nanos(&self) -> u64 {
        self.until - self.from
    }
}

/// A spell to which waits may still be added.
#[derive(Clone, Debug)]
pub(super) struct OpenSpell {
    from: u64,
    until: u64,
    waiters: Tallies,
    around: Tallies,
}

impl OpenSpell {
    /// A spell that begins while these are in flight.
    pub fn new(from: u64, in_flight: impl Iterator<Item = PartyTally>) -> OpenSpell {
        let mut around = Tallies::default();
        in_flight.for_each(|one| around.add(one.party, &one.tally));
        OpenSpell { from, until: from, waiters: Tallies::default(), around }
    }

    /// When it ends, as far as its waits are known.
    pub fn until(&self) -> u64 {
        self.until
    }

    pub fn wait(&mut self, party: Party, bytes: u64, at: u64, until: u64) {
        self.waiters.add(party, &Tally::of(bytes, until - at));
        self.until = self.until.max(until);
    }

    /// Takes an I/O that was issued meanwhile, and that no program waited for as long.
    pub fn meanwhile(&mut self, party: Party, bytes: u64, nanos: u64) {
        self.around.add(party, &Tally::of(bytes, nanos));
    }

    pub fn close(self) -> Spell {
        Spell {
            from: self.from,
            until: self.until,
            waiters: self.waiters.by_time(),
            around: self.around.by_time(),
        }
    }
}

/// The spells that have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosedSpells {
    /// The waits of all.
    pub waiters: Tallies,
    /// What else went on in all.
    pub around: Tallies,
    /// How many spells there were in which a party was the longest in flight of all others, and how long they lasted.
    pub filled_by: Tallies,
    /// How long all lasted.
    pub nanos: u64,
    /// The longest ones.
    pub worst: WorstSpells,
}

impl ClosedSpells {
    pub fn add(&mut self, spell: Spell) {
        self.waiters.merge(&spell.waiters);
        self.around.merge(&spell.around);
        if let Some(first) = spell.around.first() {
            self.filled_by.add(first.party, &Tally::of(0, spell.nanos()));
        }
        self.nanos = self.nanos.saturating_add(spell.nanos());
        self.worst.add(spell);
    }
}

/// The longest spells.
#[derive(Clone, Debug, Default)]
pub(super) struct WorstSpells(Vec<Spell>);

impl WorstSpells {
    pub fn add(&mut self, spell: Spell) {
        // Of equal ones the earlier is kept.
        let place = self.0.partition_point(|kept| kept.nanos() >= spell.nanos());
        self.0.insert(place, spell);
        self.0.truncate(WORST);
    }

    pub fn into_spells(self) -> Vec<Spell> {
        self.0
    }
}
