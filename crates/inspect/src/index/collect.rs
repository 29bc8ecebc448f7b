//! Results by drives.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use drivelab_block::{PlacedDrive, number_drives};
use drivelab_documents::one_name;
use drivelab_view::KeyFigure;
use drivelab_view::format::each_once;

use super::{
    Differing, DriveOfIndex, FigureOfIndex, Index, IndexedResult, IndexedTrace, ResultFindings, ResultState,
};

impl Index {
    /// The index of these results and traces; `left_out` says why others are not among them.
    pub fn new(results: &[IndexedResult], traces: Vec<IndexedTrace>, left_out: Vec<String>) -> Index {
        let figures = KeyFigure::each_once(results.iter().flat_map(|result| &result.figures));
        let figure_names = figures.into_iter().map(|figure| figure.name.clone()).collect();
        let found = compared(results);
        let placed: Vec<PlacedDrive> = found.iter().map(|one| one.placed.clone()).collect();
        let mut by_drive: BTreeMap<usize, Vec<IndexedResult>> = BTreeMap::new();
        for (number, one) in number_drives(&placed).into_iter().zip(found) {
            by_drive.entry(number).or_default().push(one);
        }
        let plotted = most_plotted(by_drive.values());
        let mut drives: Vec<DriveOfIndex> =
            by_drive.into_values().map(|results| drive(results, plotted)).collect();
        drives.sort_by(|one, other| one.drive.model.cmp(&other.drive.model));
        Index { drives, figure_names, traces, left_out }
    }
}

/// The results with what differs and which were asked for alike, in the order of kinds in which they were found, the newest one
/// of a kind first.
fn compared(results: &[IndexedResult]) -> Vec<IndexedResult> {
    let mut found: Vec<IndexedResult> = Vec::new();
    for kind in each_once(results.iter().map(|result| &result.found.kind)) {
        let mut own: Vec<&IndexedResult> =
            results.iter().filter(|result| result.found.kind == *kind).collect();
        // Of results of one age, the last folder is taken for the newest.
        own.reverse();
        own.sort_by_key(|result| std::cmp::Reverse(result.age()));
        let differing: Vec<Vec<Differing>> = differing_of(&own);
        for (result, differing) in own.into_iter().cloned().zip(differing) {
            found.push(IndexedResult { found: ResultFindings { differing, ..result.found }, ..result });
        }
    }
    let asked = each_once(found.iter().map(|one| (one.found.kind.clone(), one.asked.clone())));
    for one in &mut found {
        let number = asked.iter().position(|(kind, asked)| (kind, asked) == (&one.found.kind, &one.asked));
        let is_whole = matches!(one.found.state, ResultState::Passed | ResultState::CheckFailed);
        one.asked_alike = number.filter(|_| is_whole);
    }
    found
}

/// What most drives were asked that have a curve, by its number; of several the first.
fn most_plotted<'a>(drives: impl Iterator<Item = &'a Vec<IndexedResult>>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for results in drives {
        let plotted = results.iter().filter(|result| result.curve.is_some());
        let asked: BTreeSet<usize> = plotted.filter_map(|result| result.asked_alike).collect();
        asked.into_iter().for_each(|number| *counts.entry(number).or_default() += 1);
    }
    let most = counts.values().max().copied()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(number, _)| number)
}

/// A drive of its results, of which there is at least one. Its curve is of a result that was asked for as `plotted`.
fn drive(results: Vec<IndexedResult>, plotted: Option<usize>) -> DriveOfIndex {
    let mut figures: Vec<FigureOfIndex> = Vec::new();
    for (place, result) in results.iter().enumerate() {
        for figure in &result.figures {
            let known = figures.iter_mut().find(|known| known.figure.name == figure.name);
            let one = FigureOfIndex { figure: figure.clone(), result: place };
            match known {
                None => figures.push(one),
                // What was measured to the end stands for the drive, and not a newer one that was not.
                Some(known)
                    if results[known.result].asked_alike.is_none() && result.asked_alike.is_some() =>
                {
                    *known = one;
                }
                Some(_) => {}
            }
        }
    }
    let mut plotted_alike =
        results.iter().filter(|result| plotted.is_some() && result.asked_alike == plotted);
    let curve = plotted_alike.find_map(|result| result.curve.clone());
    let newest = results.iter().max_by_key(|one| one.age());
    let drive = newest.map(|one| one.drive.clone()).expect("a drive has a result");
    let called = one_name(results.iter().map(|one| one.given_name.as_deref())).map(str::to_owned);
    let doubt = doubt(&results);
    DriveOfIndex { drive, figures, curve, called, results, doubt }
}

/// Why results that have one serial number may be of several drives: some or all lack the drive's own name, and on one machine it
/// was connected in several places.
fn doubt(results: &[IndexedResult]) -> Option<String> {
    let named = results.iter().filter(|one| one.placed.which.own_wwn().is_some()).count();
    if named == results.len() {
        return None;
    }
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for result in results {
        let machine = result.found.started.as_ref().map_or("", |started| started.machine.as_str());
        places.entry(machine).or_default().extend(result.drive.path.as_deref());
    }
    let (machine, paths) = places.into_iter().find(|(_, paths)| paths.len() > 1)?;
    let drive = &results.first()?.drive;
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

/// What a result was asked and where it was made: values in words by their names.
fn facts(result: &IndexedResult) -> impl Iterator<Item = (&str, &str)> {
    let asked = result.asked.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    asked.chain(result.surroundings.iter().map(|line| (line.name.as_str(), line.value.as_str())))
}

fn fact<'a>(result: &'a IndexedResult, name: &str) -> Option<&'a str> {
    facts(result).find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// In what each of these results, which are of one kind, differs from more than half of them. Where no value is that of more than
/// half, none is called usual.
fn differing_of(results: &[&IndexedResult]) -> Vec<Vec<Differing>> {
    let names = each_once(results.iter().flat_map(|result| facts(result)).map(|(name, _)| name));
    let usual: Vec<(&str, Option<&str>)> =
        names.iter().flat_map(|name| usual(results, name).map(|value| (*name, value))).collect();
    results.iter().map(|own| differing(own, &usual)).collect()
}

fn differing(own: &IndexedResult, usual: &[(&str, Option<&str>)]) -> Vec<Differing> {
    let differs = usual.iter().filter(|(name, value)| fact(own, name) != *value);
    let differs = differs.map(|(name, value)| Differing {
        name: (*name).to_owned(),
        own: fact(own, name).map(str::to_owned),
        usual: value.map(str::to_owned),
    });
    differs.collect()
}

/// The value that more than half of the results have, which may be that they have none; nothing where there is no such value.
fn usual<'a>(results: &[&'a IndexedResult], name: &str) -> impl Iterator<Item = Option<&'a str>> {
    let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
    for own in results {
        *counts.entry(fact(own, name)).or_default() += 1;
    }
    let half = results.len() / 2;
    counts.into_iter().filter(move |(_, count)| *count > half).map(|(value, _)| value)
}
