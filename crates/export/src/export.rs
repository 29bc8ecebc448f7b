//! One result, into its files.

use std::cmp::Ordering;

use drivelab_block::{Completion, TracedIo};
use drivelab_record::SortedReader;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalogue::{self, CatalogueEntry};
use crate::days::{DayFiles, DayWriter, EarlierFiles, PublishedDays};
use crate::destination::{Destination, Readers};
use crate::exported_files::{ExportedFile, ExportedFiles};
use crate::rolled::{Exportable, RunOrigin, TraceOrigin};
use crate::source::{ExportSource, RunRecords, SourceRecords, TraceRecords};
use crate::{ExportError, ExportForm};

/// What came of the export of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportedResult {
    /// How many records it has; null where it keeps none, and has a row of the catalogue only.
    pub records: Option<u64>,
    /// Its files in the destination, one a day.
    pub files: u64,
    /// Their length.
    pub bytes: u64,
    /// Those of them that were not there before.
    pub written_files: u64,
    /// Their length.
    pub written_bytes: u64,
    /// Whether its row of the catalogue or of the table of drives was not there before, or was another one.
    pub is_row_written: bool,
}

/// Exports a result. Files that are there and whole are left alone. `keep_going` is asked between batches of records.
///
/// # Errors
/// Where the destination cannot be written, the records are damaged, or it is not to go on; no file is half then.
pub fn export(
    source: &ExportSource,
    destination: &dyn Destination,
    form: ExportForm,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<ExportedResult, ExportError> {
    let mut forms = catalogue::forms_at(destination, &source.rows.row.key)?;
    let read = match &source.records {
        SourceRecords::None => None,
        SourceRecords::Run(run) => {
            let files = source.day_files(destination, form, Readers::All);
            Some(of_run(run, files, forms.get(&form), keep_going)?)
        }
        SourceRecords::Trace(trace) => {
            let readers = match form {
                ExportForm::Records => Readers::Owner,
                ExportForm::Rollup => Readers::All,
            };
            let files = source.day_files(destination, form, readers);
            Some(of_trace(trace, files, forms.get(&form), keep_going)?)
        }
    };
    let mut exported = ExportedResult::default();
    if let Some(PublishedDays { files, written_files, written_bytes }) = read {
        exported = ExportedResult {
            records: Some(files.records),
            written_files,
            written_bytes,
            files: files.files.len() as u64,
            bytes: files.bytes(),
            is_row_written: false,
        };
        forms.insert(form, files);
    }
    exported.is_row_written = source.rows.write(destination, &forms, forms.get(&form))?;
    Ok(exported)
}

impl ExportSource {
    fn day_files<'a>(
        &'a self,
        destination: &'a dyn Destination,
        form: ExportForm,
        readers: Readers,
    ) -> DayFiles<'a> {
        let earlier = match &self.records {
            SourceRecords::Trace(trace) if trace.segments.is_some() => EarlierFiles::MayDiffer,
            SourceRecords::None | SourceRecords::Run(_) | SourceRecords::Trace(_) => EarlierFiles::Equal,
        };
        let CatalogueEntry { key, began, .. } = &self.rows.row;
        DayFiles { destination, key, began: began.unix_ns, form, readers, earlier }
    }
}

fn of_run(
    run: &RunRecords,
    files: DayFiles<'_>,
    known: Option<&ExportedFiles>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<PublishedDays, ExportError> {
    if let Some(whole) = whole_as_before::<Completion>(files, known, None)? {
        return Ok(whole);
    }
    let reader = SortedReader::<Completion>::open(&run.folder.segments(), 0)?;
    read(reader, files, &RunOrigin::from_run(&run.run), Some(run.count), keep_going)
}

fn of_trace(
    trace: &TraceRecords,
    files: DayFiles<'_>,
    known: Option<&ExportedFiles>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<PublishedDays, ExportError> {
    if let Some(whole) = whole_as_before::<TracedIo>(files, known, trace.segments)? {
        return Ok(whole);
    }
    let origin = TraceOrigin::from_trace(&trace.trace);
    let mut result = read(trace.folder.reader()?, files, &origin, trace.count, keep_going)?;
    if trace.segments.is_some() {
        keep_earlier_days::<TracedIo>(&mut result.files, files, known)?;
        result.files.segments = trace.segments;
    }
    Ok(result)
}

/// What an earlier export made of the same result, where all of it is there: of a recorded trace with the same segments.
fn whole_as_before<R: Exportable>(
    files: DayFiles<'_>,
    known: Option<&ExportedFiles>,
    segments: Option<u64>,
) -> Result<Option<PublishedDays>, ExportError> {
    let Some(known) = known.filter(|known| known.segments == segments) else { return Ok(None) };
    let are_whole = known.are_whole(files.destination, &files.key.run, files.format::<R>())?;
    Ok(are_whole.then(|| PublishedDays { files: known.clone(), written_files: 0, written_bytes: 0 }))
}

/// Keeps what the catalogue says of days whose segments were removed since they were exported.
fn keep_earlier_days<R: Exportable>(
    result: &mut ExportedFiles,
    files: DayFiles<'_>,
    known: Option<&ExportedFiles>,
) -> Result<(), ExportError> {
    let Some(known) = known else { return Ok(()) };
    for earlier in &known.files {
        if result.files.iter().any(|file| file.path == earlier.path) {
            continue;
        }
        let there = files.destination.whole_file(&earlier.path, &files.key.run, files.format::<R>())?;
        if let Some(there) = there {
            result.records += there.records;
            result.files.push(ExportedFile { path: earlier.path.clone(), bytes: there.bytes });
        }
    }
    result.files.sort_by(|one, other| one.path.cmp(&other.path));
    result.last_ns = result.last_ns.max(known.last_ns);
    Ok(())
}

/// Reads all records of a result that has `count` of them, where that is known, and writes the files that are not there.
fn read<R: Exportable>(
    mut reader: SortedReader<R>,
    files: DayFiles<'_>,
    origin: &R::Origin,
    count: Option<u64>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<PublishedDays, ExportError> {
    let mut days = DayWriter::new(files, origin);
    let (mut records, mut last_ns) = (0, 0);
    while let Some(batch) = reader.next_batch() {
        if !keep_going() {
            return Err(ExportError::Interrupted);
        }
        days.append(&batch)?;
        records += batch.len() as u64;
        last_ns = batch.last().map_or(last_ns, |last| last.time().as_nanos());
        reader.recycle(batch);
    }
    check_all_were_read(records, count.unwrap_or(records), reader.faults())?;
    let mut published = days.publish(keep_going)?;
    published.files.last_ns = last_ns;
    Ok(published)
}

/// Refuses records that are not those that the result made.
fn check_all_were_read(records: u64, count: u64, faults: &[String]) -> Result<(), ExportError> {
    let what = match records.cmp(&count) {
        _ if !faults.is_empty() => faults.join("; "),
        Ordering::Less => format!("{} of its {count} records are missing", count - records),
        Ordering::Greater => format!("it has {} records that it did not make", records - count),
        Ordering::Equal => return Ok(()),
    };
    Err(ExportError::Damaged(format!("its records are damaged ({what}): put back a whole copy")))
}
