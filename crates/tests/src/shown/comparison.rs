//! The sentence by which several results are compared.

use drivelab_record::Condition;
use drivelab_view::{Block, Ranking};

use crate::ranking::ranking_of_complete;
use crate::surroundings;
use crate::{Kept, ResultKind};

/// A result with the name that it has among those that are shown with it.
pub(crate) struct Compared<'a, K: ResultKind> {
    /// Its name.
    pub label: String,
    /// The result.
    pub kept: &'a Kept<K>,
}

/// The sentence by which several results are compared, as the first block of their page; nothing of a single result. Where they
/// are not ranked, or were measured under different conditions, that follows. `is_complete` judges results that ended by
/// themselves; `sentence` gets the results in their order, and whether they are ranked.
pub(crate) fn comparison<K: ResultKind>(
    results: &[Kept<K>],
    is_complete: impl Fn(&Kept<K>) -> bool,
    sentence: impl FnOnce(Vec<Compared<'_, K>>, bool) -> String,
) -> Option<Block> {
    if results.len() < 2 {
        return None;
    }
    let ranking = ranking_of_complete(results, is_complete);
    let subjects = crate::labels::subjects(results);
    let compared =
        results.iter().zip(subjects).map(|(kept, subject)| Compared { label: subject.label, kept });
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
fn measured_differently<K: ResultKind>(results: &[Kept<K>]) -> Option<String> {
    let conditions: Vec<&[Condition]> = results.iter().map(|kept| kept.run.conditions.as_slice()).collect();
    let differing = surroundings::differing(&conditions);
    (!differing.is_empty()).then(|| {
        format!(
            "They were measured under different conditions ({}), which change figures, too.",
            differing.join(", ")
        )
    })
}

/// The parts of a sentence, with "and" before the last one. Clauses with a verb of their own are separated by semicolons instead.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
