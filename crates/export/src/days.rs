//! The files of a run: one a day.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use drivelab_record::RecordFile;
use drivelab_rollup::{ROLLUP_FORMAT, Rollup, RollupInterval, RollupWriter};

use crate::destination::{Destination, NewFile, Readers};
use crate::error::system_error;
use crate::exported_files::ExportedFile;
use crate::layout::{NANOS_PER_DAY, ROLLUP_FILE, RunKey};
use crate::rolled::Exportable;
use crate::whole::{FORMAT_WORD, RUN_WORD};
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
}

impl DayFiles<'_> {
    /// The name of a file in this form.
    fn name<R: Exportable>(&self) -> &'static str {
        match self.form {
            ExportForm::Records => R::FILE,
            ExportForm::Rollup => ROLLUP_FILE,
        }
    }

    /// The format of a file in this form.
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
    content: Content<R>,
}

enum Content<R: Exportable> {
    /// It is there and whole, with this length in bytes.
    Whole(u64),
    Records(Box<dyn NewFile>, Box<RecordFile<R>>),
    Rollup(Box<dyn NewFile>, Box<RollupWriter<BufWriter<File>>>, Rollup),
}

/// A day whose file was written, or was there.
enum ClosedDay {
    Whole(PathBuf, u64),
    Written(PathBuf, Box<dyn NewFile>),
}

/// The files of all days, and how many bytes of them were written.
pub struct PublishedDays {
    pub files: Vec<ExportedFile>,
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
        let mut published = PublishedDays { files: Vec::new(), written_files: 0, written_bytes: 0 };
        for day in self.closed {
            if !keep_going() {
                return Err(ExportError::Interrupted);
            }
            let (path, bytes) = match day {
                ClosedDay::Whole(path, bytes) => (path, bytes),
                ClosedDay::Written(path, partial) => {
                    let bytes = partial.publish()?;
                    published.written_files += 1;
                    published.written_bytes += bytes;
                    (path, bytes)
                }
            };
            published.files.push(ExportedFile { path, bytes });
        }
        Ok(published)
    }
}

impl<R: Exportable> OpenDay<R> {
    fn begin(files: DayFiles<'_>, number: u64) -> Result<OpenDay<R>, ExportError> {
        let path = files.key.day_file(number, files.name::<R>());
        let there = files.destination.length_where_whole(&path, &files.key.run, files.format::<R>())?;
        if let Some(bytes) = there {
            return Ok(OpenDay { number, path, content: Content::Whole(bytes) });
        }
        let partial = files.destination.begin(&path, files.readers)?;
        let file = partial.file()?;
        let content = match files.form {
            ExportForm::Records => {
                let records = RecordFile::begin(file).map_err(|error| partial.not_written(error))?;
                Content::Records(partial, Box::new(records))
            }
            ExportForm::Rollup => {
                let writer = RollupWriter::new(BufWriter::new(file));
                let writer = writer.map_err(|error| partial.not_written(system_error(error)))?;
                Content::Rollup(partial, Box::new(writer), Rollup::default())
            }
        };
        Ok(OpenDay { number, path, content })
    }

    fn append(&mut self, records: &[R], began: u64, origin: &R::Origin) -> Result<(), ExportError> {
        match &mut self.content {
            Content::Whole(_) => Ok(()),
            Content::Records(partial, file) => {
                file.append(records).map_err(|error| partial.not_written(error))
            }
            Content::Rollup(partial, writer, rollup) => {
                let mut latest = None;
                for record in records {
                    let interval =
                        RollupInterval::of_unix_nanos(began.saturating_add(record.time().as_nanos()));
                    rollup.add(&record.rolled(interval, origin));
                    latest = Some(interval);
                }
                // What comes later is of this interval or of later ones: the memory of those before is free again.
                let ended = latest.map(|latest| rollup.take_before(latest)).unwrap_or_default();
                writer.append(&ended).map_err(|error| partial.not_written(system_error(error)))
            }
        }
    }

    fn close(self, files: DayFiles<'_>) -> Result<ClosedDay, ExportError> {
        let run = (RUN_WORD, files.key.run.clone());
        let partial = match self.content {
            Content::Whole(bytes) => return Ok(ClosedDay::Whole(self.path, bytes)),
            Content::Records(partial, file) => {
                let format = (FORMAT_WORD, files.format::<R>().to_owned());
                file.finish(&[format, run]).map_err(|error| partial.not_written(error))?;
                partial
            }
            Content::Rollup(partial, mut writer, rollup) => {
                let ended = writer.append(&rollup).and_then(|()| writer.finish(&[run]));
                let file = ended.map_err(|error| partial.not_written(system_error(error)))?;
                let flushed = file.into_inner().map_err(std::io::IntoInnerError::into_error);
                flushed.map_err(|error| partial.not_written(error))?;
                partial
            }
        };
        Ok(ClosedDay::Written(self.path, partial))
    }
}
