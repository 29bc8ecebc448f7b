//! The oldest segments make room for the newest.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use crate::names::{SEGMENT, segment_path};
use crate::written::Written;

/// A whole segment.
#[derive(Clone, Copy, Debug)]
pub struct KeptSegment {
    pub number: u32,
    pub rows: u64,
    pub bytes: u64,
}

/// Keeps the segments within a limit, where there is one.
#[derive(Debug, Default)]
pub struct Rotation {
    limit: Option<u64>,
    kept: VecDeque<KeptSegment>,
}

impl Rotation {
    /// Keeps at most this many bytes, and always the newest segment.
    pub fn within(bytes: u64) -> Rotation {
        Rotation { limit: Some(bytes), kept: VecDeque::new() }
    }

    /// Adds a segment, and removes the oldest for as long as they are too many. One that cannot be removed stays,
    /// and is tried again with the next.
    pub fn add(&mut self, segment: KeptSegment, segments: &Path, written: &mut Written) {
        let Some(limit) = self.limit else { return };
        self.kept.push_back(segment);
        while written.bytes > limit && self.kept.len() > 1 {
            let Some(oldest) = self.kept.front() else { return };
            if fs::remove_file(segment_path(segments, oldest.number, SEGMENT)).is_err() {
                return;
            }
            written.records -= oldest.rows;
            written.removed += oldest.rows;
            written.bytes -= oldest.bytes;
            written.first_segment = oldest.number + 1;
            self.kept.pop_front();
        }
    }
}
