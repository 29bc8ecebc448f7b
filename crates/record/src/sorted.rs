//! Records in the order of their time, though they were written in the order in which they became known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_block::Instant;

use crate::RecordError;
use crate::in_order::{BATCH, InOrder, Spare};
use crate::parts::{Parts, SEGMENT, TAIL, damaged, unreadable, unusable};
use crate::rows::Row;
use crate::segment::SegmentReader;
use crate::tail::read_tail;

/// Streams records in the order of their time: of completions that of their submission, of a trace that of
/// their issue.
///
/// What is known at its completion lies a little behind what was issued after it. Row groups say when their first
/// record begins, so that only those that overlap are merged: as a rule two, and memory holds no more than those do (nor of
/// records that all have one time), beside the tail of a trace that is still being written. The memory of what was read is
/// used again.
///
/// A part that is not there or cannot be read is left out, as is what comes behind damage, and named by
/// [`SortedReader::faults`].
pub struct SortedReader<R: Row> {
    /// What was not begun, the earliest last.
    waiting: Vec<WaitingGroup<R>>,
    open: Vec<InOrder<R>>,
    /// The time of the next record of each that is open.
    heads: BinaryHeap<Reverse<(Instant, usize)>>,
    /// The segment that was read last: the next row group is often one of its own.
    segment: Option<(PathBuf, SegmentReader<R>)>,
    spare: Spare<R>,
    faults: Vec<String>,
}

/// A row group, or the records of a tail, and when its first record begins.
struct WaitingGroup<R> {
    earliest: Instant,
    source: RecordSource<R>,
}

enum RecordSource<R> {
    Group(PathBuf, usize),
    Tail(Vec<R>),
}

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
            spare: Spare::default(),
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

    /// Takes a batch that is no longer needed: its memory is used again.
    pub fn recycle(&mut self, batch: Vec<R>) {
        self.spare.put_batch(batch);
    }

    fn list(&mut self, path: &Path) -> Result<(), String> {
        if path.extension().is_some_and(|kind| kind == TAIL) {
            match read_tail::<R>(path) {
                Ok(tail) => {
                    let earliest = tail.records.iter().map(Row::time).min();
                    let earliest = earliest.unwrap_or(Instant::ORIGIN);
                    self.waiting.push(WaitingGroup { earliest, source: RecordSource::Tail(tail.records) });
                    self.faults.extend(tail.damage.map(|damage| damaged(path, &damage)));
                    return Ok(());
                }
                // The segment became whole since the folder was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(unreadable(path, &error)),
            }
        }
        let path = path.with_extension(SEGMENT);
        // Only what is read later is summed up, so that a long recording need not be read twice at once.
        let segment = SegmentReader::<R>::glance(&path).map_err(|error| unusable(&path, &error))?;
        self.waiting.extend(segment.earliest().into_iter().enumerate().map(|(group, earliest)| {
            WaitingGroup {
                earliest: Instant::from_nanos(earliest),
                source: RecordSource::Group(path.clone(), group),
            }
        }));
        Ok(())
    }

    /// Begins every part that may hold a record before the earliest at hand. Records of one time come in the order in which
    /// they were written, so that a part which begins with the time at hand can wait.
    fn begin_what_is_due(&mut self) {
        while let Some(next) = self.waiting.last()
            && self.heads.peek().is_none_or(|Reverse((head, _))| next.earliest < *head)
        {
            let Some(waiting) = self.waiting.pop() else { return };
            self.begin(waiting.source);
        }
    }

    fn begin(&mut self, source: RecordSource<R>) {
        let part = match source {
            RecordSource::Tail(records) => Ok(InOrder::new(records)),
            RecordSource::Group(path, group) => {
                self.group(&path, group).map_err(|error| unusable(&path, &error))
            }
        };
        match part {
            Ok(part) => {
                self.open.push(part);
                self.next_head(self.open.len() - 1);
            }
            Err(what) => self.miss(what),
        }
    }

    fn group(&mut self, path: &Path, group: usize) -> parquet::errors::Result<InOrder<R>> {
        let segment = match self.segment.take() {
            Some((open, segment)) if open == path => segment,
            _ => SegmentReader::open(path)?,
        };
        let group = segment.group(group, self.spare.columns());
        self.segment = Some((path.to_owned(), segment));
        InOrder::of_group(path.to_owned(), group?, &mut self.spare)
    }

    /// Notes when the next record of a part is; at its end its memory goes.
    fn next_head(&mut self, number: usize) {
        match self.open[number].head() {
            Ok(Some(head)) => self.heads.push(Reverse((head, number))),
            ended => {
                let part = std::mem::replace(&mut self.open[number], InOrder::new(Vec::new()));
                self.spare.put(part);
                if let Err(what) = ended {
                    self.miss(what);
                }
            }
        }
    }

    /// Notes once what cannot be read.
    fn miss(&mut self, what: String) {
        if !self.faults.contains(&what) {
            self.faults.push(what);
        }
    }

    /// Whether nothing that waits is due before a record of this time.
    fn is_next(&self, time: Instant) -> bool {
        self.waiting.last().is_none_or(|next| time <= next.earliest)
    }

    /// The next records of the only part that is open, as far as nothing that waits is due.
    fn alone(&mut self, number: usize) -> Vec<R> {
        let records = self.open[number].at_hand();
        let records = &records[..records.len().min(BATCH)];
        let count = records.partition_point(|record| self.is_next(record.time()));
        let batch = self.open[number].take(count, &mut self.spare);
        self.heads.clear();
        self.next_head(number);
        if self.heads.is_empty() {
            self.open.clear();
        }
        batch
    }

    /// The next records of all parts that are open, as far as nothing that waits is due.
    fn merged(&mut self) -> Vec<R> {
        let mut batch = self.spare.batch();
        while batch.len() < BATCH
            && let Some(Reverse((time, number))) = self.heads.peek().copied()
            && self.is_next(time)
        {
            self.heads.pop();
            batch.extend(self.open[number].next());
            self.next_head(number);
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordWriter;
    use crate::rows::Columns as _;
    use crate::rows::ROW_GROUP_ROWS;
    use crate::rows::completion::{CompletionColumns, fixture};
    use crate::segment::SegmentWriter;
    use drivelab_block::{Completion, Extent, Nanos, Op, Sector, SectorCount, TracedIo};

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

    /// Writes records into a folder, and opens it.
    fn reader_of(written: &[TracedIo], folder: &Path) -> SortedReader<TracedIo> {
        let mut writer = RecordWriter::<TracedIo>::new(folder.to_owned()).unguarded();
        written.chunks(5_000).for_each(|chunk| writer.append(chunk));
        assert_eq!(writer.finish().records, written.len() as u64);
        SortedReader::<TracedIo>::open(folder, 0).expect("the folder")
    }

    #[test]
    fn records_in_order_come_back_as_they_were_and_memory_goes_round() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(8) };
        // A value here and there, none at all and one in each row: each group is read where another was.
        let span = |number: u64| match number / ROW_GROUP_ROWS as u64 % 3 {
            0 => number.is_multiple_of(3).then(|| Nanos::new(number % 4_099)),
            1 => None,
            _ => Some(Nanos::new(number % 1_021)),
        };
        let io = |number: u64| TracedIo {
            queued_for: span(number),
            service: span(number + ROW_GROUP_ROWS as u64),
            ..TracedIo::new(Instant::from_nanos(number * 1_000), Op::Read, extent)
        };
        let written: Vec<TracedIo> = (0..4 * ROW_GROUP_ROWS as u64 + 77).map(io).collect();
        let mut reader = reader_of(&written, folder.path());
        let mut read = Vec::new();
        while let Some(batch) = reader.next_batch() {
            read.extend_from_slice(&batch);
            reader.recycle(batch);
            assert!(reader.spare.len() <= 4, "{} parts of memory wait to be used", reader.spare.len());
        }
        assert_eq!(reader.faults(), Vec::<String>::new());
        assert!(read == written, "{} of {}", read.len(), written.len());
    }

    #[test]
    fn records_of_one_time_are_read_one_part_after_the_other() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let io = |number: u64| {
            let extent = Extent { start: Sector::new(number), length: SectorCount::new(8) };
            TracedIo::new(Instant::from_nanos(5), Op::Read, extent)
        };
        let written: Vec<TracedIo> = (0..6 * ROW_GROUP_ROWS as u64 + 55).map(io).collect();
        let mut reader = reader_of(&written, folder.path());
        let mut read = Vec::new();
        while let Some(batch) = reader.next_batch() {
            assert!(reader.open.len() <= 1, "{} parts are in memory", reader.open.len());
            read.extend(batch);
        }
        assert!(read == written, "{} of {}", read.len(), written.len());
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
            assert!(!batch.is_empty() && batch.len() <= BATCH, "{} records at once", batch.len());
            assert!(batch.capacity() <= BATCH, "memory for {} records", batch.capacity());
            read.extend(batch);
        }
        assert_eq!(reader.faults(), Vec::<String>::new());
        let mut expected = written;
        expected.sort_by_key(|io| io.issued_at);
        assert!(read == expected, "{} of {}", read.len(), expected.len());
    }

    #[test]
    fn a_segment_that_became_whole_since_the_folder_was_listed_is_read_in_the_place_of_its_tail() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut written = in_order_of_completion(100);
        reader_of(&written, folder.path());
        written.sort_by_key(|io| io.issued_at);
        let empty = tempfile::tempdir().expect("a temporary folder");
        let mut reader = SortedReader::<TracedIo>::open(empty.path(), 0).expect("the folder");
        reader.list(&folder.path().join("000000.tail")).expect("its segment");
        assert!(reader.next_batch() == Some(written));
        // What cannot be read for another reason is not replaced by the segment.
        std::fs::create_dir(folder.path().join("000000.tail")).expect("room on disk");
        let error = reader.list(&folder.path().join("000000.tail")).expect_err("a folder is no tail");
        assert!(error.starts_with("segments/000000.tail cannot be read ("), "{error}");
    }

    /// A request issued so many microseconds after the beginning.
    fn io_at(number: u64) -> TracedIo {
        let extent = Extent { start: Sector::new(number), length: SectorCount::new(8) };
        TracedIo::new(Instant::from_nanos(number * 1_000), Op::Read, extent)
    }

    /// All that is left to read.
    fn rest_of<R: Row>(reader: &mut SortedReader<R>) -> Vec<R> {
        std::iter::from_fn(|| reader.next_batch()).flatten().collect()
    }

    #[test]
    fn of_a_batch_only_what_lies_before_the_next_row_group_is_handed_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let group = ROW_GROUP_ROWS as u64;
        // One record of the second row group lies among the last thousands of the first one.
        let numbers = (0..group).chain([130_000]).chain(group..group + 5_000);
        let mut written: Vec<TracedIo> = numbers.map(io_at).collect();
        let mut reader = reader_of(&written, folder.path());
        written.sort_by_key(|io| io.issued_at);
        assert!(rest_of(&mut reader) == written, "they come in the order of their time");
    }

    #[test]
    fn a_segment_that_is_removed_while_it_is_read_is_read_to_its_end() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let written: Vec<TracedIo> = (0..2 * ROW_GROUP_ROWS as u64).map(io_at).collect();
        let mut reader = reader_of(&written, folder.path());
        let mut read = reader.next_batch().expect("records");
        std::fs::remove_file(folder.path().join("000000.parquet")).expect("the segment");
        read.extend(rest_of(&mut reader));
        assert!(read == written && reader.faults().is_empty(), "{} {:?}", read.len(), reader.faults());
    }

    #[test]
    fn batches_before_a_row_that_no_record_can_have_are_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let completions: Vec<Completion> = (0..10_000).map(fixture::completion).collect();
        let mut columns = CompletionColumns::default();
        columns.extend(&completions);
        fixture::spoil(&mut columns, BATCH + 900);
        let path = folder.path().join("000000.parquet");
        let mut segment = SegmentWriter::create::<Completion>(&path).expect("room on disk");
        segment.write(&columns).and_then(|()| segment.finish()).expect("room on disk");
        let mut reader = SortedReader::<Completion>::open(folder.path(), 0).expect("the folder");
        assert!(rest_of(&mut reader) == completions[..BATCH]);
        assert_eq!(reader.faults().len(), 1, "{:?}", reader.faults());
    }
}
