//! The part of the map that the controller has in memory: a read outside it has to read a page of the map first.
//!
//! Each segment of user data has one place in the cache, by its number modulo the places, and takes it from the one before.
//! Of uniform random reads over a contiguous working set of W bytes, a cache of C bytes then holds exactly min(1, C / W): a
//! place that k segments share holds the one that is asked for with probability 1 / k.

use crate::profile::{FlashParameters, MAP_PAGE_BYTES, UNIT_BYTES};

/// Mapping units that a page of the map stands for.
const SEGMENT_UNITS: u32 = (MAP_PAGE_BYTES / UNIT_BYTES) as u32;

/// Which pages of the map are in memory.
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
