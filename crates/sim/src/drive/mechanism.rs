//! What stores the data of a simulated drive: flash, or the platters of a disk. Times are in nanoseconds of the
//! drive's clock; a command that comes at `at` is complete at the time that is returned.

use crate::controller::LinkAndCore;
use crate::disk::Disk;
use crate::flash::FlashDrive;
use crate::ftl::Tag;
use crate::profile::Profile;
use crate::span::UnitSpan;
use crate::truth::{Counts, LostBlock};

#[derive(Debug)]
pub(super) enum StorageMechanism {
    Flash(Box<FlashDrive>),
    Disk(Box<Disk>),
}

impl StorageMechanism {
    pub(super) fn new(profile: &Profile, seed: u64, with_contents: bool) -> StorageMechanism {
        let parameters = &profile.parameters;
        match &profile.shape {
            Some(shape) => {
                StorageMechanism::Flash(Box::new(FlashDrive::new(parameters, shape, seed, with_contents)))
            }
            None => StorageMechanism::Disk(Box::new(Disk::new(parameters, seed, with_contents))),
        }
    }

    pub(super) fn flash(&self) -> Option<&FlashDrive> {
        match self {
            StorageMechanism::Flash(flash) => Some(flash),
            StorageMechanism::Disk(_) => None,
        }
    }

    pub(super) fn flash_mut(&mut self) -> Option<&mut FlashDrive> {
        match self {
            StorageMechanism::Flash(flash) => Some(flash),
            StorageMechanism::Disk(_) => None,
        }
    }

    #[inline]
    pub(super) fn controller(&mut self) -> &mut LinkAndCore {
        match self {
            StorageMechanism::Flash(flash) => &mut flash.controller,
            StorageMechanism::Disk(disk) => &mut disk.controller,
        }
    }

    pub(super) fn counts(&self) -> Counts {
        match self {
            StorageMechanism::Flash(flash) => flash.counts(),
            StorageMechanism::Disk(disk) => disk.counts,
        }
    }

    /// Power fails at `now`, and is there again; returns what was lost.
    pub(super) fn cut_power(&mut self, now: u64) -> Vec<LostBlock> {
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
            StorageMechanism::Flash(flash) => flash.ftl.load(unit),
            StorageMechanism::Disk(disk) => disk.load(unit),
        }
    }

    #[inline]
    pub(super) fn hold_until(&mut self, until: u64) {
        match self {
            StorageMechanism::Flash(flash) => flash.controller.hold_until(until),
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
