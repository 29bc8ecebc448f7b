//! Records that a run made and that are not there any more: what is said of them, and what is not said then.

use drivelab_documents::{Manifest, Outcome};
use drivelab_stats::RunAnalysis;

/// Completions that the analysis has seen.
pub fn seen(analysis: &RunAnalysis) -> u64 {
    let phases = analysis.phases().iter();
    analysis.orphans + phases.map(|phase| phase.completed() + phase.failed()).sum::<u64>()
}

/// Completions that a run counted and that the analysis has not seen; `None` for a run that was killed and
/// counted none.
pub fn missing(manifest: &Manifest, analysis: &RunAnalysis) -> Option<u64> {
    let outcome = manifest.outcome.as_ref()?;
    Some(outcome.completions.saturating_sub(seen(analysis)))
}

/// What is wrong with records that are all there and cannot be those of the run, in a few words. `found` of them were there.
pub fn foreign(outcome: &Outcome, found: u64, hash: Option<&str>) -> Option<String> {
    if found > outcome.completions {
        let more = found - outcome.completions;
        return Some(format!("there are {more} records that the run did not make"));
    }
    let differs = outcome.completions_hash.as_deref().zip(hash).is_some_and(|(made, found)| made != found);
    (found == outcome.completions && differs)
        .then(|| "the records are not those that the run made, by their hash".to_owned())
}

/// What is wrong with the records of a run whose figures were kept apart from them, in a sentence without its final stop; none
/// where all are there but those that the run itself lost.
pub fn damage(outcome: &Outcome, found: u64, faults: &[String]) -> Option<String> {
    let gone = outcome.completions.saturating_sub(outcome.lost_records).saturating_sub(found);
    if gone == 0 && faults.is_empty() {
        return None;
    }
    let (what, why) = (what_is_missing(outcome, gone), in_words(faults));
    Some(format!(
        "{what}, {why}: put back a whole copy; the figures are those that were kept when the run ended"
    ))
}

/// Why figures are withheld, in a sentence without its final stop; `None` where everything that the run recorded was seen.
pub fn withheld(manifest: &Manifest, analysis: &RunAnalysis, faults: &[String]) -> Option<String> {
    let count = missing(manifest, analysis);
    if count.unwrap_or(0) == 0 && faults.is_empty() {
        return None;
    }
    let what = match (count, &manifest.outcome) {
        (Some(count), Some(outcome)) => what_is_missing(outcome, count),
        _ => "Records of this run are missing".to_owned(),
    };
    // What was lost while the run went on cannot be had back; a file may be.
    let lost = manifest.outcome.as_ref().map_or(0, |outcome| outcome.lost_records);
    let gone = in_words(faults);
    let why = if count.is_some_and(|count| (1..=lost).contains(&count)) {
        "lost while it ran: the figures need them all and are withheld".to_owned()
    } else if lost > 0 {
        format!("{gone}, and {lost} were lost while it ran: the figures need them all and are withheld")
    } else {
        format!("{gone}: put back a whole copy; until then the figures are withheld")
    };
    Some(format!("{what}, {why}"))
}

fn what_is_missing(outcome: &Outcome, missing: u64) -> String {
    match missing {
        0 => "The records of this run are not as it left them".to_owned(),
        count => format!("{count} of the run's {} records are missing", outcome.completions),
    }
}

fn in_words(faults: &[String]) -> String {
    if faults.is_empty() { "files of it are gone".to_owned() } else { faults.join("; ") }
}

/// The same phases without a completion: what is left of a run with gaps is not to be shown as a run.
pub fn emptied(analysis: &RunAnalysis) -> RunAnalysis {
    let mut empty = RunAnalysis::default();
    for phase in analysis.phases() {
        empty.begin_phase(phase.started_at, phase.loop_kind);
    }
    empty
}
