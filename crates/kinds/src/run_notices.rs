//! What the reader of a run has to know, besides what it noted itself.

use drivelab_record::{Manifest, Notice, Phase, Severity};

use crate::RecordsAnalysis;

/// That it never came to what it was made for, and that records do not belong to it.
pub(crate) fn notices(run: &Manifest, records: &RecordsAnalysis) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut fail = |text: String| notices.push(Notice { severity: Severity::Failure, text });
    let was_measured = run.phases.iter().any(|phase| is_planned(run, phase));
    if let Some(last) = run.phases.last().filter(|_| !was_measured) {
        fail(format!(
            "The run ended in its phase \"{}\" and was never measured: there are no figures of it.",
            last.name
        ));
    }
    if records.run.orphans > 0 {
        fail(format!("{} records belong to no phase of this run.", records.run.orphans));
    }
    notices
}

/// Whether this is a phase that was to be measured.
pub(crate) fn is_planned(run: &Manifest, phase: &Phase) -> bool {
    run.measured.contains(&phase.name)
}
