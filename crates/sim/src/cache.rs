//! What stands between the host and the dense cells: a write buffer, and a map that is split or partly in memory.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a drive has fewer than 2^32 units, places and blocks: checked when its profile is made"
)]

use crate::profile::{DriveShape, FlashParameters, MAP_PAGE_BYTES, UNIT_BYTES};

/// Mapping units that a page of the map stands for.
const SEGMENT_UNITS: u32 = (MAP_PAGE_BYTES / UNIT_BYTES) as u32;

/// The write buffer: memory for host data that was taken but is not yet programmed. It is a ring of release times: the data
/// of one multi-plane page takes the slot that was released longest ago.
#[derive(Debug)]
pub(crate) struct WriteBuffer {
    released_at: Vec<u64>,
    next: usize,
    /// When all that was taken so far is programmed.
    pub(crate) drained_at: u64,
}

impl WriteBuffer {
    pub(crate) fn new(flash: &FlashParameters, shape: &DriveShape) -> WriteBuffer {
        let page = u64::from(shape.units_per_program) * UNIT_BYTES;
        let slots = if flash.write_buffer == 0 {
            2 * u64::from(shape.dies)
        } else {
            (flash.write_buffer / page).max(2)
        };
        WriteBuffer { released_at: vec![0; slots as usize], next: 0, drained_at: 0 }
    }

    /// When the slot for the next page is there to be filled.
    #[inline]
    pub(crate) fn next_free_at(&self) -> u64 {
        self.released_at[self.next]
    }

    /// The slot's page will be programmed at `done`, and the slot released.
    #[inline]
    pub(crate) fn release(&mut self, done: u64) {
        self.released_at[self.next] = done;
        self.next = if self.next + 1 == self.released_at.len() { 0 } else { self.next + 1 };
        self.drained_at = self.drained_at.max(done);
    }

    /// Power fails at `now`: the buffer is empty.
    pub(crate) fn cut_power(&mut self, now: u64) {
        self.released_at.iter_mut().for_each(|released| *released = (*released).min(now));
        self.drained_at = self.drained_at.min(now);
    }
}

/// Which segments have one coarse entry, of a map of mixed grain: a segment written from end to end needs one entry; the first
/// small write into it makes the controller split the entry, which takes time.
///
/// Random writes after a sequential fill then start slowly and recover as fewer segments are left to split: a curve that rises.
#[derive(Debug)]
pub(crate) struct CoarseMap {
    is_coarse: Vec<bool>,
    segment_units: u32,
    split_time: u64,
    /// The current run of sequential writes.
    run_start: u32,
    run_end: u32,
}

impl CoarseMap {
    /// `None` where splitting costs nothing.
    pub(crate) fn new(flash: &FlashParameters, shape: &DriveShape) -> Option<CoarseMap> {
        let segment_units = (flash.map_segment / UNIT_BYTES) as u32;
        let segments = shape.user_units.div_ceil(segment_units) as usize;
        (flash.split_time > 0).then(|| CoarseMap {
            is_coarse: vec![false; segments],
            segment_units,
            split_time: flash.split_time,
            run_start: 0,
            run_end: 0,
        })
    }

    /// Notes a write of whole units; returns the time that splitting takes.
    pub(crate) fn write(&mut self, first: u32, count: u32) -> u64 {
        let end = first + count;
        let segment = |unit: u32| (unit / self.segment_units) as usize;
        if first == self.run_end && first != self.run_start {
            // Entries are merged for segments that this request completes and the run covers.
            let from = self.run_start.div_ceil(self.segment_units).max(first / self.segment_units) as usize;
            for entry in from..segment(end) {
                self.is_coarse[entry] = true;
            }
            self.run_end = end;
            return 0;
        }
        (self.run_start, self.run_end) = (first, end);
        let touched = &mut self.is_coarse[segment(first)..=segment(end - 1)];
        let split = touched.iter_mut().map(|entry| u64::from(std::mem::take(entry))).sum::<u64>();
        split * self.split_time
    }

    /// Forgets everything, as a discard of the whole drive does.
    pub(crate) fn clear(&mut self) {
        self.is_coarse.fill(false);
    }
}

/// The part of the map that the controller has in memory: a read outside it has to read a page of the map first.
///
/// Each segment of user data has one place in the cache, by its number modulo the places, and takes it from the one before.
/// Of uniform random reads over a contiguous working set of W bytes, a cache of C bytes then holds exactly min(1, C / W): a
/// place that k segments share holds the one that is asked for with probability 1 / k.
#[derive(Debug)]
pub(crate) struct MapCache {
    /// In each place, the segment + 1; 0 for none.
    places: Vec<u32>,
    /// What a miss takes, in nanoseconds.
    pub(crate) miss_time: u64,
}

impl MapCache {
    /// `None` where all of the map is in memory.
    pub(crate) fn new(flash: &FlashParameters) -> Option<MapCache> {
        let places = (flash.map_cache / MAP_PAGE_BYTES) as usize;
        (places > 0).then(|| MapCache { places: vec![0; places], miss_time: flash.map_miss })
    }

    /// The segments that a read touches.
    pub(crate) fn segments(first: u32, count: u32) -> std::ops::RangeInclusive<u32> {
        first / SEGMENT_UNITS..=(first + count - 1) / SEGMENT_UNITS
    }

    /// Brings a segment into memory; returns whether it was not there.
    pub(crate) fn misses(&mut self, segment: u32) -> bool {
        let place = segment as usize % self.places.len();
        std::mem::replace(&mut self.places[place], segment + 1) != segment + 1
    }
}
