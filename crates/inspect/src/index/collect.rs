//! Results by drives.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use drivelab_block::{PlacedDrive, number_drives};
use drivelab_documents::one_name;
use drivelab_view::KeyFigure;
use drivelab_view::format::each_once;

use super::{
    Differing, DriveOfIndex, FigureOfIndex, Index, IndexedResult, IndexedTrace, ResultOfIndex, ResultState,
};

impl Index {
    /// The index of these results and traces; `left_out` says why others are not among them.
    pub fn new(results: &[IndexedResult], traces: Vec<IndexedTrace>, left_out: Vec<String>) -> Index {
        let figures = KeyFigure::each_once(results.iter().flat_map(|result| &result.figures));
        let figure_names = figures.into_iter().map(|figure| figure.name.clone()).collect();
        let found = with_differing(results);
        let alike = Alike::from_results(&found);
        let placed: Vec<PlacedDrive> = found.iter().map(|one| one.result.placed.clone()).collect();
        let mut by_drive: BTreeMap<usize, Vec<ResultOfIndex>> = BTreeMap::new();
        for (number, one) in number_drives(&placed).into_iter().zip(found) {
            by_drive.entry(number).or_default().push(one);
        }
        let plotted = alike.most_plotted(by_drive.values());
        let mut drives: Vec<DriveOfIndex> =
            by_drive.into_values().map(|results| drive(results, &alike, plotted)).collect();
        drives.sort_by(|one, other| one.drive.model.cmp(&other.drive.model));
        Index { drives, figure_names, traces, left_out }
    }
}

/// The results with what differs, in the order of kinds in which they were found, the newest one of a kind first.
fn with_differing(results: &[IndexedResult]) -> Vec<ResultOfIndex> {
    let mut found = Vec::new();
    for kind in each_once(results.iter().map(|result| result.kind)) {
        let mut own: Vec<&IndexedResult> = results.iter().filter(|result| result.kind == kind).collect();
        // Of results of one age, the last folder is taken for the newest.
        own.reverse();
        own.sort_by_key(|result| std::cmp::Reverse(result.age()));
        let differing: Vec<Vec<Differing>> = differing_of(&own);
        let own = own.into_iter().cloned().zip(differing);
        found.extend(own.map(|(result, differing)| ResultOfIndex { result, differing }));
    }
    found
}

/// The kind of a result, and what it was asked.
type AskedOfResult = (&'static str, Vec<(String, String)>);

/// A number for everything that results were asked.
struct Alike(HashMap<AskedOfResult, usize>);

impl Alike {
    fn from_results(found: &[ResultOfIndex]) -> Alike {
        let mut numbers = HashMap::new();
        for ResultOfIndex { result, .. } in found {
            let next = numbers.len();
            numbers.entry((result.kind, result.asked.clone())).or_insert(next);
        }
        Alike(numbers)
    }

    /// What most drives were asked that have a curve; of several the first.
    fn most_plotted<'a>(&self, drives: impl Iterator<Item = &'a Vec<ResultOfIndex>>) -> Option<usize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for results in drives {
            let plotted = results.iter().map(|one| &one.result).filter(|result| result.curve.is_some());
            let asked: BTreeSet<usize> = plotted.filter_map(|result| self.number(result)).collect();
            asked.into_iter().for_each(|number| *counts.entry(number).or_default() += 1);
        }
        let most = counts.values().max().copied()?;
        counts.into_iter().find(|(_, count)| *count == most).map(|(number, _)| number)
    }

    /// The number of what a result was asked; none where it did not do that to its end.
    fn number(&self, result: &IndexedResult) -> Option<usize> {
        let is_whole = matches!(result.state, ResultState::Passed | ResultState::CheckFailed);
        self.0.get(&(result.kind, result.asked.clone())).copied().filter(|_| is_whole)
    }
}

/// A drive of its results, of which there is at least one. Its curve is of a result that was asked for as `plotted`.
fn drive(results: Vec<ResultOfIndex>, alike: &Alike, plotted: Option<usize>) -> DriveOfIndex {
    let mut figures: Vec<FigureOfIndex> = Vec::new();
    for (place, ResultOfIndex { result, .. }) in results.iter().enumerate() {
        let comparable = alike.number(result);
        for figure in &result.figures {
            let known = figures.iter().position(|known| known.figure.name == figure.name);
            let one = FigureOfIndex { figure: figure.clone(), result: place, comparable };
            match known {
                None => figures.push(one),
                // What was measured to the end stands for the drive, and not a newer one that was not.
                Some(known) if figures[known].comparable.is_none() && comparable.is_some() => {
                    figures[known] = one;
                }
                Some(_) => {}
            }
        }
    }
    let with_curve = || results.iter().map(|one| &one.result).filter(|result| result.curve.is_some());
    let is_plotted = |result: &&IndexedResult| plotted.is_some() && alike.number(result) == plotted;
    let curve = with_curve().find(is_plotted).and_then(|result| result.curve.clone());
    let has_other_curve = curve.is_none() && with_curve().next().is_some();
    let newest = results.iter().max_by_key(|one| one.result.age());
    let drive = newest.map(|one| one.result.drive.clone()).expect("a drive has a result");
    let given = results.iter().map(|one| one.result.given_name.as_deref());
    let called = one_name(given).map(str::to_owned);
    let doubt = doubt(&results);
    DriveOfIndex { drive, figures, curve, has_other_curve, called, results, doubt }
}

/// Why results that have one serial number may be of several drives: some or all lack the drive's own name, and on one machine it
/// was connected in several places.
fn doubt(results: &[ResultOfIndex]) -> Option<String> {
    let named = results.iter().filter(|one| one.result.placed.which.own_wwn().is_some()).count();
    if named == results.len() {
        return None;
    }
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for ResultOfIndex { result, .. } in results {
        let machine = result.started.as_ref().map_or("", |started| started.machine.as_str());
        places.entry(machine).or_default().extend(result.drive.path.as_deref());
    }
    let (machine, paths) = places.into_iter().find(|(_, paths)| paths.len() > 1)?;
    let drive = &results.first()?.result.drive;
    let serial =
        drive.serial.as_ref().map_or_else(String::new, |serial| format!(" with the serial number {serial}"));
    let paths: Vec<&str> = paths.into_iter().collect();
    let on = if machine.is_empty() { String::new() } else { format!("on {machine} ") };
    let lack =
        if named == 0 { "it has no world-wide name" } else { "not all of them have its world-wide name" };
    Some(format!(
        "The results of {}{serial} may be of several drives: {on}it was connected at {}, and {lack}.",
        drive.model,
        paths.join(" and at ")
    ))
}

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
fn differing_of(results: &[&IndexedResult]) -> Vec<Vec<Differing>> {
    let facts: Vec<ResultFacts> = results.iter().map(|result| ResultFacts::from_result(result)).collect();
    let names = each_once(facts.iter().flat_map(|facts| &facts.0).map(|(name, _)| name.as_str()));
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
