//! What a volatile write cache would lose: writes that are taken and not yet programmed, and what was there before them.

use std::collections::{BTreeMap, VecDeque};

use super::Tag;
use crate::span::first_sector;
use crate::truth::LostBlock;

/// The time of a program that did not begin.
const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct UnitChange {
    unit: u32,
    before: Option<Tag>,
    /// What is there from then on; `None` after a discard.
    after: Option<Tag>,
    answered_at: u64,
    /// When it survives a power cut.
    durable_at: u64,
}

/// Changes that may not be durable yet, in the order of the commands.
#[derive(Debug, Default)]
pub(crate) struct UnitJournal {
    entries: VecDeque<UnitChange>,
    /// Of the entries, how many at the end wait for their program to be complete.
    waiting: usize,
}

impl UnitJournal {
    /// Forgets what is durable at `now`: no power cut comes before that any more.
    pub(crate) fn forget_durable(&mut self, now: u64) {
        while self.entries.front().is_some_and(|entry| entry.durable_at.max(entry.answered_at) <= now) {
            self.entries.pop_front();
        }
    }

    pub(crate) fn write(&mut self, unit: u32, before: Option<Tag>, write: Tag) {
        let entry = UnitChange { unit, before, after: Some(write), answered_at: NEVER, durable_at: NEVER };
        self.entries.push_back(entry);
        self.waiting += 1;
    }

    /// The last `units` that were written are answered at `at`.
    pub(crate) fn answered(&mut self, units: u32, at: u64) {
        self.entries.iter_mut().rev().take(units as usize).for_each(|entry| entry.answered_at = at);
    }

    /// The oldest units that waited for it are in a program that is done at `done`.
    pub(crate) fn programmed(&mut self, units: u32, done: u64) {
        let first = self.entries.len() - self.waiting;
        let units = self.waiting.min(units as usize);
        self.entries.range_mut(first..first + units).for_each(|entry| entry.durable_at = done);
        self.waiting -= units;
    }

    /// Units are discarded, which is durable at once: what was written to them before can no longer be lost.
    pub(crate) fn discard(&mut self, first: u32, count: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.unit.wrapping_sub(first) < count) {
            (entry.before, entry.after) = (None, None);
        }
    }

    /// Takes all entries out; returns the units whose last contents are lost by a power cut at `now`, in the order of their
    /// addresses.
    pub(crate) fn cut(&mut self, now: u64) -> Vec<LostBlock> {
        self.waiting = 0;
        let mut units: BTreeMap<u32, (UnitChange, Option<Tag>)> = BTreeMap::new();
        for entry in self.entries.drain(..) {
            let (last, left) = units.entry(entry.unit).or_insert((entry, entry.before));
            *last = entry;
            if entry.durable_at <= now {
                *left = entry.after;
            }
        }
        let lost = units.into_iter().filter_map(|(unit, (last, left))| {
            let write = last.after.filter(|_| left != last.after)?;
            Some(LostBlock { at: first_sector(unit), write, left, was_answered: last.answered_at <= now })
        });
        lost.collect()
    }
}
