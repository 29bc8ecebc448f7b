//! `drivelab export`: results as Parquet for query engines.

mod clocks;
pub mod document;
pub mod place;

use std::path::{Path, PathBuf};

use clocks::DatedResult;
use document::{ExportDocument, ExportedDocument};
use drivelab_export::{ExportError, ExportSource, SourceOptions, export};
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
        let source = match source {
            Ok(source) => source,
            Err(why) => {
                done.left_out.push(why);
                continue;
            }
        };
        place::make(&args.destination)?;
        let exported = match export(&source, destination.as_ref(), args.form, &mut keep_going) {
            Ok(exported) => exported,
            Err(ExportError::Interrupted) => {
                done.print(args.json.is_asked)?;
                return Ok(Ending::Interrupted);
            }
            // The next one would find no room either.
            Err(ExportError::NotWritten { path, source }) => {
                return Err(Failure::not_written(&path, &source));
            }
            Err(ExportError::Store(error)) => return Err(place::store_failure(&error)),
            Err(error) => {
                done.left_out.push(format!("{}: {error}", folder.display()));
                continue;
            }
        };
        dated.extend(source.clock_start().map(|at| DatedResult {
            folder: folder.display().to_string(),
            host: source.host().to_string(),
            at,
            is_new: exported.is_row_written,
        }));
        done.results.push(ExportedDocument::from_export(&folder, &source, exported));
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

/// Opens each result when its turn has come, runs first.
fn sources<'a>(
    found: &'a FoundFolders,
    options: SourceOptions<'a>,
) -> impl Iterator<Item = (PathBuf, Result<ExportSource, String>)> + use<'a> {
    let runs = found.runs.iter().map(move |folder| (folder.clone(), run(folder, options)));
    let boots = found.boots.iter().map(|folder| (folder, true));
    let traces = boots.chain(found.traces.iter().map(|folder| (folder, false)));
    runs.chain(traces.map(move |(folder, is_boot)| (folder.clone(), trace(folder, is_boot, options))))
}

fn run(folder: &Path, options: SourceOptions<'_>) -> Result<ExportSource, String> {
    let (opened, run) = RunFolder::open(folder).map_err(|error| error.to_string())?;
    ExportSource::of_run(opened, run, options).map_err(|why| format!("{}: {why}", folder.display()))
}

/// The trace of a boot is in the folder of the boot.
fn trace(folder: &Path, is_boot: bool, options: SourceOptions<'_>) -> Result<ExportSource, String> {
    let (opened, trace) = TraceFolder::open(folder).map_err(|error| error.to_string())?;
    let source = ExportSource::of_trace(opened, trace, is_boot, options);
    source.map_err(|why| format!("{}: {why}", folder.display()))
}
