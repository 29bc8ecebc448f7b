//! Garbage collection: choosing victims, moving what is current, erasing.

use super::Ftl;
use super::die::{Source, Victim};
use super::map::Place;

/// Map entries are asked for this many places before they are changed.
const AHEAD: u32 = 32;

/// Physical work that collection did on one die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Units moved.
    pub(crate) units: u32,
    /// Multi-plane pages read for it.
    pub(crate) page_reads: u32,
    /// Multi-plane programs that were completed.
    pub(crate) programs: u32,
    /// Blocks erased.
    pub(crate) erased: u32,
}

impl Moved {
    /// Whether there was nothing to gain on this die.
    pub(crate) fn is_nothing(&self) -> bool {
        self.units == 0 && self.erased == 0
    }
}

impl Ftl {
    /// Moves up to `budget` units out of the die's victim, which is chosen where there is none, and erases
    /// it once it is empty. At most one block is erased.
    pub(crate) fn collect(&mut self, die: u32, source: Source, budget: u32) -> Moved {
        let mut work = Moved::default();
        let Some(mut victim) = self.take_victim(die, source) else {
            return work;
        };
        while work.units < budget {
            let limit = budget - work.units;
            if self.move_some(die, &mut victim, limit, &mut work) {
                self.free(die, victim.block, source == Source::Slc);
                work.erased = 1;
                return work;
            }
        }
        *self.victim_slot(die, source) = Some(victim);
        work
    }

    /// Of the die's current victim, chosen where there is none: current units when chosen, and the units
    /// that erasing it gains. `None` where nothing can be gained.
    pub(crate) fn victim_yield(&mut self, die: u32, source: Source) -> Option<(u32, u32)> {
        let victim = self.take_victim(die, source)?;
        *self.victim_slot(die, source) = Some(victim);
        let units = match source {
            Source::Greedy => self.layout.block_units,
            Source::Slc => self.layout.slc_block_units,
        };
        Some((victim.valid, units - victim.valid))
    }

    /// Blocks of the die that wait for folding, the one that is being folded included.
    pub(crate) fn has_slc_to_fold(&self, die: u32) -> bool {
        let owner = &self.dies[die as usize];
        owner.folding.is_some() || !owner.slc_closed.is_empty()
    }

    fn victim_slot(&mut self, die: u32, source: Source) -> &mut Option<Victim> {
        let owner = &mut self.dies[die as usize];
        match source {
            Source::Greedy => &mut owner.victim,
            Source::Slc => &mut owner.folding,
        }
    }

    fn take_victim(&mut self, die: u32, source: Source) -> Option<Victim> {
        if let Some(victim) = self.victim_slot(die, source).take() {
            return Some(victim);
        }
        // What is pending may lie in a block that was just filled, and lowers the counts of others.
        self.settle();
        let (block, units) = match source {
            Source::Greedy => {
                let units = self.layout.block_units;
                (self.blocks.fewest(die as usize, units)?, units)
            }
            Source::Slc => (self.dies[die as usize].slc_closed.pop_front()?, self.layout.slc_block_units),
        };
        self.blocks.withdraw(block);
        let next = block * self.layout.block_units;
        for line in 0..AHEAD.div_ceil(16) * 2 {
            self.map.prefetch_place(next + line * 16);
        }
        self.map.prefetch_validity(next);
        let valid = self.blocks.valid(block);
        Some(Victim { block, next, end: next + units, read_until: next, valid })
    }

    /// Moves up to `limit` units, or as many as fit the frontier; returns whether the victim is empty.
    fn move_some(&mut self, die: u32, victim: &mut Victim, limit: u32, work: &mut Moved) -> bool {
        let block_units = self.layout.block_units;
        if self.dies[die as usize].moved.left() == 0 {
            let opened = self.open(die, false);
            self.dies[die as usize].moved = opened.expect("collection keeps a free block in reserve");
        }
        let frontier = self.dies[die as usize].moved;
        let budget = limit.min(frontier.left());
        let (moved, is_empty) = self.move_run(victim, frontier.next, budget, work);
        self.blocks.remove(victim.block, moved);
        self.blocks.add(frontier.block, moved);
        let base = frontier.block * block_units;
        let program = self.layout.program_units;
        let next = frontier.next + moved;
        work.programs += (next - base) / program - (frontier.next - base) / program;
        work.units += moved;
        self.dies[die as usize].moved.next = next;
        if next == frontier.end {
            self.close(die, frontier);
        }
        is_empty
    }

    /// The inner loop: moves up to `budget` units to the places from `to` on.
    fn move_run(&mut self, victim: &mut Victim, to: Place, budget: u32, work: &mut Moved) -> (u32, bool) {
        if victim.next % self.layout.block_units == 0 {
            for ahead in 0..AHEAD {
                self.map.prefetch_unit_at(victim.next + ahead);
            }
        }
        let program = self.layout.program_units;
        let mut moved = 0;
        while moved < budget {
            let Some(from) = self.map.next_valid(victim.next, victim.end) else {
                return (moved, true);
            };
            self.map.prefetch_unit_at(from + AHEAD);
            if from >= victim.read_until {
                work.page_reads += 1;
                victim.read_until = from - from % program + program;
            }
            self.map.relocate(from, to + moved);
            if let Some(contents) = &mut self.contents {
                let tag = contents.load(from);
                contents.store(to + moved, tag);
            }
            moved += 1;
            victim.next = from + 1;
        }
        (moved, self.map.next_valid(victim.next, victim.end).is_none())
    }
}
