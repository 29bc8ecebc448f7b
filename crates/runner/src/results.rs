//! Results: what a test leaves in its folder, how that is opened again, and where a result is shown.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use drivelab_record::{Manifest, RunFolder};
use drivelab_report::EnergyDocument;
use drivelab_tests::{Document, FindingsFile, Kept, ResultKind};
use drivelab_view::{Page, html, terminal};

use crate::{Failure, Finished, gauges_of_all_phases, output};

/// The page in the folder of a result.
const PAGE: &str = "report.html";

/// Where a result goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Destination<'a> {
    /// The folder that keeps it, where it is to be kept.
    pub folder: Option<&'a Path>,
    /// A page besides that of the folder.
    pub page: Option<&'a Path>,
    /// Whether one JSON document is printed instead of the summary.
    pub json: bool,
}

/// A run that has just ended as a result.
pub fn of_finished<K: ResultKind>(
    finished: Finished,
    settings: K::Settings,
    findings: K::Findings,
) -> Kept<K> {
    let folder = finished.folder.as_ref().map(RunFolder::path);
    of_manifest(finished.manifest, folder, settings, findings)
}

/// A run that has just ended, and was kept in this folder, as a result.
pub fn of_manifest<K: ResultKind>(
    run: Manifest,
    folder: Option<&Path>,
    settings: K::Settings,
    findings: K::Findings,
) -> Kept<K> {
    let gauges = folder.map_or_else(Vec::new, |folder| gauges_of_all_phases(folder, &run));
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let energy = energy_of(&run);
    Kept { folder: name, run, settings, findings, gauges, energy }
}

/// Opens a result of this kind from the folder that it was kept in.
pub fn open<K: ResultKind>(path: &Path) -> Result<Kept<K>, Failure> {
    let (_, run) = RunFolder::open(path)?;
    let damaged = |file: &Path, error: &dyn std::fmt::Display| {
        Failure::Usage(format!("{}: damaged ({error}): put back a whole copy", file.display()))
    };
    let settings: K::Settings = serde_json::from_value(run.settings.clone())
        .map_err(|error| damaged(&path.join("run.json"), &error))?;
    let file = path.join(FindingsFile::<K::Findings>::NAME);
    let text = fs::read(&file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Usage(format!(
            "{}: the test ended before it had findings (there is no findings.json): run it again",
            path.display()
        )),
        _ => Failure::io(&file.display().to_string(), &error),
    })?;
    let found: FindingsFile<K::Findings> =
        serde_json::from_slice(&text).map_err(|error| damaged(&file, &error))?;
    let findings =
        found.of_run::<K>(&run).map_err(|why| Failure::Usage(format!("{}: {why}", file.display())))?;
    let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = name.file_name().map(|name| name.to_string_lossy().into_owned());
    let energy = energy_of(&run);
    Ok(Kept { folder, gauges: gauges_of_all_phases(path, &run), run, settings, findings, energy })
}

fn energy_of(manifest: &Manifest) -> Option<EnergyDocument> {
    let energy = manifest.outcome.as_ref()?.energy.clone()?;
    serde_json::from_value(energy).ok()
}

impl Destination<'_> {
    /// Says what stands against the page, before anything is done that it is to show.
    pub fn check(&self) -> Result<(), Failure> {
        self.page.map_or(Ok(()), |page| output::check_place(page, b'<'))
    }

    /// Keeps the findings of a result in its folder.
    pub fn keep<K: ResultKind>(&self, kept: &Kept<K>) -> Result<(), Failure> {
        let Some(folder) = self.folder else { return Ok(()) };
        let file = folder.join(FindingsFile::<K::Findings>::NAME);
        output::write_file(&file, &output::pretty(&FindingsFile::of(kept))?)
    }

    /// Shows results of one kind: as a page, and as a summary or a document.
    pub fn show<K: ResultKind>(&self, results: &[Kept<K>]) -> Result<(), Failure> {
        let page = Page::of(K::view(results));
        let in_folder = self.folder.map(|folder| folder.join(PAGE));
        let places: Vec<&Path> = in_folder.as_deref().into_iter().chain(self.page).collect();
        for place in &places {
            output::write_file(place, html(&page).as_bytes())?;
        }
        match results {
            [one] if self.json => drop(output::print_json(&Document::of(one))?),
            several if self.json => {
                let documents: Vec<_> = several.iter().map(Document::of).collect();
                output::print_json(&documents)?;
            }
            _ => drop(output::print(&terminal(&page, output::view_style()))?),
        }
        places.iter().for_each(|place| output::say(format_args!("report: {}", place.display())));
        Ok(())
    }
}
