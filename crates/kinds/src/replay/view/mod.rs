//! What is shown of replays.

mod figures;
mod verdict;

use drivelab_inspect::slow::SlowByDirection;
use drivelab_view::{Block, Notice, Ranking, Severity, Subject, View};

use super::Replay;
use crate::ios::Compared;
use crate::{StoredResult, Test as _, ios, shown};

/// The view of one replay, or of several next to each other, whose slow I/Os were judged at one threshold.
pub(super) fn view(results: &[StoredResult<Replay>]) -> View {
    let (title, subjects) = named(results);
    let mut head: Vec<Block> = faster(results, &subjects).into_iter().collect();
    head.extend(shown::verdicts(results, verdict::verdict));
    let sentence = |slow: &SlowByDirection| slow.threshold_sentence(results.len() > 1);
    let sentence = results.iter().filter_map(slow_ios).find_map(sentence);
    let note = |text| Block::Notices(vec![Notice { severity: Severity::Note, text }]);
    head.extend(sentence.map(note));
    ios::view(results, (title, subjects), head, figures::figures(results))
}

/// The title, and what the results are called: by the drive alone where all are of one trace.
fn named(results: &[StoredResult<Replay>]) -> (String, Vec<Subject>) {
    match results {
        [first, others @ ..]
            if !others.is_empty()
                && others.iter().all(|other| other.settings.trace_digest == first.settings.trace_digest) =>
        {
            let title = format!("Replay of {} on {}", first.settings.trace, shown::subject(results));
            (title, crate::labels::labelled(results, name_of))
        }
        _ => (shown::title(results), crate::labels::subjects(results)),
    }
}

/// What a replay is called next to others of its trace: the name that it was given, or else its drive.
fn name_of(kept: &StoredResult<Replay>) -> &str {
    let run = &kept.run;
    if run.label == Replay::label(&run.target, &kept.settings) { &run.target } else { &run.label }
}

/// Which drive answered faster, in a sentence; nothing where the replays cannot be compared.
fn faster(results: &[StoredResult<Replay>], subjects: &[Subject]) -> Option<Block> {
    let failed = |kept: &StoredResult<Replay>| kept.findings.ios.records.failed > 0;
    let is_alike = Compared::from_results(results).lasted_alike() && !results.iter().any(failed);
    if ranking(results) != Ranking::Ranked || !is_alike {
        return None;
    }
    let labels = subjects.iter().map(|subject| subject.label.as_str());
    shown::times_as_fast(results.iter().zip(labels), "the mean service time of this trace", |found| {
        let service = found.replayed.as_ref()?.service_ns.all.as_ref()?;
        (service.mean > 0.0).then(|| 1.0 / service.mean)
    })
}

/// What is found of the slow I/Os of a result.
fn slow_ios(kept: &StoredResult<Replay>) -> Option<&SlowByDirection> {
    kept.findings.replayed.as_ref().map(|replayed| &replayed.slow_ios)
}

/// Whether a replay that ended by itself made every request of its trace, and none failed.
fn is_complete(kept: &StoredResult<Replay>) -> bool {
    let found = &kept.findings;
    let (asked, made) = (found.trace.as_ref(), found.replayed.as_ref());
    let made_all = asked.zip(made).is_some_and(|(asked, made)| made.requests.sum() == asked.requests);
    made_all && found.ios.records.failed == 0
}

/// Whether figures are ranked: only of replays that made the same requests.
pub(super) fn ranking(results: &[StoredResult<Replay>]) -> Ranking {
    let made = |kept: &StoredResult<Replay>| {
        let depth = kept.findings.handling.as_ref().map(|handling| handling.queue_depth);
        let replayed = kept.findings.replayed.as_ref();
        (depth, replayed.map(|replayed| (replayed.requests.clone(), replayed.bytes.clone())))
    };
    let are_equal = results.windows(2).all(|pair| made(&pair[0]) == made(&pair[1]));
    match crate::ranking::ranking_of_complete(results, is_complete) {
        Ranking::Ranked if !are_equal => {
            let text = "The replays did not make the same requests with as many in flight: no value is marked as the best.";
            Ranking::NotRanked(text.to_owned())
        }
        ranking => ranking,
    }
}
