//! Whether figures of results that are shown together are ranked.

use drivelab_view::{Ranking, Subject};

use super::{ResultKind, StoredResult};
use crate::asked;

/// Whether figures of these results, which are called so, are ranked: only where everything that was asked for is equal, and
/// every run did all of it by itself, on a drive that did what was asked.
pub(super) fn ranking<K: ResultKind>(results: &[StoredResult<K>], subjects: &[Subject]) -> Ranking {
    let Some((first, others)) = results.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Ranking::Ranked;
    };
    let of_other = |other: &StoredResult<K>| {
        asked::differing(&K::ranked_by(&first.settings), &K::ranked_by(&other.settings))
    };
    let mut differing: Vec<String> = others.iter().flat_map(of_other).collect();
    let mut known = std::collections::HashSet::new();
    differing.retain(|name| known.insert(name.clone()));
    if !differing.is_empty() {
        return Ranking::NotRanked(format!(
            "The results were asked for differently ({}): no value is marked as the best.",
            differing.join(", ")
        ));
    }
    let incomplete = results.iter().zip(subjects).filter(|(kept, _)| !kept.did_all_it_was_asked());
    let incomplete: Vec<&str> = incomplete.map(|(_, subject)| subject.label.as_str()).collect();
    if !incomplete.is_empty() {
        return Ranking::NotRanked(format!(
            "Not all did what was asked for to its end ({}): no value is marked as the best.",
            incomplete.join("; ")
        ));
    }
    let unlike = (K::HOOKS.unlike)(results);
    unlike.map_or(Ranking::Ranked, |why| Ranking::NotRanked(why.to_owned()))
}
