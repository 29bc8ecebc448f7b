//! Time in the flash: dies that do one thing at a time, and channels that carry one page at a time.
//!
//! There is no queue of events. Each die and channel has the time at which it is next free, and an operation
//! moves that time on. A channel counts the work that was given to it in the order of the calls, not where
//! each transfer falls on its die's own line of time: a transfer for a die that is busy far into the future
//! must not hold up the others that share the channel.

use crate::ftl::Moved;
use crate::profile::{DriveShape, FlashParameters, Parameters, QueuedReads, UNIT_BYTES};
use crate::truth::Counts;

#[derive(Clone, Copy, Debug, Default)]
struct DieBusy {
    free_at: u64,
    /// When all that was asked of it but reads is done.
    written_at: u64,
    /// The page that host data was last programmed to, and when that is done: until then, reads of it are
    /// served from the write buffer.
    last_page: u32,
    last_done: u64,
}

/// All dies and channels.
#[derive(Debug)]
pub(crate) struct Nand {
    /// What the profile says: what an operation takes, in nanoseconds, for one.
    flash: FlashParameters,
    /// What one mapping unit takes over a channel, in nanoseconds.
    transfer: u64,
    dies: Vec<DieBusy>,
    channels: Vec<u64>,
    /// What the dies did since the drive was made: pages read, programs.
    pub(crate) counts: Counts,
}

impl Nand {
    pub(crate) fn new(parameters: &Parameters, shape: &DriveShape) -> Nand {
        let idle = DieBusy { last_page: u32::MAX, ..DieBusy::default() };
        Nand {
            transfer: UNIT_BYTES * 1_000_000_000 / parameters.flash.bus,
            flash: parameters.flash.clone(),
            dies: vec![idle; shape.dies as usize],
            channels: vec![0; shape.channels as usize],
            counts: Counts::default(),
        }
    }

    /// When the die has done all that it was given.
    #[inline]
    pub(crate) fn free_at(&self, die: u32) -> u64 {
        self.dies[die as usize].free_at
    }

    /// Programs one multi-plane page of host data, ready at `at`; returns when it is done.
    #[inline]
    pub(crate) fn program(&mut self, die: u32, at: u64, units: u32, page: u32, is_slc: bool) -> u64 {
        let arrived = self.carry(die, at, units);
        let (time, count) = if is_slc {
            (self.flash.slc_program, &mut self.counts.slc_programs)
        } else {
            (self.flash.program, &mut self.counts.programs)
        };
        *count += 1;
        let die = &mut self.dies[die as usize];
        die.free_at = die.free_at.max(arrived) + time;
        die.written_at = die.free_at;
        die.last_page = page;
        die.last_done = die.free_at;
        die.free_at
    }

    /// Does the work of collection from `at` on: reads, transfers out and in, programs, erases.
    #[inline]
    pub(crate) fn collect(&mut self, die: u32, at: u64, work: Moved) -> u64 {
        let carried = if work.units > 0 { self.carry(die, at, 2 * work.units) } else { at };
        self.counts.page_reads += u64::from(work.page_reads);
        self.counts.programs += u64::from(work.programs);
        let die = &mut self.dies[die as usize];
        let read = die.free_at.max(at) + u64::from(work.page_reads) * self.flash.read;
        let programmed = read.max(carried) + u64::from(work.programs) * self.flash.program;
        die.free_at = programmed + u64::from(work.erased) * self.flash.erase;
        die.written_at = die.free_at;
        die.free_at
    }

    /// How long a read waits for its die.
    #[inline]
    fn wait(&self, die: DieBusy, at: u64) -> u64 {
        let backlog = die.free_at.saturating_sub(at);
        let is_of_reads = self.flash.queued_reads == QueuedReads::Wait && die.written_at <= at;
        if backlog > self.flash.program && !is_of_reads { backlog % self.flash.program } else { backlog }
    }

    /// Reads `units` of one page for the host, who asks at `at`; returns when they are in the controller.
    ///
    /// Reads go before programs that wait, but not before the one under way: they wait for what is left of it.
    pub(crate) fn read(&mut self, die: u32, at: u64, units: u32, page: u32) -> u64 {
        let state = self.dies[die as usize];
        if state.last_page == page && at < state.last_done {
            return at;
        }
        self.counts.page_reads += 1;
        let arrived = self.carry(die, at, units);
        let wait = self.wait(state, at);
        self.dies[die as usize].free_at = state.free_at.max(at) + self.flash.read;
        (at + wait + self.flash.read + u64::from(units) * self.transfer).max(arrived)
    }

    /// Reads a page of the map from the die, which takes `time`, for a command that needs it at `at`; returns when it is
    /// there. It waits like any other read.
    pub(crate) fn read_map(&mut self, die: u32, at: u64, time: u64) -> u64 {
        let state = self.dies[die as usize];
        let wait = self.wait(state, at);
        self.dies[die as usize].free_at = state.free_at.max(at) + time;
        self.counts.page_reads += 1;
        at + wait + time
    }

    /// Power fails at `now`: nothing is under way any more.
    pub(crate) fn cut_power(&mut self, now: u64) {
        for die in &mut self.dies {
            die.free_at = die.free_at.min(now);
            die.written_at = die.written_at.min(now);
            die.last_done = die.last_done.min(now);
        }
        self.channels.iter_mut().for_each(|channel| *channel = (*channel).min(now));
    }

    /// Gives a channel work; returns when it has done it.
    #[inline]
    fn carry(&mut self, die: u32, at: u64, units: u32) -> u64 {
        let count = self.channels.len();
        let channel = &mut self.channels[die as usize % count];
        *channel = (*channel).max(at) + u64::from(units) * self.transfer;
        *channel
    }
}
