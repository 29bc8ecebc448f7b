//! What is known of the rollup of a recording, what of it is in the destination, and what is to be written next.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use drivelab_trace::TraceManifest;

use super::sums::ClosedSums;
use super::waiting::{DroppedDay, WaitingDays, WaitingFile};
use crate::catalogue::{self, Began, CatalogueEntry};
use crate::days::RollupFile;
use crate::destination::{Destination, Readers};
use crate::exported_files::{ExportedFile, ExportedFiles};
use crate::layout::{NANOS_PER_DAY, ROLLUP_FILE, RunKey};
use crate::rolled::TraceOrigin;
use crate::rollup::{PackedRow, Rollup, RollupRow};
use crate::rows::ResultRows;
use crate::source::{SourceOptions, began, drives_of, host, machine};
use crate::{ExportError, ExportForm};

/// The most that closed days take which wait for the destination, in bytes: a month of a host with 10,000 I/Os a second.
const WAITING_BYTES: usize = 256 << 20;
const MILLIS_PER_DAY: u64 = NANOS_PER_DAY / 1_000_000;

/// The rollup of a recording that goes on. It holds what the destination lacks, and says what is to be written next.
pub struct LiveRollup {
    key: RunKey,
    began: Began,
    hides_serial: bool,
    days: WaitingDays,
    /// The files in the destination by their days, and how many I/Os they count.
    files: BTreeMap<u64, (ExportedFile, u64)>,
    trace: Arc<TraceManifest>,
    origin: Arc<TraceOrigin>,
    last_ns: u64,
    not_written: NotWritten,
    has_ended: bool,
    /// The sum of the segments of a recording that has ended.
    segments: Option<u64>,
    /// How often the rows changed, and which of these changes the destination has.
    rows_version: u64,
    rows_written: u64,
}

/// What will never be written. An export of the trace writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotWritten {
    /// Days that were dropped, since the destination was away for too long.
    pub days: u64,
    /// I/Os of these. What was written of a day before it was dropped is among them.
    pub dropped_ios: u64,
    /// I/Os that became known when their day was not held any more.
    pub late_ios: u64,
}

impl LiveRollup {
    /// Begins with the manifest of a recording that has just begun.
    ///
    /// # Errors
    /// Where its machine has no name that a folder can have, and what to do.
    pub fn new(trace: &TraceManifest, options: SourceOptions<'_>) -> Result<LiveRollup, String> {
        LiveRollup::with_bound(trace, options, WAITING_BYTES)
    }

    /// The same with another bound of the closed days that wait, in bytes.
    ///
    /// # Errors
    /// As of [`LiveRollup::new`].
    pub fn with_bound(
        trace: &TraceManifest,
        options: SourceOptions<'_>,
        bound: usize,
    ) -> Result<LiveRollup, String> {
        let host = host(trace.started.as_ref(), false, options)?;
        Ok(LiveRollup {
            key: RunKey::of_recording(trace, host, machine(trace.started.as_ref(), options)),
            began: began(trace.started.as_ref(), trace.started_unix_ns, false, options)?,
            hides_serial: options.hides_serial,
            days: WaitingDays::new(bound),
            files: BTreeMap::new(),
            trace: Arc::new(trace.clone()),
            origin: Arc::new(TraceOrigin::from_trace(trace)),
            last_ns: 0,
            not_written: NotWritten::default(),
            has_ended: false,
            segments: None,
            rows_version: 0,
            rows_written: 0,
        })
    }

    /// The ID of the run, which an export of the trace has, too.
    pub fn run(&self) -> &str {
        &self.key.run
    }

    /// When the recording began, in nanoseconds since 1970.
    pub fn began_unix_ns(&self) -> u64 {
        self.began.unix_ns
    }

    /// Takes what was closed, with what is known of the trace by now. Says what was dropped, since too much waits.
    pub fn add(&mut self, closed: ClosedSums, trace: &TraceManifest) -> Vec<DroppedDay> {
        self.take(closed, trace);
        let dropped = self.days.keep_bound();
        for day in &dropped {
            self.not_written.days += 1;
            self.not_written.dropped_ios = self.not_written.dropped_ios.saturating_add(day.ios);
        }
        dropped
    }

    /// Takes the rest of a recording that has ended, and the sum of its segments; without that the next export reads the trace.
    /// Nothing is dropped for it, since nothing more is to come.
    pub fn end(&mut self, closed: ClosedSums, trace: &TraceManifest, segments: Option<u64>) {
        self.take(closed, trace);
        self.has_ended = true;
        self.segments = segments;
        self.rows_version += 1;
    }

    fn take(&mut self, closed: ClosedSums, trace: &TraceManifest) {
        if self.trace.devices != trace.devices {
            self.origin = Arc::new(TraceOrigin::from_trace(trace));
        }
        self.trace = Arc::new(trace.clone());
        self.last_ns = self.last_ns.max(closed.last_ns);
        for interval in closed.intervals {
            let day = interval.interval().start_unix_millis().cast_unsigned() / MILLIS_PER_DAY;
            let ios = interval.ios();
            if !self.days.add(day, interval) {
                self.not_written.late_ios = self.not_written.late_ios.saturating_add(ios);
            }
        }
    }

    /// What is to be written next; none where the destination has everything.
    pub fn next_step(&self) -> Option<LiveStep> {
        if let Some(file) = self.days.next(self.has_ended) {
            let path = self.key.day_file(file.day, ROLLUP_FILE);
            let (run, origin) = (self.key.run.clone(), Arc::clone(&self.origin));
            return Some(LiveStep::Day(DayStep { file, path, run, origin }));
        }
        (self.rows_written < self.rows_version).then(|| LiveStep::Rows(Box::new(self.rows())))
    }

    fn rows(&self) -> RowsStep {
        let row = CatalogueEntry::of_trace(self.key.clone(), self.began, &self.trace, false);
        RowsStep {
            rows: ResultRows { row, drives: drives_of(&self.trace, self.hides_serial) },
            files: ExportedFiles {
                records: self.files.values().map(|(_, ios)| ios).sum(),
                last_ns: self.last_ns,
                files: self.files.values().map(|(file, _)| file.clone()).collect(),
                // Where something is missing, an export of the trace adds it.
                segments: self.segments.filter(|_| self.not_written == NotWritten::default()),
            },
            version: self.rows_version,
        }
    }

    /// Notes what was written.
    pub fn written(&mut self, step: WrittenStep) {
        match step {
            WrittenStep::Day(waiting, file) => {
                self.days.written(&waiting);
                self.files.insert(waiting.day, (file, waiting.ios));
                self.rows_version += 1;
            }
            WrittenStep::Rows(version) => self.rows_written = version,
        }
    }

    /// What will never be written.
    pub fn not_written(&self) -> NotWritten {
        self.not_written
    }
}

/// What is to be written next.
pub enum LiveStep {
    /// A day.
    Day(DayStep),
    /// The rows of the catalogue and of the table of drives.
    Rows(Box<RowsStep>),
}

/// A day that is to be written.
pub struct DayStep {
    file: WaitingFile,
    path: PathBuf,
    run: String,
    origin: Arc<TraceOrigin>,
}

/// The rows of the catalogue and of the table of drives.
pub struct RowsStep {
    rows: ResultRows,
    files: ExportedFiles,
    /// How often something changed in them until now.
    version: u64,
}

/// What was written.
pub enum WrittenStep {
    /// A day, into this file.
    Day(WaitingFile, ExportedFile),
    /// The rows, of this version.
    Rows(u64),
}

impl LiveStep {
    /// Writes it. Whole files appear, or nothing does.
    ///
    /// # Errors
    /// Where the destination cannot be written; the same step may be written again.
    pub fn write(self, destination: &dyn Destination) -> Result<WrittenStep, ExportError> {
        Ok(match self {
            LiveStep::Day(day) => {
                let file = ExportedFile { bytes: day.write(destination)?, path: day.path };
                WrittenStep::Day(day.file, file)
            }
            LiveStep::Rows(rows) => {
                // An export of the trace may have written another form of it.
                let RowsStep { rows, files, version } = *rows;
                let mut forms = catalogue::forms_at(destination, &rows.row.key)?;
                forms.insert(ExportForm::Rollup, files.clone());
                rows.write(destination, &forms, Some(&files))?;
                WrittenStep::Rows(version)
            }
        })
    }
}

impl DayStep {
    fn write(&self, destination: &dyn Destination) -> Result<u64, ExportError> {
        let mut intervals = self.file.intervals.clone();
        intervals.sort_by_key(|packed| packed.interval());
        let mut file = RollupFile::begin(destination, &self.path, Readers::All, self.file.life)?;
        for parts in intervals.chunk_by(|one, other| one.interval() == other.interval()) {
            let mut rollup = Rollup::default();
            for part in parts {
                for PackedRow { device, op, bucket, sums } in part.rows() {
                    let (interval, device) = (part.interval(), Arc::clone(self.origin.device(device)));
                    rollup.add(RollupRow { interval, device, is_measured: true, op, bucket, sums });
                }
            }
            file.append(&rollup)?;
        }
        file.finish(&self.run)?.publish()
    }
}
