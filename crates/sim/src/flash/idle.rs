//! What the drive does by itself while the host asks for nothing.

use super::FlashDrive;
use super::collection::TURN_PROGRAMS;
use crate::ftl::{Moved, Source};
use crate::profile::UNIT_BYTES;

impl FlashDrive {
    /// Folds and collects in the idle time before `now`. It is worked out when the next command comes, since
    /// nobody can see it earlier.
    pub(super) fn collect_while_idle(&mut self, now: u64) {
        let after = self.policy.idle_after;
        if after == 0 || now <= self.quiet_from + after {
            return;
        }
        if self.policy.empty_rate > 0 {
            self.empty_cache(self.quiet_from + after, now);
        }
        // A drive that wakes up holds its controller until it is awake; it was free while the drive rested.
        let from = self.quiet_from + after;
        let mut core = Some(self.controller.begin(from)).filter(|free| *free < now).unwrap_or(from);
        let dies = self.ftl.layout().dies;
        let mut fruitless = 0;
        while core < now && fruitless < dies {
            let die = self.next_collected;
            let work = self.idle_work(die);
            self.next_collected = if die + 1 == dies { 0 } else { die + 1 };
            fruitless = if work.is_nothing() { fruitless + 1 } else { 0 };
            if !work.is_nothing() {
                let start = core.max(self.nand.free_at(die));
                core = self.charge(die, start, work);
            }
        }
        if self.ftl.room() >= self.policy.pool {
            self.is_collecting = false;
        }
    }

    /// Empties the SLC cache from `from` to `now` at its own rate, a block at a time, of the dies in turn.
    fn empty_cache(&mut self, from: u64, now: u64) {
        let (rate, dies) = (self.policy.empty_rate, self.ftl.layout().dies);
        let units = u128::from(now - from) * u128::from(rate) / (1_000_000_000 * u128::from(UNIT_BYTES));
        let (mut left, mut fruitless) = (u32::try_from(units).unwrap_or(u32::MAX), 0);
        while left > 0 && fruitless < dies {
            let die = self.next_emptied;
            let work = self.ftl.collect(die, Source::Slc, left);
            if work.is_nothing() || work.erased > 0 {
                self.next_emptied = if die + 1 == dies { 0 } else { die + 1 };
            }
            fruitless = if work.is_nothing() { fruitless + 1 } else { 0 };
            left -= work.units;
            self.charge(die, from, work);
        }
    }

    fn idle_work(&mut self, die: u32) -> Moved {
        let budget = TURN_PROGRAMS * self.ftl.layout().program_units;
        if self.policy.has_slc && self.policy.empty_rate == 0 && self.ftl.has_slc_to_fold(die) {
            return self.ftl.collect(die, Source::Slc, budget);
        }
        if self.ftl.room() < self.policy.idle_pool || self.ftl.has_block_to_erase(die) {
            return self.ftl.collect(die, Source::Greedy, budget);
        }
        Moved::default()
    }
}
