//! What the runs leave beside their records: pages and documents.

use std::path::{Path, PathBuf};

use drivelab_analysis::SlowThreshold;
use drivelab_report::{Comparison, ConsistencyDocument, html};
use drivelab_runner::{Failure, output};

use super::super::report;
use crate::args::SlowArgs;
use crate::kept::{KeptRun, SUMMARY};

/// The page of a run, and that of all runs.
const PAGE: &str = "report.html";

/// Gives every run a page and a document of its own, and all of them one together. Returns that page.
///
/// Each is tried even where another found no room: what fits is there, and all that does not is named.
pub fn write(runs: &[KeptRun], output: &Path) -> Result<PathBuf, Failure> {
    let mut written = Vec::new();
    for run in runs {
        let alone =
            Comparison { title: run.manifest.label.clone(), runs: vec![run.report(SlowThreshold::Own)?] };
        let folder = output.join(run.folder.as_deref().unwrap_or_default());
        written.push(write_document(&folder.join(SUMMARY), &alone));
        written.push(output::write_file(&folder.join(PAGE), html(&alone).as_bytes()));
    }
    let comparison = report::compare(runs, &SlowArgs::default())?;
    written.push(write_document(&output.join("comparison.json"), &comparison));
    let page = output.join(PAGE);
    written.push(output::write_file(&page, html(&comparison).as_bytes()));
    Failure::all(written.into_iter().filter_map(Result::err)).map(|()| page)
}

fn write_document(path: &Path, comparison: &Comparison<'_>) -> Result<(), Failure> {
    let text = serde_json::to_string(&ConsistencyDocument::of(comparison))
        .map_err(|error| Failure::Environment(format!("{}: {error}", path.display())))?;
    output::write_file(path, text.as_bytes())
}
