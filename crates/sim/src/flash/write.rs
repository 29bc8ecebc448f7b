//! Host writes.

use super::{FlashDrive, OpenProgram};
use crate::ftl::{Cells, Tag};
use crate::profile::{Collection, SlcFull};
use crate::span::UnitSpan;

impl FlashDrive {
    /// Writes, for a command that comes at `at`; returns when it is answered: when all its data is in the
    /// write buffer.
    pub(crate) fn write(&mut self, at: u64, span: UnitSpan, tag: Tag) -> u64 {
        self.collect_while_idle(at);
        let (first_at, received_at) = self.controller.receive(at, span.sectors);
        let cost = self.controller.write_cost();
        let mut core = self.controller.begin(first_at) + cost.command;
        if let Some(coarse) = &mut self.coarse {
            core += coarse.write(span.first, span.count);
        }
        let merged_at = self.read_partial_units(core, span);
        let mut taken_at = merged_at;
        let (mut unit, mut left) = (span.first, span.count);
        while left > 0 {
            if self.open.left == 0 {
                core = self.begin_program(core);
            }
            let count = left.min(self.open.left);
            core += cost.unit * u64::from(count);
            self.ftl.append(self.open.die, unit, count, tag);
            taken_at = core.max(self.open.slot_free_at).max(merged_at);
            self.open.left -= count;
            if self.open.left == 0 {
                self.issue(taken_at, self.open.units);
            }
            unit += count;
            left -= count;
        }
        self.controller.core_free_at = core;
        self.counts.host_writes += 1;
        self.counts.host_bytes += u64::from(span.sectors) * 512;
        self.counts.flash_units += u64::from(span.count);
        self.answered(taken_at.max(received_at))
    }

    /// A write that covers a unit in part needs the rest of it first; returns when that was read.
    #[inline]
    fn read_partial_units(&mut self, at: u64, span: UnitSpan) -> u64 {
        let mut ready = at;
        if span.head_is_partial {
            ready = ready.max(self.read_units(at, span.first, 1));
        }
        if span.tail_is_partial && (span.count > 1 || !span.head_is_partial) {
            ready = ready.max(self.read_units(at, span.first + span.count - 1, 1));
        }
        ready
    }

    /// Sends the gathered program, complete at `at`, to its die; `filled` of its units are the host's.
    pub(super) fn issue(&mut self, at: u64, filled: u32) {
        let OpenProgram { die, units, is_slc, .. } = self.open;
        let page = self.ftl.last_host_page(die);
        let done = self.nand.program(die, at, units, page, is_slc);
        self.buffer.release(done);
        if let Some(journal) = &mut self.journal {
            journal.programmed(filled, done);
        }
    }

    /// Finds a die with room for the next program, collecting as the policy has it. `core` is the time on
    /// the controller; returns it as it is then.
    fn begin_program(&mut self, core: u64) -> u64 {
        let mut core = core;
        if self.policy.flash.collection == Collection::Foreground {
            core = self.collect_in_foreground(core);
        }
        let dies = self.ftl.layout.dies;
        for _ in 0..dies {
            let die = self.next_die;
            self.next_die = if die + 1 == dies { 0 } else { die + 1 };
            if self.policy.has_slc && self.policy.flash.slc_full != SlcFull::Direct {
                core = self.fold_for_room(die, core);
            }
            if self.policy.flash.collection == Collection::Interleaved {
                core = self.keep_pool(die, core);
            }
            if self.open_on(die) {
                return core;
            }
        }
        self.collect_until_room(core)
    }

    /// Opens a program on the die, where it has room.
    pub(super) fn open_on(&mut self, die: u32) -> bool {
        let wanted = if self.policy.has_slc { Cells::Slc } else { Cells::Dense };
        let Some(cells) = self.ftl.open_program(die, wanted) else {
            return false;
        };
        let units = self.ftl.layout.units_per_program;
        let slot_free_at = self.buffer.next_free_at();
        self.open = OpenProgram { die, units, left: units, slot_free_at, is_slc: cells == Cells::Slc };
        true
    }
}
