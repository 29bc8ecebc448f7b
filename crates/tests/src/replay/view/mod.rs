//! What is shown of replays.

mod figures;
mod verdict;

use drivelab_analysis::{SlowThreshold, TraceAnalysis};
use drivelab_block::{Nanos, Op};
use drivelab_inspect::slow::{SlowByDirection, SlowReport, words};
use drivelab_view::{Block, Ranking, Subject, View};

use super::{Replay, replay_of};
use crate::ios::Compared;
use crate::{Kept, ResultKind as _, ios, shown};

/// The view of one replay, or of several next to each other: slow I/Os are judged at one threshold in all of them.
pub(super) fn view(results: &[Kept<Replay>]) -> View {
    let slow = Slow::of(results);
    let (title, subjects) = named(results);
    let mut head: Vec<Block> = faster(results, &subjects).into_iter().collect();
    head.extend(shown::verdicts(results, |subject, kept| {
        verdict::verdict(subject, kept, slow.of_result(subject))
    }));
    head.extend(slow.sentence.clone().map(Block::Text));
    ios::view(results, (title, subjects), head, figures::figures(results, &slow))
}

/// The title, and what the results are called: by the drive alone where all are of one trace.
fn named(results: &[Kept<Replay>]) -> (String, Vec<Subject>) {
    match results {
        [first, others @ ..]
            if !others.is_empty()
                && others.iter().all(|other| other.settings.trace == first.settings.trace) =>
        {
            let title =
                format!("Replay of {} on {} drives", first.settings.trace, shown::counted(results.len()));
            (title, crate::kept::labelled(results, |run| &run.target))
        }
        _ => (shown::title(results), crate::kept::subjects(results)),
    }
}

/// Which drive answered faster, in a sentence; nothing where the replays cannot be compared.
fn faster(results: &[Kept<Replay>], subjects: &[Subject]) -> Option<Block> {
    let failed = |kept: &Kept<Replay>| kept.findings.ios.records.failed > 0;
    let is_alike = Compared::of(results).lasted_alike() && !results.iter().any(failed);
    if ranking(results) != Ranking::Ranked || !is_alike {
        return None;
    }
    let labels = subjects.iter().map(|subject| subject.label.as_str());
    shown::times_as_fast(results.iter().zip(labels), "the mean service time of this trace", |found| {
        let service = found.replayed.as_ref()?.service_ns.all.as_ref()?;
        (service.mean > 0.0).then(|| 1.0 / service.mean)
    })
}

/// What is found of the slow I/Os of all results, at one threshold.
pub(super) struct Slow {
    of_each: Vec<Option<SlowByDirection>>,
    /// Which threshold that is, and why; none where each direction of a single replay has its own.
    sentence: Option<String>,
}

impl Slow {
    fn of(results: &[Kept<Replay>]) -> Slow {
        let made: Vec<Option<&TraceAnalysis>> = results.iter().map(made).collect();
        let threshold = threshold(results, &made);
        let judged = |(kept, made): (&Kept<Replay>, Option<&TraceAnalysis>)| {
            // A single replay was judged when its findings were taken.
            let own = kept.findings.replayed.as_ref().map(|replayed| replayed.slow_ios.clone());
            let at_threshold = |made| SlowByDirection::of(&SlowReport::of(made, threshold), made);
            if results.len() == 1 { own } else { made.map(at_threshold) }
        };
        Slow {
            of_each: results.iter().zip(made).map(judged).collect(),
            sentence: words::same_threshold(threshold),
        }
    }

    pub(super) fn of_result(&self, place: usize) -> Option<&SlowByDirection> {
        self.of_each.get(place)?.as_ref()
    }
}

/// The trace that a replay made.
fn made(kept: &Kept<Replay>) -> Option<&TraceAnalysis> {
    Some(replay_of(kept.analysis.as_ref()?)?.made())
}

/// The threshold of all results, which were counted at the same ones.
fn threshold(results: &[Kept<Replay>], made: &[Option<&TraceAnalysis>]) -> SlowThreshold {
    let asked = results.first().and_then(|kept| Replay::slow_from(&kept.settings)).map(Nanos::get);
    if results.len() == 1 || asked.is_some() {
        return results.first().map_or(SlowThreshold::Own, |kept| kept.settings.threshold());
    }
    let directions = made.iter().flatten().flat_map(|made| [Op::Read, Op::Write].map(|op| made.bunching(op)));
    SlowThreshold::common(&directions.collect::<Vec<_>>())
}

/// Whether figures are ranked: only of replays that made the same requests.
pub(super) fn ranking(results: &[Kept<Replay>]) -> Ranking {
    let made = |kept: &Kept<Replay>| {
        let depth = kept.findings.handling.as_ref().map(|handling| handling.queue_depth);
        let replayed = kept.findings.replayed.as_ref();
        (depth, replayed.map(|replayed| (replayed.requests.clone(), replayed.bytes.clone())))
    };
    let are_equal = results.windows(2).all(|pair| made(&pair[0]) == made(&pair[1]));
    match crate::kept::ranking(results) {
        Ranking::Ranked if !are_equal => {
            let text = "The replays did not make the same requests with as many in flight: no value is marked as the best.";
            Ranking::NotRanked(text.to_owned())
        }
        ranking => ranking,
    }
}
