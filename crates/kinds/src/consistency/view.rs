//! What is shown of consistency tests.

use drivelab_view::{Block, Section, Subject, View};

use super::Consistency;
use super::verdict::verdict;
use crate::ios::{self, IoFindings, SteadyFindings};
use crate::shown::{self, ComparedFigures};
use crate::{ComparedResult, Comparison, StoredResult};

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
pub(super) fn view(compared: &Comparison<'_, Consistency>) -> View {
    let mut head = comparing(compared);
    head.extend(shown::verdicts(compared, verdict));
    let mut sections = vec![Section::summary(None, head)];
    sections.extend(ios::rate(compared));
    sections.push(figures(compared));
    View { subjects: subjects(compared), ..ios::view(compared, title(compared), sections) }
}

/// The runs of one drive differ in their over-provisioning, which the page says below.
fn title(compared: &Comparison<'_, Consistency>) -> String {
    if compared.len() == 1 || compared.drives() > 1 {
        return shown::title(compared);
    }
    let drive = compared.drives_called(|kept| kept.run.target.clone()).swap_remove(0);
    format!("Performance consistency of {drive}")
}

/// The results, which a page switches by drive and by over-provisioning. A drive is called as the user calls it, or else by its
/// model and serial number.
fn subjects(compared: &Comparison<'_, Consistency>) -> Vec<Subject> {
    let name = |kept: &StoredResult<Consistency>| match (&kept.run.drive.serial, &*kept.run.drive.model) {
        (Some(serial), model) if !model.is_empty() => format!("{model} ({serial})"),
        _ => kept.run.target.clone(),
    };
    let drives = compared.drives_called(name);
    let with_facets = compared.subjects().into_iter().zip(compared.iter()).zip(drives);
    let with_facets = with_facets.map(|((subject, one), drive)| {
        let share = format!("{} %", one.settings.over_provisioning_percent);
        subject.with_facet("Drive", drive).with_facet("Over-provisioning", share)
    });
    with_facets.collect()
}

/// A result with what a sentence calls it.
type Labelled<'a> = (&'a ComparedResult<'a, Consistency>, &'a str);

/// Drives against each other with equal over-provisioning, a sentence for each share of it; of a single drive, its shares.
fn comparing(compared: &Comparison<'_, Consistency>) -> Vec<Block> {
    if compared.len() < 2 || !compared.is_ranked() {
        return Vec::new();
    }
    let drives = compared.names_of_drives();
    let alike = asked_alike(compared, &drives);
    if alike.iter().any(|(_, results)| results.len() > IN_A_SENTENCE) {
        return Vec::new();
    }
    let sentence = |(work, results): (String, Vec<Labelled<'_>>)| {
        let rates = results.into_iter().filter_map(|(one, name)| Some((steady_rate(&one.findings)?, name)));
        drivelab_view::times_as_fast(&work, rates)
    };
    alike.into_iter().filter_map(sentence).chain(not_compared(compared)).map(Block::Text).collect()
}

/// The results that are compared with each other, and in what: of several drives, which are called so, those with equal
/// over-provisioning.
fn asked_alike<'a>(
    compared: &'a Comparison<'_, Consistency>,
    drives: &'a [String],
) -> Vec<(String, Vec<Labelled<'a>>)> {
    let share_of = |one: &ComparedResult<'_, Consistency>| one.settings.over_provisioning_percent;
    let mut shares: Vec<f64> = compared.iter().map(share_of).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    if compared.drives() < 2 || shares.len() < 2 {
        return vec![(WORK.to_owned(), compared.iter().map(|one| (one, one.label())).collect())];
    }
    let of_share = |share: f64| {
        let alike = || compared.iter().filter(move |one| share_of(one).total_cmp(&share).is_eq());
        // The label says the over-provisioning again, and is needed only where a drive has two results with it.
        let is_alone = |one: &ComparedResult<'_, Consistency>| {
            alike().filter(|other| other.run.target == one.run.target).count() == 1
        };
        let name = |one: &'a ComparedResult<'_, Consistency>| {
            if is_alone(one) { &*drives[one.place] } else { one.label() }
        };
        let named = alike().map(|one| (one, name(one))).collect();
        (format!("{WORK} with {share} % over-provisioning"), named)
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

/// Of which results the steady rate is not compared, and why, in sentences.
fn not_compared(compared: &Comparison<'_, Consistency>) -> Vec<String> {
    let sentence = |(reason, why): (NotSettled, &str)| {
        let is_meant = |one: &&ComparedResult<'_, Consistency>| {
            let steady = &one.findings.summary.steady_state;
            steady_rate(&one.findings).is_none() && NotSettled::from_steady(steady) == reason
        };
        let names: Vec<String> = compared.iter().filter(is_meant).map(|one| one.label().to_owned()).collect();
        (!names.is_empty())
            .then(|| format!("No steady rate is compared of {}: {why}.", shown::listed(&names)))
    };
    let reasons = [
        (NotSettled::TooShort, "the run was too short to judge steady state"),
        (NotSettled::Drifts, "the rate drifts"),
        (NotSettled::NotReached, "no steady state was reached"),
    ];
    reasons.into_iter().filter_map(sentence).collect()
}

fn steady_rate(found: &IoFindings) -> Option<f64> {
    found.summary.iops_mean.filter(|_| found.summary.steady_state.reached)
}

fn figures(compared: &Comparison<'_, Consistency>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    ios::add_all(&mut figures);
    if compared.iter().any(|one| one.findings.summary.iops_mean.is_some()) {
        figures.figures.notes.push(CLIFF.to_owned());
    }
    figures.section("Figures")
}
