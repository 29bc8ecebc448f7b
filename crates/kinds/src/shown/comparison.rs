//! The sentence by which several results are compared.

use drivelab_documents::Condition;
use drivelab_view::{Better, Block, Figures, IntoCell, Quantity, Ranking, Section};

use crate::{ComparedResult, Comparison, ResultKind, surroundings};

/// The sentence by which several results are compared, as the first block of their page; nothing of a single result. Where they
/// are not ranked, or were measured under different conditions, that follows.
pub(crate) fn comparison<'c, 'a, K: ResultKind>(
    compared: &'c Comparison<'a, K>,
    sentence: impl FnOnce(&'c Comparison<'a, K>) -> String,
) -> Option<Block> {
    if compared.len() < 2 {
        return None;
    }
    let not_ranked = match &compared.ranking {
        Ranking::NotRanked(why) => Some(why.clone()),
        Ranking::Ranked => None,
    };
    let parts = [Some(sentence(compared)), not_ranked, measured_differently(compared)];
    Some(Block::Text(parts.into_iter().flatten().collect::<Vec<_>>().join(" ")))
}

/// In what their machines and settings differ, in a sentence; nothing where they do not.
fn measured_differently<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<String> {
    let conditions: Vec<&[Condition]> = compared.iter().map(|one| one.run.conditions.as_slice()).collect();
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

/// Figures of the results of a comparison, to which more are added.
pub(crate) struct ComparedFigures<'c, 'a, K: ResultKind> {
    /// The results.
    pub compared: &'c Comparison<'a, K>,
    /// The figures so far.
    pub figures: Figures,
}

impl<'c, 'a, K: ResultKind> ComparedFigures<'c, 'a, K> {
    /// No figure yet; `id` is the name of their table in file names.
    pub fn new(id: &str, compared: &'c Comparison<'a, K>) -> ComparedFigures<'c, 'a, K> {
        let figures = Figures::new(id, compared.len(), compared.ranking.clone());
        ComparedFigures { compared, figures }
    }

    /// Adds a figure by its group and name, unless no result has a value for it.
    pub fn add<C: IntoCell>(
        &mut self,
        name: (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&'c ComparedResult<'a, K>) -> Option<C>,
    ) {
        let cells = self.compared.iter().map(|one| of(one).into_cell(quantity));
        self.figures.add(name, quantity, better, cells.collect());
    }

    /// The figures as a section of their own, which every renderer shows.
    pub fn section(self, heading: &str) -> Section {
        Section::summary(Some(heading), vec![Block::Figures(self.figures)])
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
