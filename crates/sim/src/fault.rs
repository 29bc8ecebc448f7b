//! Lies: writes that are answered well and are not, or not rightly, on the drive afterwards.
//!
//! Timing is that of an honest drive. What a lie changes is kept beside the true contents and shown instead of
//! them, until something is written there again.

use std::collections::BTreeMap;

use crate::ftl::Tag;
use crate::profile::FaultParameters;
use crate::random::{Generator, Part};
use crate::span::{UnitSpan, first_sector};
use crate::truth::{FaultKind, InjectedFault};

/// What one mapping unit shows to a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stored {
    /// It was never written, or was discarded.
    #[default]
    Nothing,
    /// What the write command with this number put here, counted from 1.
    Write(Tag),
    /// The same with a bit changed.
    Flipped(Tag),
}

/// The lies of one drive.
#[derive(Debug)]
pub(crate) struct Faults {
    generator: Generator,
    /// For each of [`FaultKind::ALL`]: how many writes on average lie between two, and the number of the write that meets the
    /// next.
    schedule: [(u64, u64); FaultKind::ALL.len()],
    /// What units show instead of their contents.
    shown: BTreeMap<u32, Stored>,
    /// Every lie so far, oldest first.
    pub(crate) happened: Vec<InjectedFault>,
    units: u32,
}

impl Faults {
    pub(crate) fn new(parameters: &FaultParameters, units: u32, seed: u64) -> Faults {
        let mut generator = Generator::of_part(seed, Part::Faults);
        let FaultParameters { drop, revert, tear, misdirect, flip, .. } = *parameters;
        let schedule =
            [drop, revert, tear, misdirect, flip].map(|every| (every, next(&mut generator, 0, every)));
        Faults { generator, schedule, shown: BTreeMap::new(), happened: Vec::new(), units }
    }

    /// Whether a drive made like this lies at all.
    pub(crate) fn is_honest(&self) -> bool {
        self.schedule.iter().all(|(every, _)| *every == 0)
    }

    /// What a unit shows, whose true contents are `stored`.
    pub(crate) fn seen(&self, unit: u32, stored: Stored) -> Stored {
        self.shown.get(&unit).copied().unwrap_or(stored)
    }

    /// The kind of lie that this write is answered with, if it is: the first of several that are due.
    pub(crate) fn due(&mut self, number: Tag) -> Option<FaultKind> {
        let mut due = None;
        for (kind, (every, at)) in FaultKind::ALL.into_iter().zip(&mut self.schedule) {
            if *every > 0 && *at <= number {
                *at = next(&mut self.generator, number, *every);
                due = due.or(Some(kind));
            }
        }
        due
    }

    /// A write or a discard makes what it covers honest.
    pub(crate) fn renew(&mut self, span: UnitSpan) {
        let covered: Vec<u32> = self.shown.range(span.units()).map(|(unit, _)| *unit).collect();
        for unit in covered {
            self.shown.remove(&unit);
        }
    }

    /// Makes a write a lie. `before` is what its units showed until then, in order.
    pub(crate) fn tell(&mut self, kind: FaultKind, number: Tag, span: UnitSpan, before: &[Stored]) {
        let count = span.count;
        let (mut from, mut landed) = (0, None);
        match kind {
            FaultKind::Reverted if before.contains(&Stored::Nothing) => return,
            FaultKind::Dropped | FaultKind::Reverted => self.show(span.first, before),
            FaultKind::Torn if count == 1 => return,
            FaultKind::Torn => {
                from = 1 + self.below(count - 1);
                self.show(span.first + from, &before[from as usize..]);
            }
            FaultKind::Misdirected => {
                let Some(target) = self.elsewhere(span) else { return };
                self.show(span.first, before);
                self.show(target, &vec![Stored::Write(number); count as usize]);
                landed = Some(first_sector(target));
            }
            FaultKind::Flipped => {
                from = self.below(count);
                self.show(span.first + from, &[Stored::Flipped(number)]);
            }
        }
        let at = first_sector(span.first + from);
        self.happened.push(InjectedFault { kind, host_write: number, at, landed });
    }

    fn show(&mut self, first: u32, contents: &[Stored]) {
        self.shown.extend((first..).zip(contents.iter().copied()));
    }

    /// A place as long as the write and clear of it, at a whole number of its lengths from the start of the drive.
    fn elsewhere(&mut self, span: UnitSpan) -> Option<u32> {
        let places = self.units / span.count;
        let own = span.first / span.count;
        let place = self.below(places.checked_sub(2).filter(|left| *left > 0)?);
        // The write may lie across two places.
        Some(span.count * if place >= own { place + 2 } else { place })
    }

    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.generator.below(u64::from(bound))).unwrap_or(0)
    }
}

/// The number of the write that meets the next lie: 1 to 2 x `every` - 1 after the one before, each as likely.
fn next(generator: &mut Generator, after: u64, every: u64) -> u64 {
    if every == 0 { u64::MAX } else { after + 1 + generator.below(2 * every - 1) }
}
