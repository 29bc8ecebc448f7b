//! Whether figures of results that are shown together are ranked.

use drivelab_view::Ranking;

use crate::asked;
use crate::kept::{Ended, ResultKind, StoredResult};

/// Whether figures of these results are ranked: only where everything that was asked for is equal, and every run ended
/// by itself, on a drive that did what was asked.
pub(crate) fn ranking<K: ResultKind>(results: &[StoredResult<K>]) -> Ranking {
    ranking_of_complete(results, |_| true)
}

fn ranking_of_asked<K: ResultKind>(results: &[StoredResult<K>]) -> Ranking {
    let Some((first, others)) = results.split_first() else { return Ranking::Ranked };
    let of_other = |other: &StoredResult<K>| {
        asked::differing(&K::ranked_by(&first.settings), &K::ranked_by(&other.settings))
    };
    let mut differing: Vec<String> = others.iter().flat_map(of_other).collect();
    let mut known = std::collections::HashSet::new();
    differing.retain(|name| known.insert(name.clone()));
    if differing.is_empty() {
        return Ranking::Ranked;
    }
    Ranking::NotRanked(format!(
        "The results were asked for differently ({}): no value is marked as the best.",
        differing.join(", ")
    ))
}

/// The same, where results that did not do all they were asked for are not ranked either; `is_complete` judges those that ended
/// by themselves.
pub(crate) fn ranking_of_complete<K: ResultKind>(
    results: &[StoredResult<K>],
    is_complete: impl Fn(&StoredResult<K>) -> bool,
) -> Ranking {
    let is_incomplete =
        |kept: &StoredResult<K>| kept.ended() != Ended::Whole || kept.is_faulty() || !is_complete(kept);
    let subjects = results.iter().zip(crate::labels::subjects(results));
    let incomplete = subjects.filter(|(kept, _)| is_incomplete(kept)).map(|(_, subject)| subject.label);
    let incomplete: Vec<String> = incomplete.collect();
    match ranking_of_asked(results) {
        Ranking::Ranked if results.len() > 1 && !incomplete.is_empty() => Ranking::NotRanked(format!(
            "Not all did what was asked for to its end ({}): no value is marked as the best.",
            incomplete.join("; ")
        )),
        ranking => ranking,
    }
}
