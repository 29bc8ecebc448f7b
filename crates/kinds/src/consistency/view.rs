//! What is shown of consistency tests.

use drivelab_view::{Block, Figures, Ranking, Subject, View};

use super::verdict::verdict;
use super::{Consistency, ConsistencySettings};
use crate::ios::{self, Compared, IoFindings, SteadyFindings};
use crate::{StoredResult, shown};

/// What a cliff is, for a reader of figures; the analysis has it in full.
const CLIFF: &str = "A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
                     twentieth of the run (5 s to 30 s); the fresh level is the median of the first twentieth \
                     (5 s to 30 s), or of what came before the cliff where that is shorter. Steady state is looked for \
                     in the windows that begin after the cliff.";
/// What is compared in a sentence.
const WORK: &str = "steady random writes";
/// Above this number of results a sentence that compares them is longer than it helps.
const IN_A_SENTENCE: usize = 4;

/// The view of one consistency test, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Consistency>]) -> View {
    ios::view(results, (title(results), subjects(results)), head(results), figures(results))
}

/// The runs of one drive differ in their over-provisioning, which the page says below.
fn title(results: &[StoredResult<Consistency>]) -> String {
    match (results, crate::kept::drives(results)) {
        ([_, _, ..], 1) => {
            let targets = results.iter().map(|kept| kept.run.target.clone()).collect();
            let drive = crate::labels::drives_called(results, targets).swap_remove(0);
            format!("Performance consistency of {drive}")
        }
        _ => shown::title(results),
    }
}

/// The results, which a page switches by drive and by over-provisioning.
fn subjects(results: &[StoredResult<Consistency>]) -> Vec<Subject> {
    let share = |settings: &ConsistencySettings| format!("{} %", settings.over_provisioning_percent);
    let subjects = crate::labels::subjects(results).into_iter().zip(results).zip(names_of_drives(results));
    let with_facets = subjects.map(|((subject, kept), drive)| {
        subject.with_facet("Drive", drive).with_facet("Over-provisioning", share(&kept.settings))
    });
    with_facets.collect()
}

/// What the drive of each result is called: as the user calls it, or else its model and serial number.
fn names_of_drives(results: &[StoredResult<Consistency>]) -> Vec<String> {
    let name =
        |kept: &StoredResult<Consistency>| match (&kept.run.drive.serial, kept.run.drive.model.as_str()) {
            (Some(serial), model) if !model.is_empty() => format!("{model} ({serial})"),
            _ => kept.run.target.clone(),
        };
    crate::labels::drives_called(results, results.iter().map(name).collect())
}

fn head(results: &[StoredResult<Consistency>]) -> Vec<Block> {
    let mut blocks = compared(results);
    blocks.extend(shown::verdicts(results, verdict));
    blocks
}

/// A result with what a sentence calls it.
type Labelled<'a> = (&'a StoredResult<Consistency>, &'a str);

/// A result with its label and the name of its drive.
struct NamedResult<'a> {
    kept: &'a StoredResult<Consistency>,
    label: &'a str,
    drive: &'a str,
}

/// Drives against each other with equal over-provisioning, a sentence for each share of it; of a single drive, its shares.
fn compared(results: &[StoredResult<Consistency>]) -> Vec<Block> {
    if results.len() < 2 || crate::ranking::ranking(results) != Ranking::Ranked {
        return Vec::new();
    }
    let (subjects, drives) = (crate::labels::subjects(results), crate::labels::drives(results));
    let named = results.iter().zip(&subjects).zip(&drives);
    let named: Vec<NamedResult<'_>> =
        named.map(|((kept, subject), drive)| NamedResult { kept, label: &subject.label, drive }).collect();
    let alike = asked_alike(&named, crate::kept::drives(results));
    if alike.iter().any(|(_, results)| results.len() > IN_A_SENTENCE) {
        return Vec::new();
    }
    let sentence = |(work, results): &(String, Vec<Labelled<'_>>)| {
        shown::times_as_fast(results.iter().copied(), work, steady_rate)
    };
    alike.iter().filter_map(sentence).chain(not_compared(&named)).collect()
}

/// The results of a number of drives that are compared with each other, and in what: of several drives those with equal
/// over-provisioning.
fn asked_alike<'a>(named: &[NamedResult<'a>], drives: usize) -> Vec<(String, Vec<Labelled<'a>>)> {
    let share_of = |one: &NamedResult<'_>| one.kept.settings.over_provisioning_percent;
    let mut shares: Vec<f64> = named.iter().map(share_of).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    if drives < 2 || shares.len() < 2 {
        return vec![(WORK.to_owned(), named.iter().map(|one| (one.kept, one.label)).collect())];
    }
    let of_share = |share: f64| {
        let alike = || named.iter().filter(move |one| share_of(one).total_cmp(&share).is_eq());
        // The label says the over-provisioning again, and is needed only where a drive has two results with it.
        let is_alone = |one: &NamedResult<'_>| {
            alike().filter(|other| other.kept.run.target == one.kept.run.target).count() == 1
        };
        let name = |one: &NamedResult<'a>| (one.kept, if is_alone(one) { one.drive } else { one.label });
        (format!("{WORK} with {share} % over-provisioning"), alike().map(name).collect())
    };
    shares.into_iter().map(of_share).collect()
}

/// Why the steady rate of a result is not compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NotSettled {
    TooShort,
    Drifts,
    NotReached,
}

impl NotSettled {
    /// Of a result without a steady state.
    fn from_steady(steady: &SteadyFindings) -> NotSettled {
        if steady.drift.is_some() {
            NotSettled::Drifts
        } else if steady.windows < steady.windows_needed {
            NotSettled::TooShort
        } else {
            NotSettled::NotReached
        }
    }
}

/// Of which results the steady rate is not compared, and why.
fn not_compared(named: &[NamedResult<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (reason, why) in [
        (NotSettled::TooShort, "the run was too short to judge steady state"),
        (NotSettled::Drifts, "the rate drifts"),
        (NotSettled::NotReached, "no steady state was reached"),
    ] {
        let is_meant = |kept: &StoredResult<Consistency>| {
            let summary = &kept.findings.summary;
            steady_rate(&kept.findings).is_none() && NotSettled::from_steady(&summary.steady_state) == reason
        };
        let meant = named.iter().filter(|one| is_meant(one.kept));
        let names: Vec<String> = meant.map(|one| one.label.to_owned()).collect();
        if !names.is_empty() {
            blocks.push(Block::Text(format!(
                "No steady rate is compared of {}: {why}.",
                shown::listed(&names)
            )));
        }
    }
    blocks
}

fn steady_rate(found: &IoFindings) -> Option<f64> {
    found.summary.iops_mean.filter(|_| found.summary.steady_state.reached)
}

fn figures(results: &[StoredResult<Consistency>]) -> Figures {
    let mut figures = Figures::new("figures", results.len(), crate::ranking::ranking(results));
    let compared = Compared::from_results(results);
    ios::add_rate(&mut figures, &compared);
    ios::add_latency(&mut figures, &compared);
    ios::add_amounts(&mut figures, &compared);
    ios::add_simulation(&mut figures, &compared);
    if results.iter().any(|kept| kept.findings.summary.iops_mean.is_some()) {
        figures.notes.push(CLIFF.to_owned());
    }
    figures
}
