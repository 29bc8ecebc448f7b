//! The results that were found, one after the other.

use std::path::{Path, PathBuf};

use drivelab_export::{ExportSource, SourceError, SourceOptions};
use drivelab_record::RunFolder;
use drivelab_trace::TraceFolder;

use super::NotExported;
use crate::commands::found_folders::FoundFolders;

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
