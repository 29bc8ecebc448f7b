//! A volatile write cache, and what a power cut takes from it.

use super::FlashDrive;
use crate::ftl::Tag;
use crate::profile::{FlashParameters, WriteCache};
use crate::span::UnitSpan;
use crate::truth::LostBlock;

impl FlashDrive {
    /// Notes from now on what a power cut would take.
    pub(crate) fn expect_power_cuts(&mut self, parameters: &FlashParameters) {
        self.journal = (parameters.write_cache == WriteCache::Volatile).then(Box::default);
    }

    /// Notes what a write that comes at `now` may lose: no power cut comes before that any more.
    pub(crate) fn note_write(&mut self, span: UnitSpan, tag: Tag, now: u64) {
        let Some(journal) = &mut self.journal else { return };
        journal.forget_durable(now);
        for unit in span.units() {
            journal.write(unit, self.ftl.load(unit), tag);
        }
    }

    /// Notes when the last write, of this many units, is answered.
    pub(crate) fn note_answer(&mut self, units: u32, at: u64) {
        if let Some(journal) = &mut self.journal {
            journal.answered(units, at);
        }
    }

    /// Power fails at `now` and is there again at once; returns what was lost. Dies and controller drop what they were doing: the
    /// rest of a program or an erase is done anew in time that nothing else needs.
    pub(crate) fn cut_power(&mut self, now: u64) -> Vec<LostBlock> {
        if self.policy.is_protected {
            // The capacitors last until all that was taken is programmed.
            self.drain(now);
        }
        if self.open.left > 0 {
            self.ftl.pad(self.open.die, self.open.left);
            self.open.left = 0;
        }
        let lost = self.journal.as_mut().map(|journal| journal.cut(now)).unwrap_or_default();
        lost.iter().for_each(|lost| self.ftl.revert(UnitSpan::from_sector(lost.at).first, lost.left));
        self.buffer.cut_power(now);
        self.nand.cut_power(now);
        self.controller.cut_power(now);
        self.quiet_from = now;
        lost
    }
}
