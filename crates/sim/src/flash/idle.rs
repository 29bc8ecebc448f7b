//! What the drive does by itself while the host asks for nothing.

use super::FlashDrive;
use super::collection::TURN_PROGRAMS;
use crate::ftl::{Moved, Source};

impl FlashDrive {
    /// Folds and collects in the idle time before `now`. It is worked out when the next command comes, since
    /// nobody can see it earlier.
    pub(super) fn collect_while_idle(&mut self, now: u64) {
        let after = self.policy.idle_after;
        if after == 0 || now <= self.quiet_from + after {
            return;
        }
        let mut core = self.controller.begin(self.quiet_from + after);
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

    fn idle_work(&mut self, die: u32) -> Moved {
        let budget = TURN_PROGRAMS * self.ftl.layout().program_units;
        if self.policy.has_slc && self.ftl.has_slc_to_fold(die) {
            return self.ftl.collect(die, Source::Slc, budget);
        }
        if self.ftl.room() < self.policy.idle_pool {
            return self.ftl.collect(die, Source::Greedy, budget);
        }
        Moved::default()
    }
}
