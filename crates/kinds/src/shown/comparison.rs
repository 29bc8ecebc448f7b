//! The sentence by which several results are compared.

use drivelab_record::Condition;
use drivelab_view::{Block, Ranking};

use crate::ranking::ranking_of_complete;
use crate::surroundings;
use crate::{ResultKind, StoredResult};

/// A result with the name that it has among those that are shown with it.
pub(crate) struct ComparedResult<'a, K: ResultKind> {
    /// Its name.
    pub label: String,
    /// The result.
    pub kept: &'a StoredResult<K>,
}

/// The sentence by which several results are compared, as the first block of their page; nothing of a single result. Where they
/// are not ranked, or were measured under different conditions, that follows. `is_complete` judges results that ended by
/// themselves; `sentence` gets the results in their order, and whether they are ranked.
pub(crate) fn comparison<K: ResultKind>(
    results: &[StoredResult<K>],
    is_complete: impl Fn(&StoredResult<K>) -> bool,
    sentence: impl FnOnce(Vec<ComparedResult<'_, K>>, bool) -> String,
) -> Option<Block> {
    if results.len() < 2 {
        return None;
    }
    let ranking = ranking_of_complete(results, is_complete);
    let subjects = crate::labels::subjects(results);
    let compared =
        results.iter().zip(subjects).map(|(kept, subject)| ComparedResult { label: subject.label, kept });
    let sentence = sentence(compared.collect(), ranking == Ranking::Ranked);
    let not_ranked = match ranking {
        Ranking::NotRanked(why) => Some(why),
        Ranking::Ranked => None,
    };
    let parts: Vec<String> =
        [Some(sentence), not_ranked, measured_differently(results)].into_iter().flatten().collect();
    Some(Block::Text(parts.join(" ")))
}

/// In what their machines and settings differ, in a sentence; nothing where they do not.
fn measured_differently<K: ResultKind>(results: &[StoredResult<K>]) -> Option<String> {
    let conditions: Vec<&[Condition]> = results.iter().map(|kept| kept.run.conditions.as_slice()).collect();
    let differing = surroundings::differing(&conditions);
    (!differing.is_empty()).then(|| {
        format!(
            "They were measured under different conditions ({}), which change figures, too.",
            differing.join(", ")
        )
    })
}

/// What is found of several results, each behind its label, in one clause for all of which the same is found. `say` says it of a
/// number of them, with a verb that agrees.
pub(crate) fn together<T: PartialEq>(
    each: impl IntoIterator<Item = (String, T)>,
    say: impl Fn(&T, u64) -> String,
) -> String {
    let mut alike: Vec<(Vec<String>, T)> = Vec::new();
    for (label, found) in each {
        match alike.iter_mut().find(|(_, other)| *other == found) {
            Some((labels, _)) => labels.push(label),
            None => alike.push((vec![label], found)),
        }
    }
    let clause = |(labels, found): &(Vec<String>, T)| {
        format!("{} {}", listed(labels), say(found, labels.len() as u64))
    };
    alike.iter().map(clause).collect::<Vec<_>>().join("; ")
}

/// The parts of a sentence, with "and" before the last one. Clauses with a verb of their own are separated by semicolons instead.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_which_the_same_is_found_share_a_clause() {
        let each = [("one", 0), ("two", 7), ("three", 0)].map(|(label, found)| (label.to_owned(), found));
        let said =
            together(each, |found, number| format!("{} {found}", if number == 1 { "has" } else { "have" }));
        assert_eq!(said, "one and three have 0; two has 7");
    }
}
