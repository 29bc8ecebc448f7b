//! I/Os into the order of their issue, in bounded memory.
//!
//! Sources are nearly sorted: per-processor buffers overlap a little, requests are known at their completion. A
//! window of a quarter of a million is sorted as it goes. What comes later is set aside in sorted runs, which
//! are merged in at the end; where that fails, for want of room for one, what was in order stays, and the rest is counted.

mod runs;

use std::fs;
use std::io;
use std::path::Path;

use drivelab_block::{Instant, TracedIo};
use drivelab_record::{RecordReader, RecordWriter, Written};

use crate::folder::{TraceError, TraceFolder};
use crate::scan::SECOND;
use crate::trace_builder::IoSink;
use runs::{Run, Runs};

/// I/Os that are held back to be sorted: about 19 MB, and half as many before the first is let go. More would help sources
/// that are further out of order, which are merged at the end as well, and cost all others the way to memory and back.
const WINDOW: usize = 1 << 18;

/// Sorts I/Os into a trace's folder. Times become relative to the first.
pub struct Sorter {
    folder: TraceFolder,
    writer: RecordWriter<TracedIo>,
    window: Vec<TracedIo>,
    /// What came too late for its place, not yet in a run.
    late: Vec<TracedIo>,
    runs: Runs,
    origin: Option<u64>,
    /// The issue time of the last I/O that was written.
    written_until: u64,
    spread: SpreadSeconds,
}

impl Sorter {
    /// Writes into a folder that has no I/Os yet. With `whole_seconds`, the source's times are whole seconds,
    /// and the I/Os of each second are spread evenly over it, in the order in which they come.
    pub fn new(folder: TraceFolder, whole_seconds: bool) -> Sorter {
        Sorter {
            writer: folder.writer().unguarded(),
            folder,
            window: Vec::with_capacity(WINDOW),
            late: Vec::new(),
            runs: Runs::default(),
            origin: None,
            written_until: 0,
            spread: SpreadSeconds { is_on: whole_seconds, second: Vec::new() },
        }
    }

    /// Writes the rest; returns what was kept, and the first I/O's time on the source's clock.
    pub fn finish(mut self) -> Result<(Written, u64), TraceError> {
        self.drain(self.window.len())?;
        if self.late.is_empty() && self.runs.0.is_empty() {
            self.spread.flush(&mut self.writer, self.origin.unwrap_or(0));
            return Ok((self.writer.finish(), self.origin.unwrap_or(0)));
        }
        self.merge()
    }

    /// Sorts what is held back and lets go of the earliest `count`.
    fn drain(&mut self, count: usize) -> Result<(), TraceError> {
        sort(&mut self.window);
        let late = self.window.partition_point(|io| io.issued_at.as_nanos() < self.written_until).min(count);
        self.late.extend(self.window.drain(..late));
        let count = count - late;
        if let Some(last) = count.checked_sub(1).and_then(|last| self.window.get(last)) {
            self.written_until = last.issued_at.as_nanos();
            let origin = *self.origin.get_or_insert(self.window[0].issued_at.as_nanos());
            let in_order = self.window.drain(..count);
            self.spread.write(in_order.as_slice(), &mut self.writer, origin);
        }
        if self.late.len() >= WINDOW / 2 { self.spill() } else { Ok(()) }
    }

    /// Sets what came late aside.
    fn spill(&mut self) -> Result<(), TraceError> {
        let path = self.folder.path();
        sort(&mut self.late);
        self.runs.add(&self.late, path).map_err(|error| TraceError::io(path, error))?;
        self.late.clear();
        Ok(())
    }

    /// Merges what was written with what came late, into new segments.
    fn merge(mut self) -> Result<(Written, u64), TraceError> {
        if !self.late.is_empty() {
            self.spill()?;
        }
        let origin = self.origin.unwrap_or(0);
        self.spread.flush(&mut self.writer, origin);
        let kept = self.writer.finish();
        let late = self.runs.0.iter().map(|run| run.left).sum();
        if kept.lost > 0 {
            return Ok((without(kept, late, "no room for what came late"), origin));
        }
        let (segments, unsorted) = (self.folder.segments(), self.folder.path().join("unsorted"));
        let failed = |error| TraceError::io(&segments, error);
        fs::rename(&segments, &unsorted).map_err(failed)?;
        fs::create_dir(&segments).map_err(failed)?;
        let spread = SpreadSeconds { second: Vec::new(), ..self.spread };
        match merged(&unsorted, origin, self.runs, self.folder.writer().unguarded(), spread) {
            Ok(merged) => {
                fs::remove_dir_all(&unsorted).map_err(|error| TraceError::io(&unsorted, error))?;
                Ok(merged)
            }
            Err(why) => {
                fs::remove_dir_all(&segments).map_err(failed)?;
                fs::rename(&unsorted, &segments).map_err(failed)?;
                Ok((without(kept, late, &why), origin))
            }
        }
    }
}

/// What was kept, where so many I/Os that came late could not be.
fn without(kept: Written, late: u64, why: &str) -> Written {
    let first_error = kept.first_error.or_else(|| Some(why.to_owned()));
    Written { lost: kept.lost + late, first_error, ..kept }
}

impl IoSink for Sorter {
    #[inline]
    fn keep(&mut self, io: TracedIo) -> Result<(), TraceError> {
        self.window.push(io);
        if self.window.len() == WINDOW { self.drain(WINDOW / 2) } else { Ok(()) }
    }
}

/// Stable, and next to nothing where it is sorted already.
fn sort(ios: &mut [TracedIo]) {
    if !ios.is_sorted_by_key(|io| io.issued_at) {
        ios.sort_by_key(|io| io.issued_at);
    }
}

/// Spreads the I/Os of whole seconds, or passes them on.
struct SpreadSeconds {
    is_on: bool,
    second: Vec<TracedIo>,
}

/// I/Os that are held to see a second whole: beyond, it is spread in parts.
const MAX_HELD: usize = 4 << 20;

impl SpreadSeconds {
    /// Writes I/Os with times relative to `origin`.
    fn write(&mut self, ios: &[TracedIo], writer: &mut RecordWriter<TracedIo>, origin: u64) {
        if !self.is_on {
            return write_relative(ios, writer, origin);
        }
        for io in ios {
            let is_next = self.second.first().is_some_and(|first| first.issued_at != io.issued_at);
            if is_next || self.second.len() == MAX_HELD {
                self.flush(writer, origin);
            }
            self.second.push(*io);
        }
    }

    /// Writes the second that is held.
    fn flush(&mut self, writer: &mut RecordWriter<TracedIo>, origin: u64) {
        let count = self.second.len() as u64;
        for (number, io) in (0..count).zip(&mut self.second) {
            let within = u64::try_from(u128::from(number) * u128::from(SECOND) / u128::from(count.max(1)));
            let at = io.issued_at.as_nanos().saturating_add(within.unwrap_or(0));
            io.issued_at = Instant::from_nanos(at);
        }
        write_relative(&self.second, writer, origin);
        self.second.clear();
    }
}

fn write_relative(ios: &[TracedIo], writer: &mut RecordWriter<TracedIo>, origin: u64) {
    const BATCH: usize = 4096;
    let mut batch = Vec::with_capacity(BATCH.min(ios.len()));
    for chunk in ios.chunks(BATCH) {
        batch.clear();
        batch.extend(chunk.iter().map(|io| moved(io, origin)));
        writer.append(&batch);
    }
}

fn moved(io: &TracedIo, origin: u64) -> TracedIo {
    TracedIo { issued_at: Instant::from_nanos(io.issued_at.as_nanos().saturating_sub(origin)), ..*io }
}

/// Sorted I/Os on disk, with times on the source's clock.
enum SortedIos {
    /// Times were spread within a `unit`, and are put back to its start: the merge spreads anew.
    Segments {
        reader: Box<RecordReader<TracedIo>>,
        batch: Vec<TracedIo>,
        /// The next of the batch.
        next: usize,
        origin: u64,
        unit: u64,
    },
    Run(Run),
}

impl SortedIos {
    fn next(&mut self) -> io::Result<Option<TracedIo>> {
        match self {
            SortedIos::Segments { reader, batch, next, origin, unit } => loop {
                if let Some(io) = batch.get(*next).copied() {
                    *next += 1;
                    let at = io.issued_at.as_nanos().saturating_add(*origin) / *unit * *unit;
                    return Ok(Some(TracedIo { issued_at: Instant::from_nanos(at), ..io }));
                }
                match reader.next_batch() {
                    Some(read) => {
                        read.clone_into(batch);
                        *next = 0;
                    }
                    None => {
                        return reader
                            .faults()
                            .first()
                            .map_or(Ok(None), |fault| Err(io::Error::other(fault.clone())));
                    }
                }
            },
            SortedIos::Run(run) => run.next(),
        }
    }
}

/// Merges segments with what came late; the error says why that failed. What was written in order comes first among equals, as it
/// came first in the source.
fn merged(
    segments: &Path,
    origin: u64,
    runs: Runs,
    mut writer: RecordWriter<TracedIo>,
    mut spread: SpreadSeconds,
) -> Result<(Written, u64), String> {
    let reader = Box::new(RecordReader::open(segments).map_err(|error| error.to_string())?);
    let unit = if spread.is_on { SECOND } else { 1 };
    let mut sources = vec![SortedIos::Segments { reader, batch: Vec::new(), next: 0, origin, unit }];
    sources.extend(runs.0.into_iter().map(SortedIos::Run));
    let mut first = None;
    let take = |io: TracedIo| {
        let first = *first.get_or_insert(io.issued_at.as_nanos());
        spread.write(&[io], &mut writer, first);
        writer.written.first_error.as_ref().map_or(Ok(()), |error| Err(io::Error::other(error.clone())))
    };
    runs::merge(&mut sources, SortedIos::next, take).map_err(|error| error.to_string())?;
    let origin = first.unwrap_or(0);
    spread.flush(&mut writer, origin);
    let written = writer.finish();
    if written.lost > 0 {
        return Err(written.first_error.unwrap_or_default());
    }
    Ok((written, origin))
}
