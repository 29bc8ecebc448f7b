//! What a run took, noted in its manifest and kept in its folder.

use std::path::Path;

use drivelab_record::{EnergyDocument, EnergyReport, Manifest, Notice, Severity};
use drivelab_stats::PowerTrack;

use super::beside::keep_readings;
use super::keep_figures;
use crate::Failure;
use crate::conditions::condition;

/// Notes what was drawn, or why that is not known, and keeps the figures where there is a folder.
pub fn note(manifest: &mut Manifest, folder: Option<&Path>, report: Result<EnergyReport, Failure>) {
    note_document(
        manifest,
        folder,
        report.map(|report| (EnergyDocument::from_report(&report), report.track)),
    );
}

/// The same of figures that are worked out already, with the readings that they are of.
pub fn note_document(
    manifest: &mut Manifest,
    folder: Option<&Path>,
    found: Result<(EnergyDocument, PowerTrack), Failure>,
) {
    let kept = found.and_then(|(document, track)| {
        let said = document.notices.iter().chain(&document.withheld);
        let said = said.map(|text| Notice { severity: Severity::Warning, text: text.clone() });
        manifest.notices.extend(said);
        let lines = document.conditions().into_iter();
        manifest.conditions.extend(lines.map(|line| condition(&line.group, &line.name, line.value)));
        if let Some(outcome) = &mut manifest.outcome {
            outcome.energy = Some(document.clone());
        }
        let Some(folder) = folder else { return Ok(()) };
        keep_figures(folder, &document)?;
        Ok(keep_readings(folder, &track)?)
    });
    if let Err(why) = kept {
        let text = format!("What was drawn is not known, or not kept: {why}.");
        manifest.notices.push(Notice { severity: Severity::Warning, text });
    }
}
