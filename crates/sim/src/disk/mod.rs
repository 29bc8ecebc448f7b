//! A mechanical disk: one arm, one spindle, zoned tracks, and a buffer through which sequences stream.

use drivelab_block::SECTOR_BYTES;

use crate::controller::LinkAndCore;
use crate::ftl::Tag;
use crate::profile::{DiskParameters, Parameters, UNIT_BYTES};
use crate::span::UnitSpan;
use crate::truth::Counts;

const SECOND: u64 = 1_000_000_000;

/// A disk. Commands are served in the order in which they come.
#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) controller: LinkAndCore,
    parameters: DiskParameters,
    sectors: u64,
    /// Nanoseconds a turn.
    turn: u64,
    /// Sectors.
    read_ahead: u64,
    /// The sector behind the last one transferred, and when it was under the head.
    position: u64,
    free_at: u64,
    pub(crate) counts: Counts,
    /// The number of the write that each mapping unit holds, 0 for none; empty where contents are not kept.
    contents: Vec<Tag>,
}

impl Disk {
    pub(crate) fn new(parameters: &Parameters, seed: u64, with_contents: bool) -> Disk {
        let disk = parameters.disk.clone();
        let units = if with_contents { parameters.size / UNIT_BYTES } else { 0 };
        Disk {
            controller: LinkAndCore::new(parameters, seed),
            sectors: parameters.size / SECTOR_BYTES,
            turn: 60 * SECOND / disk.rpm,
            read_ahead: disk.read_ahead / SECTOR_BYTES,
            parameters: disk,
            position: 0,
            free_at: 0,
            counts: Counts::default(),
            // Zeroed memory that nothing was written to takes none.
            contents: vec![0; usize::try_from(units).unwrap_or(0)],
        }
    }

    /// Neither controller nor mechanism begins anything before `until`.
    pub(crate) fn hold_until(&mut self, until: u64) {
        self.controller.hold_until(until);
        self.free_at = self.free_at.max(until);
    }

    pub(crate) fn read(&mut self, at: u64, start: u64, span: UnitSpan) -> u64 {
        let cost = self.controller.read_cost();
        let core = self.controller.work(at, cost.command);
        self.counts.host_reads += 1;
        self.counts.host_read_bytes += u64::from(span.sectors) * SECTOR_BYTES;
        let done = self.transfer(core, start, u64::from(span.sectors));
        self.controller.send(core, done, span.sectors).max(done)
    }

    /// The tag of a unit's contents; `None` where it holds nothing, or contents are not kept.
    pub(crate) fn load(&self, unit: u32) -> Option<Tag> {
        self.contents.get(unit as usize).copied().filter(|tag| *tag > 0)
    }

    pub(crate) fn write(&mut self, at: u64, start: u64, span: UnitSpan, tag: Tag) -> u64 {
        let units = span.first as usize..(span.first + span.count) as usize;
        if let Some(covered) = self.contents.get_mut(units) {
            covered.fill(tag);
        }
        let (_, received) = self.controller.receive(at, span.sectors);
        let cost = self.controller.write_cost();
        let core = self.controller.work(received, cost.command);
        self.counts.host_writes += 1;
        self.counts.host_bytes += u64::from(span.sectors) * SECTOR_BYTES;
        self.transfer(core, start, u64::from(span.sectors))
    }

    /// Power fails at `now`. What was taken is on the platters, or on its way there.
    pub(crate) fn cut_power(&mut self, now: u64) {
        self.controller.cut_power(now);
        self.free_at = self.free_at.min(now);
    }

    pub(crate) fn flush(&mut self, at: u64) -> u64 {
        let cost = self.controller.write_cost();
        let core = self.controller.work(at, cost.command);
        core.max(self.free_at)
    }

    /// Moves the arm, waits for the sector, and transfers; returns when the last sector has passed.
    ///
    /// A request that begins where the last one ended, or a little behind, is already in the track buffer or
    /// on its way there: the disk streams on at the track rate.
    fn transfer(&mut self, at: u64, start: u64, length: u64) -> u64 {
        let pace = self.sector_time(start);
        let skipped = start.wrapping_sub(self.position);
        let done = if skipped <= self.read_ahead {
            let streamed = self.free_at + (skipped + length) * pace;
            // The buffer holds what passed under the head since the last request, but no more than its size.
            streamed.max(at.saturating_sub(self.read_ahead * pace))
        } else {
            self.counts.seeks += 1;
            let arrived = self.free_at.max(at) + self.seek_time(start);
            arrived + self.rotation(arrived, start, pace) + length * pace
        };
        self.position = start + length;
        self.free_at = done;
        done.max(at)
    }

    /// Nanoseconds a sector at this address: the track rate falls from the outer zone to the inner one in
    /// proportion to the address.
    fn sector_time(&self, sector: u64) -> u64 {
        let DiskParameters { outer_rate, inner_rate, .. } = self.parameters;
        let fall = u128::from(outer_rate - inner_rate) * u128::from(sector) / u128::from(self.sectors.max(1));
        let rate = outer_rate - u64::try_from(fall).unwrap_or(0);
        SECTOR_BYTES * SECOND / rate.max(1)
    }

    /// Seek from the last position: the time grows with the square root of the distance (Ruemmler and
    /// Wilkes, 1994, for all but the longest seeks).
    fn seek_time(&self, to: u64) -> u64 {
        let distance = u128::from(to.abs_diff(self.position));
        let share = ((distance << 40) / u128::from(self.sectors.max(1))).isqrt();
        let range = u128::from(self.parameters.seek_full - self.parameters.seek_track);
        self.parameters.seek_track + u64::try_from((range * share) >> 20).unwrap_or(0)
    }

    /// The wait until the sector comes under the head, which is at the angle that the time gives it.
    fn rotation(&self, at: u64, sector: u64, pace: u64) -> u64 {
        let track = (self.turn / pace.max(1)).max(1);
        let angle = sector % track * self.turn / track;
        (angle + self.turn - at % self.turn) % self.turn
    }
}
