//! When collection runs while the host is writing, and what the host waits for.

use super::FlashDrive;
use crate::ftl::{Moved, VictimSource};
use crate::profile::SlcFull;

/// Programs that a die is given at a time during a burst and in idle time: enough to keep it busy until its
/// next turn.
pub(super) const TURN_PROGRAMS: u32 = 4;

impl FlashDrive {
    /// Foreground: nothing as long as a block is free; then a burst, during which each host unit pays for
    /// its quantum of moves.
    pub(super) fn collect_in_foreground(&mut self, core: u64) -> u64 {
        let mut core = core;
        if self.ftl.room == 0 {
            self.is_collecting = true;
        }
        if !self.is_collecting {
            return core;
        }
        let quota = self.policy.quantum * self.ftl.layout.units_per_program;
        let (mut moved, mut fruitless) = (0, 0);
        while self.ftl.room < self.policy.pool {
            if self.policy.quantum > 0 && moved >= quota {
                return core;
            }
            let work;
            (core, work) = self.collect_on_next_die(core);
            moved += work.units;
            fruitless = if work.is_nothing() { fruitless + 1 } else { 0 };
            if fruitless >= self.ftl.layout.dies {
                break;
            }
        }
        self.is_collecting = false;
        core
    }

    fn collect_on_next_die(&mut self, core: u64) -> (u64, Moved) {
        self.work_on_next_die(core, |drive, die| {
            let source = drive.ftl.best_source(die);
            drive.ftl.collect(die, source, TURN_PROGRAMS * drive.ftl.layout.units_per_program)
        })
    }

    /// Has the next die do some work. The core hands the work over when the die is free, so that the dies work together and the
    /// core waits for the slowest.
    pub(super) fn work_on_next_die(
        &mut self,
        core: u64,
        work: impl FnOnce(&mut FlashDrive, u32) -> Moved,
    ) -> (u64, Moved) {
        let die = self.next_collected;
        self.next_collected = if die + 1 == self.ftl.layout.dies { 0 } else { die + 1 };
        let work = work(self, die);
        if work.is_nothing() {
            return (core, work);
        }
        let start = core.max(self.nand.free_at(die));
        (self.charge(die, start, work), work)
    }

    /// Interleaved: with each program to a die, as many moves as keep its free blocks level.
    ///
    /// A victim with v of b units current gains b - v units for v moves, so each host unit owes v / (b - v).
    pub(super) fn keep_pool(&mut self, die: u32, core: u64) -> u64 {
        let mut core = core;
        let program = self.ftl.layout.units_per_program;
        while self.ftl.room_of(die) < self.policy.die_pool {
            let source = self.ftl.best_source(die);
            let Some((valid, gained)) = self.ftl.victim_yield(die, source) else {
                return core;
            };
            let urgent = !self.ftl.has_room(die);
            let debt = &mut self.debts[die as usize];
            if !urgent && valid > 0 {
                *debt += u64::from(program * valid);
                return self.pay(die, core, source, gained);
            }
            *debt = 0;
            let work = self.ftl.collect(die, source, program);
            core = self.charge(die, core, work);
        }
        core
    }

    /// Moves whole programs' worth as far as the debt covers them.
    fn pay(&mut self, die: u32, core: u64, source: VictimSource, gained: u32) -> u64 {
        let program = self.ftl.layout.units_per_program;
        let price = u64::from(program * gained);
        let debt = &mut self.debts[die as usize];
        let programs = *debt / price;
        if programs == 0 {
            return core;
        }
        *debt -= programs * price;
        let budget = program * u32::try_from(programs).unwrap_or(u32::MAX / program);
        let work = self.ftl.collect(die, source, budget);
        // The victim may have been empty sooner: what is left is owed to the next one.
        self.debts[die as usize] += u64::from((budget - work.units) * gained);
        self.charge(die, core, work)
    }

    /// Where the SLC cache is full, folds as much as the program that follows takes of it; a drive that writes to its dense cells
    /// first does so where its free blocks are short.
    pub(super) fn fold_for_room(&mut self, die: u32, core: u64) -> u64 {
        let mut core = core;
        let program = self.ftl.layout.units_per_program;
        let is_direct_first = self.policy.flash.slc_full == SlcFull::DirectThenFold;
        // While it folds, a die keeps blocks in hand, so that no write has to wait for the rest of a block.
        let has_room = if is_direct_first && *self.ftl.folds(die) {
            self.ftl.has_blocks_in_hand(die)
        } else {
            self.ftl.may_open_slc(die) || (is_direct_first && !self.ftl.is_short(die))
        };
        if has_room || !self.ftl.has_slc_to_fold(die) {
            return core;
        }
        let mut budget = program;
        if is_direct_first {
            *self.ftl.folds(die) = true;
            budget = self.policy.fold_units;
        }
        loop {
            let work = self.ftl.collect(die, VictimSource::Slc, budget);
            core = self.charge(die, core, work);
            let is_stuck = work.is_nothing() || self.ftl.host_left(die) > 0 || self.ftl.may_open_slc(die);
            if is_stuck {
                return core;
            }
        }
    }

    /// The last resort: no die has room, so the host waits for one that has.
    pub(super) fn collect_until_room(&mut self, core: u64) -> u64 {
        let mut core = core;
        loop {
            let die = self.next_collected;
            (core, _) = self.collect_on_next_die(core);
            if self.ftl.has_room(die) && self.open_on(die) {
                return core;
            }
        }
    }

    /// Gives the work to the die at `core`, and counts it; returns when the controller has done its part.
    pub(super) fn charge(&mut self, die: u32, core: u64, work: Moved) -> u64 {
        self.nand.collect(die, core, work);
        self.counts.flash_units += u64::from(work.units);
        self.counts.moved_units += u64::from(work.units);
        self.counts.erased_blocks += u64::from(work.erased);
        core + u64::from(work.units) * self.policy.flash.move_time
    }
}
