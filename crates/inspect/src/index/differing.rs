//! In what results differ from most others of their kind.

use std::collections::HashMap;

use super::{Differing, IndexedResult};

/// What results of one kind were asked and where they were made: a value in words by its name.
struct ResultFacts(Vec<(String, String)>);

impl ResultFacts {
    fn from_result(result: &IndexedResult) -> ResultFacts {
        let surroundings = result.surroundings.iter().map(|line| (line.name.clone(), line.value.clone()));
        ResultFacts(result.asked.iter().cloned().chain(surroundings).collect())
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// In what each of these results, which are of one kind, differs from more than half of them. Where no value is that of more than
/// half, none is called usual.
pub fn find(results: &[&IndexedResult]) -> Vec<Vec<Differing>> {
    let facts: Vec<ResultFacts> = results.iter().map(|result| ResultFacts::from_result(result)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in facts.iter().flat_map(|facts| &facts.0) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let usual: Vec<(&str, Option<&str>)> =
        names.iter().flat_map(|name| usual(&facts, name).map(|value| (*name, value))).collect();
    facts.iter().map(|own| differing(own, &usual)).collect()
}

fn differing(own: &ResultFacts, usual: &[(&str, Option<&str>)]) -> Vec<Differing> {
    let differs = usual.iter().filter(|(name, value)| own.value(name) != *value);
    let differs = differs.map(|(name, value)| Differing {
        name: (*name).to_owned(),
        own: own.value(name).map(str::to_owned),
        usual: value.map(str::to_owned),
    });
    differs.collect()
}

/// The value that more than half of the results have, which may be that they have none; nothing where there is no such value.
fn usual<'a>(facts: &'a [ResultFacts], name: &str) -> impl Iterator<Item = Option<&'a str>> {
    let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
    for own in facts {
        *counts.entry(own.value(name)).or_default() += 1;
    }
    let half = facts.len() / 2;
    counts.into_iter().filter(move |(_, count)| *count > half).map(|(value, _)| value)
}
