//! What became of the records of a writer, and how the oldest segments make room for the newest.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use crate::parts::{SEGMENT, segment_path};

/// What became of the records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// In whole segments.
    pub records: u64,
    /// The size of those segments, in bytes.
    pub bytes: u64,
    /// Removed again, the oldest first, to keep within a limit.
    pub removed: u64,
    /// The number of the first segment that was not removed.
    pub first_segment: u32,
    /// Not kept, because a file could not be written.
    pub lost: u64,
    /// The first error that lost records, in words.
    pub first_error: Option<String>,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_just_reached_removes_nothing_and_what_is_removed_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut written = Written::default();
        let mut rotation = Rotation::within(300);
        let mut add = |number: u32, bytes: u64, written: &mut Written| {
            fs::write(segment_path(folder.path(), number, SEGMENT), "x").expect("room on disk");
            let rows = u64::from(number) + 10;
            written.records += rows;
            written.bytes += bytes;
            rotation.add(KeptSegment { number, rows, bytes }, folder.path(), written);
        };
        add(0, 100, &mut written);
        add(1, 80, &mut written);
        add(2, 120, &mut written);
        assert_eq!((written.records, written.bytes, written.removed, written.first_segment), (33, 300, 0, 0));
        add(3, 110, &mut written);
        assert_eq!(
            (written.records, written.bytes, written.removed, written.first_segment),
            (25, 230, 21, 2)
        );
        // The newest stays, however large it is.
        add(4, 1_000, &mut written);
        assert_eq!(
            (written.records, written.bytes, written.removed, written.first_segment),
            (14, 1_000, 46, 4)
        );
        let left: Vec<bool> =
            (0..5).map(|number| segment_path(folder.path(), number, SEGMENT).exists()).collect();
        assert_eq!(left, [false, false, false, false, true]);
    }
}
