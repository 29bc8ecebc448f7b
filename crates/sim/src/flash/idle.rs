//! What the drive does by itself while the host asks for nothing.

use super::FlashDrive;
use super::collection::TURN_PROGRAMS;
use crate::ftl::{Moved, VictimSource};
use crate::profile::UNIT_BYTES;

/// How far the work of an idle time has got.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IdleWork {
    /// When it began.
    from: u64,
    /// When the controller is free for more of it.
    core: u64,
    /// Units by which the SLC cache was emptied at its own rate.
    emptied: u32,
}

impl FlashDrive {
    /// Folds and collects in the idle time before `now`, as far as that was not done at an earlier call in the same idle time.
    /// A drive whose energy or temperature is read meanwhile does it in steps; else it is worked out when the next command
    /// comes.
    pub(crate) fn collect_while_idle(&mut self, now: u64) {
        let after = self.policy.flash.idle_collect_after;
        let from = self.quiet_from + after;
        if after == 0 || now <= from {
            return;
        }
        if self.idle.from != from {
            // A drive that wakes up holds its controller until it is awake; it was free while the drive rested.
            let core = Some(self.controller.begin(from)).filter(|free| *free < now).unwrap_or(from);
            self.idle = IdleWork { from, core, emptied: 0 };
        }
        if self.policy.flash.slc_empty_rate > 0 {
            self.empty_cache(now);
        }
        let dies = self.ftl.layout.dies;
        let mut fruitless = 0;
        while self.idle.core < now && fruitless < dies {
            let work;
            (self.idle.core, work) = self.work_on_next_die(self.idle.core, FlashDrive::idle_work);
            fruitless = if work.is_nothing() { fruitless + 1 } else { 0 };
        }
        if self.ftl.room >= self.policy.pool {
            self.is_collecting = false;
        }
    }

    /// Empties the SLC cache until `now` at its own rate, a block at a time, of the dies in turn.
    fn empty_cache(&mut self, now: u64) {
        let (rate, dies, from) = (self.policy.flash.slc_empty_rate, self.ftl.layout.dies, self.idle.from);
        let units = u128::from(now - from) * u128::from(rate) / (1_000_000_000 * u128::from(UNIT_BYTES));
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let mut fruitless = 0;
        while self.idle.emptied < units && fruitless < dies {
            let die = self.next_emptied;
            let work = self.ftl.collect(die, VictimSource::Slc, units - self.idle.emptied);
            if work.is_nothing() || work.erased > 0 {
                self.next_emptied = if die + 1 == dies { 0 } else { die + 1 };
            }
            fruitless = if work.is_nothing() { fruitless + 1 } else { 0 };
            self.idle.emptied += work.units;
            self.charge(die, from, work);
        }
    }

    fn idle_work(&mut self, die: u32) -> Moved {
        let budget = TURN_PROGRAMS * self.ftl.layout.units_per_program;
        if self.policy.has_slc && self.policy.flash.slc_empty_rate == 0 && self.ftl.has_slc_to_fold(die) {
            return self.ftl.collect(die, VictimSource::Slc, budget);
        }
        if self.ftl.room < self.policy.idle_pool || self.ftl.has_block_to_erase(die) {
            return self.ftl.collect(die, VictimSource::Greedy, budget);
        }
        Moved::default()
    }
}
