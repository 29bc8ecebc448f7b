//! What has to be known of a run that is read as a trace.

use drivelab_inspect::trace::AskedLoad;
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::replay::{Replay, ReplaySettings, ReplayTiming};
use drivelab_stats::TraceAnalysis;
use drivelab_trace::SourceRun;

/// Who asked for its load: a replay at the trace's own times asks for what the trace does.
pub fn asked(run: &SourceRun) -> AskedLoad {
    let (kind, settings) = (run.manifest.method.clone(), run.manifest.settings.clone());
    let is_as_traced = |asked: &ReplaySettings| {
        let is_at_its_speed = (asked.speed - 1.0).abs() < f64::EPSILON;
        asked.timing == ReplayTiming::Recorded && is_at_its_speed && asked.max_idle_ns.is_none()
    };
    match serde_json::from_value::<ReplaySettings>(settings.clone()) {
        Ok(asked) if kind == Replay::NAME && is_as_traced(&asked) => AskedLoad::AsTraced,
        _ => AskedLoad::Test { kind, settings },
    }
}

/// What the reader has to know before believing the figures, a sentence each.
pub fn notices(run: &SourceRun, analysis: &TraceAnalysis) -> Vec<String> {
    let mut notices = Vec::new();
    if run.manifest.outcome.is_none() {
        notices.push("The run was killed, or still goes on: what there is of it is shown.".to_owned());
    }
    if analysis.failed() > 0 {
        let failed = analysis.failed();
        notices
            .push(format!("{failed} I/Os failed: they are in the figures with the time until their error."));
    }
    notices
}

/// That completions of the run are not in its records, where they are not; `found` were read, of all phases.
pub fn gap(run: &SourceRun, found: u64) -> Option<String> {
    let whole = run.manifest.outcome.as_ref()?.completions;
    let lost = whole.checked_sub(found).filter(|lost| *lost > 0)?;
    Some(format!("Figures lack {lost} of the run's {whole} completions, which are not in its records."))
}
