//! What stores the data of a simulated drive: flash, or the platters of a disk. Times are in nanoseconds of the
//! drive's clock; a command that comes at `at` is complete at the time that is returned.

use crate::disk::Disk;
use crate::flash::{FlashDrive, LostUnit};
use crate::ftl::{SlcUnits, Tag, Wear};
use crate::profile::{FlashParameters, Profile};
use crate::span::UnitSpan;
use crate::truth::Counts;

#[derive(Debug)]
pub(super) enum StorageMechanism {
    Flash(Box<FlashDrive>),
    Disk(Box<Disk>),
}

impl StorageMechanism {
    pub(super) fn new(profile: &Profile, seed: u64, with_contents: bool) -> StorageMechanism {
        let parameters = profile.parameters();
        match profile.shape() {
            Some(shape) => {
                StorageMechanism::Flash(Box::new(FlashDrive::new(parameters, shape, seed, with_contents)))
            }
            None => StorageMechanism::Disk(Box::new(Disk::new(parameters, seed, with_contents))),
        }
    }

    pub(super) fn mapped_units(&mut self) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.mapped_units(),
            StorageMechanism::Disk(_) => 0,
        }
    }

    pub(super) fn counts(&self) -> Counts {
        match self {
            StorageMechanism::Flash(flash) => flash.counts(),
            StorageMechanism::Disk(disk) => disk.counts(),
        }
    }

    /// How often the blocks of the flash were erased; none of a disk.
    pub(super) fn wear(&self) -> Option<Wear> {
        match self {
            StorageMechanism::Flash(flash) => Some(flash.wear()),
            StorageMechanism::Disk(_) => None,
        }
    }

    /// The SLC cache as it is now; none of a drive without one.
    pub(super) fn slc_units(&self) -> Option<SlcUnits> {
        match self {
            StorageMechanism::Flash(flash) => flash.slc_units(),
            StorageMechanism::Disk(_) => None,
        }
    }

    /// Does until `now` what the drive does by itself while nothing is asked of it.
    pub(super) fn work_while_idle(&mut self, now: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.collect_while_idle(now),
            StorageMechanism::Disk(_) => {}
        }
    }

    /// Slows link and controller by this many millionths.
    pub(super) fn slow_by(&mut self, share: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.slow_by(share),
            StorageMechanism::Disk(disk) => disk.slow_by(share),
        }
    }

    /// Notes from now on what a power cut would take.
    pub(super) fn expect_power_cuts(&mut self, parameters: &FlashParameters) {
        match self {
            StorageMechanism::Flash(flash) => flash.expect_power_cuts(parameters),
            StorageMechanism::Disk(_) => {}
        }
    }

    /// No power cut comes before `now` any more.
    pub(super) fn forget_durable(&mut self, now: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.forget_durable(now),
            StorageMechanism::Disk(_) => {}
        }
    }

    /// Notes what a write that comes now may lose.
    pub(super) fn note_write(&mut self, span: UnitSpan, tag: Tag) {
        match self {
            StorageMechanism::Flash(flash) => flash.note_write(span, tag),
            StorageMechanism::Disk(_) => {}
        }
    }

    /// Notes when the last write, of this many units, is answered.
    pub(super) fn note_answer(&mut self, units: u32, at: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.note_answer(units, at),
            StorageMechanism::Disk(_) => {}
        }
    }

    /// Power fails at `now`, and is there again; returns what was lost.
    pub(super) fn cut_power(&mut self, now: u64) -> Vec<LostUnit> {
        match self {
            StorageMechanism::Flash(flash) => flash.cut_power(now),
            StorageMechanism::Disk(disk) => {
                disk.cut_power(now);
                Vec::new()
            }
        }
    }

    /// The tag of a mapping unit's contents.
    pub(super) fn load(&mut self, unit: u32) -> Option<Tag> {
        match self {
            StorageMechanism::Flash(flash) => flash.load(unit),
            StorageMechanism::Disk(disk) => disk.load(unit),
        }
    }

    /// The first invariant that does not hold, in words.
    pub(super) fn check(&mut self) -> Result<(), String> {
        match self {
            StorageMechanism::Flash(flash) => flash.check(),
            StorageMechanism::Disk(_) => Ok(()),
        }
    }

    /// When the controller can begin with a command that comes at `at`.
    #[inline]
    pub(super) fn free_at(&self, at: u64) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.free_at(at),
            StorageMechanism::Disk(disk) => disk.free_at(at),
        }
    }

    /// Begins no command before `until`.
    #[inline]
    pub(super) fn hold_until(&mut self, until: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.hold_until(until),
            StorageMechanism::Disk(disk) => disk.hold_until(until),
        }
    }

    /// Writes from a sector on, which are these mapping units.
    #[inline]
    pub(super) fn write(&mut self, at: u64, sector: u64, span: UnitSpan, tag: Tag) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.write(at, span, tag),
            StorageMechanism::Disk(disk) => disk.write(at, sector, span, tag),
        }
    }

    /// Reads from a sector on, which are these mapping units.
    #[inline]
    pub(super) fn read(&mut self, at: u64, sector: u64, span: UnitSpan) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.read(at, span),
            StorageMechanism::Disk(disk) => disk.read(at, sector, span),
        }
    }

    #[inline]
    pub(super) fn flush(&mut self, at: u64) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.flush(at),
            StorageMechanism::Disk(disk) => disk.flush(at),
        }
    }

    /// Discards whole mapping units. A disk has no such command.
    #[inline]
    pub(super) fn discard(&mut self, at: u64, first: u32, count: u32) -> u64 {
        match self {
            StorageMechanism::Flash(flash) => flash.discard(at, first, count),
            StorageMechanism::Disk(disk) => disk.flush(at),
        }
    }
}
