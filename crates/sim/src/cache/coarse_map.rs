//! A map of mixed grain: a segment written from end to end needs one entry; the first small write into it
//! makes the controller split the entry, which takes time.
//!
//! Random writes after a sequential fill then start slowly and recover as fewer segments are left to split:
//! a curve that rises.

use crate::profile::{DriveShape, FlashParameters, UNIT_BYTES};

/// Which segments have one coarse entry.
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
        let segments = shape.user_units.div_ceil(u64::from(segment_units)) as usize;
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
