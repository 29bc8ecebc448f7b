//! `drivelab export`: results as Parquet for query engines.

mod clocks;
pub mod document;
pub mod place;

use std::path::{Path, PathBuf};

use clocks::DatedResult;
use document::{ExportDocument, ExportedDocument};
use drivelab_export::{Destination, ExportError, ExportSource, SourceError, SourceOptions, export};
use drivelab_record::RunFolder;
use drivelab_runner::{Ending, Failure, output, say, signals, unix_seconds};
use drivelab_trace::TraceFolder;
use place::PlaceUse;

use crate::args::{ExportArgs, ExportPlace};
use crate::commands::folders::FoundFolders;

/// What an export leaves that is given up.
const GIVEN_UP: &str = "what was exported is whole and stays: the same command goes on with the rest";

/// Exports every result below the folders. What cannot be exported is named, and the rest is.
pub fn main(args: &ExportArgs) -> Result<Ending, Failure> {
    if let ExportPlace::Folder(folder) = &args.destination {
        place::check(folder, &PlaceUse { option: "--destination", done: "exported" }, &args.folders)?;
    }
    let found = FoundFolders::below(&args.folders)?;
    if found.is_empty() {
        return Err(Failure::Usage(FoundFolders::nothing_in(&args.folders)));
    }
    let destination = place::open(&args.destination)?;
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let mut keep_going = || !interrupt.is_raised();
    let options =
        SourceOptions { host: args.host.as_ref(), started: args.started, hides_serial: args.hide_serial };
    let mut done = ExportDocument::new(&args.destination, args.form, found.left_out.clone());
    let mut dated: Vec<DatedResult> = Vec::new();
    for (folder, source) in sources(&found, options) {
        let exported = source.and_then(|source| {
            place::make(&args.destination)?;
            one(&source, &folder, destination.as_ref(), args, &mut keep_going)
        });
        match exported {
            Ok(Some(exported)) => {
                dated.extend(exported.dated);
                done.results.push(exported.document);
            }
            Ok(None) => {
                done.print(args.json.is_asked)?;
                return Ok(Ending::Interrupted);
            }
            // The next one would find no room either.
            Err(NotExported::Stops(failure)) => return Err(failure),
            Err(NotExported::LeftOut(why)) => done.left_out.push(why),
        }
    }
    if done.results.is_empty() {
        return Err(Failure::Usage(done.left_out.join("\n")));
    }
    done.left_out.iter().for_each(|why| say!("left out: {why}"));
    done.clocks = clocks::doubts(&dated, unix_seconds());
    done.clocks.iter().for_each(output::say);
    done.print(args.json.is_asked)?;
    Ok(if done.left_out.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

pub enum NotExported {
    /// It alone cannot be; a sentence with the name of its folder.
    LeftOut(String),
    /// No result can be.
    Stops(Failure),
}

impl From<Failure> for NotExported {
    fn from(failure: Failure) -> NotExported {
        NotExported::Stops(failure)
    }
}

struct ExportedRun {
    document: ExportedDocument,
    /// Its date, where its machine's clock gave it one.
    dated: Option<DatedResult>,
}

/// Exports a result; none where it was interrupted.
fn one(
    source: &ExportSource,
    folder: &Path,
    destination: &dyn Destination,
    args: &ExportArgs,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<ExportedRun>, NotExported> {
    match export(source, destination, args.form, keep_going) {
        Ok(exported) => Ok(Some(ExportedRun {
            dated: source.clock_start().map(|at| DatedResult {
                folder: folder.display().to_string(),
                host: source.host().to_string(),
                at,
                is_new: exported.is_row_written,
            }),
            document: ExportedDocument::from_export(folder, source, exported),
        })),
        Err(ExportError::Interrupted) => Ok(None),
        Err(ExportError::NotWritten { path, source }) => Err(Failure::not_written(&path, &source).into()),
        Err(ExportError::Store(error)) => Err(place::store_failure(&error).into()),
        Err(error) => Err(NotExported::LeftOut(format!("{}: {error}", folder.display()))),
    }
}

type OpenedSource = (PathBuf, Result<ExportSource, NotExported>);

/// Opens each result when its turn has come, runs first.
pub fn sources<'a>(
    found: &'a FoundFolders,
    options: SourceOptions<'a>,
) -> impl Iterator<Item = OpenedSource> + use<'a> {
    let runs = found.runs.iter().map(move |folder| (folder.clone(), run(folder, options)));
    let boots = found.boots.iter().map(|folder| (folder, true));
    let traces = boots.chain(found.traces.iter().map(|folder| (folder, false)));
    runs.chain(traces.map(move |(folder, is_boot)| (folder.clone(), trace(folder, is_boot, options))))
}

fn run(folder: &Path, options: SourceOptions<'_>) -> Result<ExportSource, NotExported> {
    let (opened, run) = RunFolder::open(folder).map_err(|error| NotExported::LeftOut(error.to_string()))?;
    ExportSource::of_run(opened, run, options).map_err(|error| refused(folder, error))
}

/// The trace of a boot is in the folder of the boot.
fn trace(folder: &Path, is_boot: bool, options: SourceOptions<'_>) -> Result<ExportSource, NotExported> {
    let (opened, trace) =
        TraceFolder::open(folder).map_err(|error| NotExported::LeftOut(error.to_string()))?;
    ExportSource::of_trace(opened, trace, is_boot, options).map_err(|error| refused(folder, error))
}

fn refused(folder: &Path, error: SourceError) -> NotExported {
    NotExported::LeftOut(format!("{}: {error}", folder.display()))
}
