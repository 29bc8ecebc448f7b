//! What the runs leave beside their records: pages and documents.

use std::path::{Path, PathBuf};

use drivelab_report::{Comparison, ConsistencyDocument, html};

use super::super::{output, report};
use crate::exit::Failure;
use crate::kept::KeptRun;
use crate::missing::SUMMARY;

/// Gives every run a page and a document of its own, and all of them one together. Returns that page.
pub fn write(runs: &[KeptRun], output: &Path) -> Result<PathBuf, Failure> {
    for run in runs {
        let alone = Comparison { title: run.manifest.label.clone(), runs: vec![run.report()?] };
        let folder = output.join(run.folder.as_deref().unwrap_or_default());
        output::write_file(&folder.join("report.html"), html(&alone).as_bytes())?;
        write_document(&folder.join(SUMMARY), &alone)?;
    }
    let comparison = report::compare(runs)?;
    write_document(&output.join("comparison.json"), &comparison)?;
    let page = output.join("report.html");
    output::write_file(&page, html(&comparison).as_bytes())?;
    Ok(page)
}

fn write_document(path: &Path, comparison: &Comparison<'_>) -> Result<(), Failure> {
    let text = serde_json::to_string(&ConsistencyDocument::of(comparison))
        .map_err(|error| Failure::Environment(format!("{}: {error}", path.display())))?;
    output::write_file(path, text.as_bytes())
}
