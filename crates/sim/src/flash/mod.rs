//! The flash drive: the translation layer's work, charged to the controller, the write buffer and the dies.

mod collection;
mod idle;
mod journal;
mod read;
mod write;

use crate::cache::{CoarseMap, MapCache, WriteBuffer};
use crate::controller::LinkAndCore;
use crate::ftl::{Ftl, Tag};
use crate::nand::Nand;
use crate::profile::{DriveShape, FlashParameters, Parameters, WriteCache};
use crate::span::UnitSpan;
use crate::truth::{Counts, LostBlock, SlcCache};
use idle::IdleWork;
use journal::UnitJournal;

/// How the drive decides what to do when.
#[derive(Clone, Debug)]
struct Policy {
    /// What the profile says of it.
    flash: FlashParameters,
    /// Free blocks at which a foreground burst ends.
    pool: u32,
    /// Free blocks of a die that interleaved collection keeps.
    die_pool: u32,
    /// Moves for each host unit during a burst; 0: the host waits.
    quantum: u32,
    idle_pool: u32,
    has_slc: bool,
    /// Units to fold for a program that free blocks have to be gained for, too: of b bits a cell, b / (b - 1) times as many.
    fold_units: u32,
    /// Whether a power cut loses nothing.
    is_protected: bool,
}

/// The program that host data is being gathered for.
#[derive(Clone, Copy, Debug, Default)]
struct OpenProgram {
    die: u32,
    units: u32,
    left: u32,
    slot_free_at: u64,
    is_slc: bool,
}

#[derive(Debug)]
pub(crate) struct FlashDrive {
    pub(crate) ftl: Ftl,
    nand: Nand,
    pub(crate) controller: LinkAndCore,
    buffer: WriteBuffer,
    coarse: Option<CoarseMap>,
    map_cache: Option<MapCache>,
    /// What a power cut would lose, where contents are kept and nothing protects them.
    journal: Option<Box<UnitJournal>>,
    /// The write commands that a flush has made durable.
    flushed_writes: u64,
    policy: Policy,
    open: OpenProgram,
    next_die: u32,
    next_collected: u32,
    next_emptied: u32,
    /// Whether a foreground burst is under way.
    is_collecting: bool,
    /// Moves owed to interleaved collection, a die: in units x the victim's yield.
    debts: Vec<u64>,
    /// When the last command was answered.
    quiet_from: u64,
    idle: IdleWork,
    counts: Counts,
}

impl FlashDrive {
    pub(crate) fn new(
        parameters: &Parameters,
        shape: &DriveShape,
        seed: u64,
        with_contents: bool,
    ) -> FlashDrive {
        FlashDrive {
            ftl: Ftl::new(shape, with_contents),
            nand: Nand::new(parameters, shape),
            controller: LinkAndCore::new(parameters, seed),
            buffer: WriteBuffer::new(&parameters.flash, shape),
            coarse: CoarseMap::new(&parameters.flash, shape),
            map_cache: MapCache::new(&parameters.flash),
            journal: None,
            flushed_writes: 0,
            policy: Policy::new(parameters, shape),
            open: OpenProgram::default(),
            next_die: 0,
            next_collected: 0,
            next_emptied: 0,
            is_collecting: false,
            debts: vec![0; shape.dies as usize],
            quiet_from: 0,
            idle: IdleWork::default(),
            counts: Counts::default(),
        }
    }

    /// What was done since the drive was made.
    pub(crate) fn counts(&self) -> Counts {
        let Counts { page_reads, programs, slc_programs, .. } = self.nand.counts;
        Counts { page_reads, programs, slc_programs, ..self.counts }
    }

    /// The SLC cache as it is now; none of a drive without one.
    pub(crate) fn slc_cache(&self) -> Option<SlcCache> {
        self.policy.has_slc.then(|| self.ftl.slc_cache())
    }

    /// Notes when a command is answered, for the idle time to begin there.
    fn answered(&mut self, at: u64) -> u64 {
        self.quiet_from = self.quiet_from.max(at);
        at
    }

    /// Makes everything that was taken durable; returns when it is. A flush with nothing to do still costs the core
    /// a command.
    pub(crate) fn flush(&mut self, at: u64) -> u64 {
        self.collect_while_idle(at);
        let cost = self.controller.write_cost();
        let at = self.controller.work(at, cost.command);
        let is_dirty = self.flushed_writes != self.counts.host_writes;
        self.flushed_writes = self.counts.host_writes;
        let durable_at = if self.policy.is_protected { at } else { self.drain(at) };
        self.answered(if is_dirty { durable_at + self.policy.flash.flush_time } else { durable_at })
    }

    /// Has all that was taken programmed; returns when it is.
    fn drain(&mut self, at: u64) -> u64 {
        if self.open.left > 0 {
            let padding = self.open.left;
            self.counts.flash_units += u64::from(padding);
            self.ftl.pad(self.open.die, padding);
            self.open.left = 0;
            self.issue(at.max(self.open.slot_free_at), self.open.units - padding);
        }
        self.buffer.drained_at.max(at)
    }

    /// Forgets whole units; returns when the command is done.
    pub(crate) fn discard(&mut self, at: u64, first: u32, count: u32) -> u64 {
        self.collect_while_idle(at);
        let done = self.controller.work(at, self.policy.flash.trim_time);
        if let Some(journal) = &mut self.journal {
            journal.discard(first, count);
        }
        if count > 0 && self.ftl.discard(first, count) {
            if let Some(journal) = &mut self.journal {
                **journal = UnitJournal::default();
            }
            self.open.left = 0;
            self.is_collecting = false;
            self.debts.fill(0);
            if let Some(coarse) = &mut self.coarse {
                coarse.clear();
            }
        }
        self.answered(done)
    }

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

impl Policy {
    fn new(parameters: &Parameters, shape: &DriveShape) -> Policy {
        let flash = &parameters.flash;
        let bits = u32::try_from(flash.bits_per_cell).unwrap_or(u32::MAX);
        Policy {
            pool: shape.pool_blocks,
            die_pool: (shape.pool_blocks / shape.dies).max(1),
            quantum: u32::try_from(flash.collect_quantum).unwrap_or(u32::MAX),
            idle_pool: shape.idle_pool_blocks,
            has_slc: shape.slc_blocks_per_die > 0,
            fold_units: (shape.units_per_program * bits).div_ceil(bits.max(2) - 1),
            is_protected: flash.write_cache == WriteCache::Protected,
            flash: flash.clone(),
        }
    }
}
