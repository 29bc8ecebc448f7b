//! The files of a run: one a day.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError};
use std::path::{Path, PathBuf};

use drivelab_record::{RecordFile, system_error};
use parquet::errors::ParquetError;

use crate::destination::{Destination, NewFile, Readers, WholeFile};
use crate::exported_files::{ExportedFile, ExportedFiles};
use crate::layout::{NANOS_PER_DAY, ROLLUP_FILE, RunKey};
use crate::rolled::Exportable;
use crate::rollup::{FORMAT_WORD, FileLife, ROLLUP_FORMAT, Rollup, RollupInterval, RollupWriter};
use crate::whole::RUN_WORD;
use crate::{ExportError, ExportForm};

/// What the files of a result are called, and what they are of.
#[derive(Clone, Copy)]
pub struct DayFiles<'a> {
    pub destination: &'a dyn Destination,
    pub key: &'a RunKey,
    /// The beginning of the result, in nanoseconds since 1970.
    pub began: u64,
    pub form: ExportForm,
    pub readers: Readers,
    pub earlier: EarlierFiles,
}

/// What is known of whole files of the same run that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierFiles {
    /// They have what would be written: the ID of the run tells what it has.
    Equal,
    /// They may have some of it, as while a trace was being recorded, or more, as before the oldest of its segments were removed.
    /// Of the two, the one with more records is kept.
    MayDiffer,
}

impl DayFiles<'_> {
    fn name<R: Exportable>(&self) -> &'static str {
        match self.form {
            ExportForm::Records => R::FILE,
            ExportForm::Rollup => ROLLUP_FILE,
        }
    }

    pub fn format<R: Exportable>(&self) -> &'static str {
        match self.form {
            ExportForm::Records => R::FORMAT,
            ExportForm::Rollup => ROLLUP_FORMAT,
        }
    }
}

/// Writes records, which come in the order of their time, into the files of their days. No file has its name before all are
/// whole: the records may turn out to be damaged until the last one is read.
pub struct DayWriter<'a, R: Exportable> {
    files: DayFiles<'a>,
    origin: &'a R::Origin,
    open: Option<OpenDay<R>>,
    closed: Vec<ClosedDay>,
}

/// The day of the record that came last.
struct OpenDay<R: Exportable> {
    number: u64,
    path: PathBuf,
    /// The file that is there.
    earlier: Option<WholeFile>,
    records: u64,
    content: Content<R>,
}

enum Content<R: Exportable> {
    /// The file that is there stays.
    Earlier(WholeFile),
    Records(Box<dyn NewFile>, Box<RecordFile<R>>),
    Rollup(RollupFile, Rollup),
}

/// A day whose file was written, or was there.
struct ClosedDay {
    path: PathBuf,
    records: u64,
    file: ClosedFile,
}

enum ClosedFile {
    /// It is there, with this length in bytes.
    Earlier(u64),
    Written(Box<dyn NewFile>),
}

/// The files of all days, and how many bytes of them were written.
#[derive(Default)]
pub struct PublishedDays {
    pub files: ExportedFiles,
    pub written_files: u64,
    pub written_bytes: u64,
}

impl<'a, R: Exportable> DayWriter<'a, R> {
    pub fn new(files: DayFiles<'a>, origin: &'a R::Origin) -> DayWriter<'a, R> {
        DayWriter { files, origin, open: None, closed: Vec::new() }
    }

    /// Adds records, none of which is earlier than those before.
    pub fn append(&mut self, mut records: &[R]) -> Result<(), ExportError> {
        let day_of = |record: &R| self.files.began.saturating_add(record.time().as_nanos()) / NANOS_PER_DAY;
        while let Some(first) = records.first() {
            let day = day_of(first);
            let (of_day, rest) = records.split_at(records.partition_point(|record| day_of(record) == day));
            let mut open = match self.open.take() {
                Some(open) if open.number == day => open,
                earlier => {
                    let closed = earlier.map(|earlier| earlier.close(self.files)).transpose()?;
                    self.closed.extend(closed);
                    OpenDay::begin(self.files, day)?
                }
            };
            open.append(of_day, self.files.began, self.origin)?;
            self.open = Some(open);
            records = rest;
        }
        Ok(())
    }

    /// Ends the last day, and puts every file into the destination. `keep_going` is asked before each.
    pub fn publish(mut self, keep_going: &mut dyn FnMut() -> bool) -> Result<PublishedDays, ExportError> {
        let last = self.open.take().map(|open| open.close(self.files)).transpose()?;
        self.closed.extend(last);
        let mut published = PublishedDays::default();
        for day in self.closed {
            if !keep_going() {
                return Err(ExportError::Interrupted);
            }
            let bytes = match day.file {
                ClosedFile::Earlier(bytes) => bytes,
                ClosedFile::Written(partial) => {
                    let bytes = partial.publish()?;
                    published.written_files += 1;
                    published.written_bytes += bytes;
                    bytes
                }
            };
            published.files.records += day.records;
            published.files.files.push(ExportedFile { path: day.path, bytes });
        }
        Ok(published)
    }
}

impl<R: Exportable> OpenDay<R> {
    fn begin(files: DayFiles<'_>, number: u64) -> Result<OpenDay<R>, ExportError> {
        let path = files.key.day_file(number, files.name::<R>());
        let earlier = files.destination.whole_file(&path, &files.key.run, files.format::<R>())?;
        let content = match (earlier, files.form) {
            (Some(whole), _) if files.earlier == EarlierFiles::Equal => Content::Earlier(whole),
            (_, ExportForm::Records) => {
                let partial = files.destination.begin(&path, files.readers)?;
                let records =
                    RecordFile::begin(partial.file()?).map_err(|error| partial.not_written(error))?;
                Content::Records(partial, Box::new(records))
            }
            (_, ExportForm::Rollup) => {
                let file = RollupFile::begin(files.destination, &path, files.readers, FileLife::Kept)?;
                Content::Rollup(file, Rollup::default())
            }
        };
        Ok(OpenDay { number, path, earlier, records: 0, content })
    }

    fn append(&mut self, records: &[R], began: u64, origin: &R::Origin) -> Result<(), ExportError> {
        self.records += records.len() as u64;
        match &mut self.content {
            Content::Earlier(_) => Ok(()),
            Content::Records(partial, file) => {
                file.append(records).map_err(|error| partial.not_written(error))
            }
            Content::Rollup(file, rollup) => {
                let mut latest = None;
                for record in records {
                    let interval =
                        RollupInterval::of_unix_nanos(began.saturating_add(record.time().as_nanos()));
                    rollup.add(record.rolled(interval, origin));
                    latest = Some(interval);
                }
                // What comes later is of this interval or of later ones: the memory of those before is free again.
                let ended = latest.map(|latest| rollup.take_before(latest)).unwrap_or_default();
                file.append(&ended)
            }
        }
    }

    fn close(self, files: DayFiles<'_>) -> Result<ClosedDay, ExportError> {
        let OpenDay { path, records, .. } = self;
        let kept = self.earlier.filter(|earlier| earlier.records >= records);
        let written = match (self.content, kept) {
            (Content::Earlier(earlier), _) | (_, Some(earlier)) => {
                let WholeFile { bytes, records } = earlier;
                return Ok(ClosedDay { path, records, file: ClosedFile::Earlier(bytes) });
            }
            (Content::Records(partial, file), None) => {
                let format = (FORMAT_WORD, files.format::<R>().to_owned());
                let run = (RUN_WORD, files.key.run.clone());
                file.finish(&[format, run]).map_err(|error| partial.not_written(error))?;
                partial
            }
            (Content::Rollup(mut file, rollup), None) => {
                file.append(&rollup)?;
                file.finish(&files.key.run)?
            }
        };
        Ok(ClosedDay { path, records, file: ClosedFile::Written(written) })
    }
}

/// A rollup that is being written.
pub struct RollupFile {
    partial: Box<dyn NewFile>,
    writer: Box<RollupWriter<BufWriter<File>>>,
}

impl RollupFile {
    pub fn begin(
        destination: &dyn Destination,
        path: &Path,
        readers: Readers,
        life: FileLife,
    ) -> Result<RollupFile, ExportError> {
        let partial = destination.begin(path, readers)?;
        let file = BufWriter::new(partial.file()?);
        let writer =
            RollupWriter::new(file, life).map_err(|error| partial.not_written(system_error(error)))?;
        Ok(RollupFile { partial, writer: Box::new(writer) })
    }

    /// Adds a rollup, all of whose intervals come after those that were added before.
    pub fn append(&mut self, rollup: &Rollup) -> Result<(), ExportError> {
        self.writer.append(rollup).map_err(|error| self.partial.not_written(system_error(error)))
    }

    /// Ends the file, which is to be published.
    pub fn finish(self, run: &str) -> Result<Box<dyn NewFile>, ExportError> {
        let RollupFile { partial, writer } = self;
        let failed = |error: ParquetError| partial.not_written(system_error(error));
        let file = writer.finish(&[(RUN_WORD, run.to_owned())]).map_err(failed)?;
        file.into_inner().map_err(IntoInnerError::into_error).map_err(|error| partial.not_written(error))?;
        Ok(partial)
    }
}
