//! Records in the order of their time, though they were written in the order in which they became known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_block::Instant;

use crate::RecordError;
use crate::names::{SEGMENT, TAIL};
use crate::parts::{Parts, damaged};
use crate::rows::Row;
use crate::segment::SegmentReader;
use crate::tail::read_tail;

/// The most records of a batch: so few that the processor still has them in its cache when they are looked at.
const BATCH: usize = 1 << 12;

/// Streams records in the order of their time: of completions that of their submission, of a trace that of
/// their issue.
///
/// What is known at its completion lies a little behind what was issued after it. Row groups say when their first
/// record begins, so that only those that overlap are merged: as a rule two, and memory holds no more than those
/// do, beside the tail of a trace that is still being written.
///
/// A part that is not there or cannot be read is left out and named by [`SortedReader::faults`].
pub struct SortedReader<R> {
    /// What was not begun, the earliest last.
    waiting: Vec<Waiting<R>>,
    open: Vec<Sorted<R>>,
    /// The time of the next record of each that is open.
    heads: BinaryHeap<Reverse<(Instant, usize)>>,
    /// The segment that was read last: the next row group is often one of its own.
    segment: Option<(PathBuf, SegmentReader<R>)>,
    faults: Vec<String>,
}

/// A row group, or the records of a tail, and when its first record begins.
struct Waiting<R> {
    earliest: Instant,
    source: Source<R>,
}

enum Source<R> {
    Group(PathBuf, usize),
    Tail(Vec<R>),
}

type Sorted<R> = std::vec::IntoIter<R>;

impl<R: Row> SortedReader<R> {
    /// Reads the records of a folder of segments, which are numbered from `first`.
    ///
    /// # Errors
    /// Where its segments are there and cannot be listed.
    pub fn open(segments: &Path, first: u32) -> Result<SortedReader<R>, RecordError> {
        let Parts { paths, faults } = Parts::list(segments, first)?;
        let mut reader = SortedReader {
            waiting: Vec::new(),
            open: Vec::new(),
            heads: BinaryHeap::new(),
            segment: None,
            faults,
        };
        for path in paths {
            if let Err(what) = reader.list(&path) {
                reader.faults.push(what);
            }
        }
        // Stable, so that records of the same time come in the order in which they were written.
        reader.waiting.sort_by_key(|waiting| waiting.earliest);
        reader.waiting.reverse();
        Ok(reader)
    }

    /// What of the records is not there or cannot be read, as far as was read until now; each a few words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The next records, a few thousand at a time; `None` at the end.
    pub fn next_batch(&mut self) -> Option<Vec<R>> {
        self.begin_what_is_due();
        let Reverse((_, number)) = self.heads.peek().copied()?;
        Some(if self.heads.len() == 1 { self.alone(number) } else { self.merged() })
    }

    fn list(&mut self, path: &Path) -> Result<(), String> {
        if path.extension().is_some_and(|kind| kind == TAIL) {
            match read_tail::<R>(path) {
                Ok(tail) => {
                    let earliest = tail.records.iter().map(Row::time).min();
                    let earliest = earliest.unwrap_or(Instant::ORIGIN);
                    self.waiting.push(Waiting { earliest, source: Source::Tail(tail.records) });
                    self.faults.extend(tail.damage.map(|damage| damaged(path, &damage)));
                    return Ok(());
                }
                // The segment became whole since the folder was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(damaged(path, &error)),
            }
        }
        let path = path.with_extension(SEGMENT);
        // Only what is read later is summed up, so that a long recording need not be read twice at once.
        let segment = SegmentReader::<R>::glance(&path).map_err(|error| damaged(&path, &error))?;
        self.waiting.extend(segment.earliest().into_iter().enumerate().map(|(group, earliest)| Waiting {
            earliest: Instant::from_nanos(earliest),
            source: Source::Group(path.clone(), group),
        }));
        Ok(())
    }

    /// Begins every part that may hold a record before the earliest at hand.
    fn begin_what_is_due(&mut self) {
        while let Some(next) = self.waiting.last()
            && self.heads.peek().is_none_or(|Reverse((head, _))| next.earliest <= *head)
        {
            let Some(waiting) = self.waiting.pop() else { return };
            self.begin(waiting.source);
        }
    }

    fn begin(&mut self, source: Source<R>) {
        let records = match source {
            Source::Tail(records) => Ok(records),
            Source::Group(path, group) => self.group(&path, group).map_err(|error| damaged(&path, &error)),
        };
        match records {
            Ok(mut records) => {
                if !records.is_sorted_by_key(Row::time) {
                    records.sort_by_key(Row::time);
                }
                let head = records.first().map(Row::time);
                self.heads.extend(head.map(|time| Reverse((time, self.open.len()))));
                self.open.push(records.into_iter());
            }
            Err(what) if self.faults.contains(&what) => {}
            Err(what) => self.faults.push(what),
        }
    }

    fn group(&mut self, path: &Path, group: usize) -> parquet::errors::Result<Vec<R>> {
        let segment = match self.segment.take() {
            Some((open, segment)) if open == path => segment,
            _ => SegmentReader::open(path)?,
        };
        let records = segment.group(group);
        self.segment = Some((path.to_owned(), segment));
        records
    }

    /// Whether nothing that waits is due before this time.
    fn is_next(&self, time: Instant) -> bool {
        self.waiting.last().is_none_or(|next| time < next.earliest)
    }

    /// The next records of the only part that is open, as far as nothing that waits is due.
    fn alone(&mut self, number: usize) -> Vec<R> {
        let records = self.open[number].as_slice();
        let records = &records[..records.len().min(BATCH)];
        let count = records.partition_point(|record| self.is_next(record.time()));
        self.heads.clear();
        let records = &mut self.open[number];
        let batch: Vec<R> = records.take(count).collect();
        match records.as_slice().first().map(Row::time) {
            Some(head) => self.heads.push(Reverse((head, number))),
            None => self.open.clear(),
        }
        batch
    }

    /// The next records of all parts that are open, as far as nothing that waits is due.
    fn merged(&mut self) -> Vec<R> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(Reverse((time, number))) = self.heads.peek().copied()
            && self.is_next(time)
        {
            self.heads.pop();
            let records = &mut self.open[number];
            batch.extend(records.next());
            match records.as_slice().first().map(Row::time) {
                Some(head) => self.heads.push(Reverse((head, number))),
                // The memory goes with the last record.
                None => *records = Vec::new().into_iter(),
            }
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordWriter;
    use crate::segment::ROW_GROUP_ROWS;
    use drivelab_block::{Extent, Nanos, Op, Sector, SectorCount, TracedIo};

    /// Requests issued a microsecond apart, in the order of their completion: most take 5 us, every ten-thousandth
    /// 400 ms, which is several row groups later.
    fn in_order_of_completion(count: u64) -> Vec<TracedIo> {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        let io = |number: u64| {
            let service = if number % 10_000 == 77 { 400_000_000 } else { 5_000 + number % 7 * 1_000 };
            let io = TracedIo::new(Instant::from_nanos(number * 1_000), Op::Read, extent);
            TracedIo { service: Some(Nanos::new(service)), ..io }
        };
        let mut ios: Vec<TracedIo> = (0..count).map(io).collect();
        ios.sort_by_key(TracedIo::completed_at);
        ios
    }

    #[test]
    fn late_records_come_in_their_place() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let count = 9 * ROW_GROUP_ROWS as u64 + 1_234;
        let written = in_order_of_completion(count);
        let mut writer = RecordWriter::<TracedIo>::new(folder.path().to_owned());
        written.chunks(5_000).for_each(|chunk| writer.append(chunk));
        assert_eq!(writer.finish().records, count);
        let mut reader = SortedReader::<TracedIo>::open(folder.path(), 0).expect("the folder");
        let mut read = Vec::new();
        while let Some(batch) = reader.next_batch() {
            assert!(!batch.is_empty());
            read.extend(batch);
        }
        assert_eq!(reader.faults(), Vec::<String>::new());
        let mut expected = written;
        expected.sort_by_key(|io| io.issued_at);
        assert!(read == expected, "{} of {}", read.len(), expected.len());
    }
}
