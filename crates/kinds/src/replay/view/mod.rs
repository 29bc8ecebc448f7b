//! What is shown of replays.

mod figures;
mod verdict;

use drivelab_inspect::slow::SlowByDirection;
use drivelab_view::{Block, Notice, Section, Severity, View};

use super::Replay;
use crate::{Comparison, StoredResult, Test as _, ios, shown};

/// The view of one replay, or of several next to each other, whose slow I/Os were judged at one threshold.
pub(super) fn view(compared: &Comparison<'_, Replay>) -> View {
    let mut head: Vec<Block> = faster(compared).into_iter().collect();
    head.extend(shown::verdicts(compared, |one| verdict::verdict(one).unwrap_or_else(|none| none)));
    let sentence = |slow: &SlowByDirection| slow.threshold_sentence(compared.len() > 1);
    let replayed = compared.iter().filter_map(|one| one.findings.replayed.as_ref());
    let sentence = replayed.map(|replayed| &replayed.slow_ios).find_map(sentence);
    let note = |text| Block::Notices(vec![Notice { severity: Severity::Note, text }]);
    head.extend(sentence.map(note));
    let mut sections = vec![Section::summary(None, head), figures::figures(compared)];
    sections.extend(ios::rate(compared));
    ios::view(compared, title(compared), sections)
}

/// The title: of several of one trace the trace is named, and by the drive alone each of them ([`name_of`]).
fn title(compared: &Comparison<'_, Replay>) -> String {
    match &**compared {
        [first, _, ..] if are_of_one_trace(compared.iter().map(|one| &**one)) => {
            format!("Replay of {} on {}", first.settings.trace, shown::subject(compared))
        }
        _ => shown::title(compared),
    }
}

fn are_of_one_trace<'a>(results: impl Iterator<Item = &'a StoredResult<Replay>>) -> bool {
    let mut digests = results.map(|kept| &kept.settings.trace_digest);
    let first = digests.next();
    digests.all(|other| Some(other) == first)
}

/// What a replay is called next to others: if all are of its trace, by the name that it was given, or else by its drive.
pub(super) fn name_of<'r>(results: &'r [StoredResult<Replay>], kept: &'r StoredResult<Replay>) -> &'r str {
    let run = &kept.run;
    let is_named_by_trace = results.len() < 2 || !are_of_one_trace(results.iter());
    if !is_named_by_trace && run.label == Replay::label(&run.target, &kept.settings) {
        &run.target
    } else {
        &run.label
    }
}

/// Which drive answered faster, in a sentence; nothing where the replays cannot be compared.
fn faster(compared: &Comparison<'_, Replay>) -> Option<Block> {
    let have_failed = compared.iter().any(|one| one.findings.ios.records.failed > 0);
    if have_failed || !ios::lasted_alike(compared) {
        return None;
    }
    shown::times_faster(compared, "the mean service time of this trace", |found| {
        let service = found.replayed.as_ref()?.service_ns.all.as_ref()?;
        (service.mean > 0.0).then(|| 1.0 / service.mean)
    })
}

/// Whether a replay that ended by itself made every request of its trace, and none failed.
pub(super) fn is_complete(kept: &StoredResult<Replay>) -> bool {
    let found = &kept.findings;
    let (asked, made) = (found.trace.as_ref(), found.replayed.as_ref());
    let made_all = asked.zip(made).is_some_and(|(asked, made)| made.requests.sum() == asked.requests);
    made_all && found.ios.records.failed == 0
}

/// Why replays are not ranked that did not make the same requests.
pub(super) fn unlike(results: &[StoredResult<Replay>]) -> Option<&'static str> {
    let made = |kept: &StoredResult<Replay>| {
        let depth = kept.findings.handling.as_ref().map(|handling| handling.queue_depth);
        let replayed = kept.findings.replayed.as_ref();
        (depth, replayed.map(|replayed| (replayed.requests.clone(), replayed.bytes.clone())))
    };
    let are_equal = results.windows(2).all(|pair| made(&pair[0]) == made(&pair[1]));
    (!are_equal).then_some(
        "The replays did not make the same requests with as many in flight: no value is marked as the best.",
    )
}
