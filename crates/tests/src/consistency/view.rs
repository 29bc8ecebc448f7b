//! What is shown of consistency tests.

use drivelab_view::{Block, Figures, Ranking, Subject, View};

use super::verdict::verdict;
use super::{Consistency, ConsistencySettings};
use crate::ios::{self, Compared, IoFindings};
use crate::{Kept, shown};

/// What a cliff is, for a reader of figures; the analysis has it in full.
const CLIFF: &str = "A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
                     twentieth of the run (5 s to 30 s); the fresh level is the median of the first twentieth \
                     (5 s to 30 s), or of what came before the cliff where that is shorter. Steady state is looked for \
                     in the windows that begin after the cliff.";
/// What is compared in a sentence.
const WORK: &str = "steady random writes";
/// Above so many results a sentence that compares all of them is longer than it helps.
const IN_A_SENTENCE: usize = 4;

/// The view of one consistency test, or of several next to each other.
pub(super) fn view(results: &[Kept<Consistency>]) -> View {
    ios::view(results, (title(results), subjects(results)), head(results), figures(results))
}

/// The runs of one drive differ in their over-provisioning, which the page says below.
fn title(results: &[Kept<Consistency>]) -> String {
    match (results, crate::kept::drives(results)) {
        ([first, _, ..], 1) => format!("Performance consistency of {}", first.run.target),
        _ => shown::title(results),
    }
}

/// The results, which a page switches by drive and by over-provisioning.
fn subjects(results: &[Kept<Consistency>]) -> Vec<Subject> {
    let share = |settings: &ConsistencySettings| format!("{} %", settings.over_provisioning_percent);
    let drive = |kept: &Kept<Consistency>| match (&kept.run.drive.serial, kept.run.drive.model.as_str()) {
        (Some(serial), model) if !model.is_empty() => format!("{model} ({serial})"),
        _ => kept.run.target.clone(),
    };
    let subjects = crate::labels::subjects(results).into_iter().zip(results);
    let with_facets = subjects.map(|(subject, kept)| {
        subject.with_facet("Drive", drive(kept)).with_facet("Over-provisioning", share(&kept.settings))
    });
    with_facets.collect()
}

fn head(results: &[Kept<Consistency>]) -> Vec<Block> {
    let mut blocks = if results.len() <= IN_A_SENTENCE { compared(results) } else { Vec::new() };
    blocks.extend(shown::verdicts(results, verdict));
    blocks
}

/// Drives against each other with equal over-provisioning, a sentence for each share of it; of a single drive, its shares.
fn compared(results: &[Kept<Consistency>]) -> Vec<Block> {
    if results.len() < 2 || crate::ranking::ranking(results) != Ranking::Ranked {
        return Vec::new();
    }
    let subjects = crate::labels::subjects(results);
    let labelled = || results.iter().zip(subjects.iter().map(|subject| subject.label.as_str()));
    let share_of = |kept: &Kept<Consistency>| kept.settings.over_provisioning_percent;
    let mut shares: Vec<f64> = results.iter().map(share_of).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    let mut blocks: Vec<Block> = if crate::kept::drives(results) < 2 || shares.len() < 2 {
        shown::times_as_fast(labelled(), WORK, steady_rate).into_iter().collect()
    } else {
        let of_share = |share: &f64| {
            let alike: Vec<_> =
                labelled().filter(|(kept, _)| share_of(kept).total_cmp(share).is_eq()).collect();
            let target = |kept: &Kept<Consistency>| kept.run.target.clone();
            // The label says the over-provisioning again, and is needed only where a drive has two results with it.
            let is_alone =
                |kept| alike.iter().filter(|(other, _)| target(other) == target(kept)).count() == 1;
            let name = |(kept, label)| (kept, if is_alone(kept) { kept.run.target.as_str() } else { label });
            let what = format!("{WORK} with {share} % over-provisioning");
            shown::times_as_fast(alike.iter().copied().map(name), &what, steady_rate)
        };
        shares.iter().filter_map(of_share).collect()
    };
    for (is_too_short, why) in
        [(true, "the run was too short to judge steady state"), (false, "no steady state was reached")]
    {
        let is_meant = |kept: &Kept<Consistency>| {
            let steady = &kept.findings.summary.steady_state;
            steady_rate(&kept.findings).is_none() && is_too_short == (steady.windows < steady.windows_needed)
        };
        let names: Vec<&str> =
            labelled().filter(|(kept, _)| is_meant(kept)).map(|(_, label)| label).collect();
        if !names.is_empty() {
            let names = names.join(" and ");
            blocks.push(Block::Text(format!("The steady rate of {names} is not compared: {why}.")));
        }
    }
    blocks
}

fn steady_rate(found: &IoFindings) -> Option<f64> {
    found.summary.iops_mean.filter(|_| found.summary.steady_state.reached)
}

fn figures(results: &[Kept<Consistency>]) -> Figures {
    let mut figures = Figures::new("figures", results.len(), crate::ranking::ranking(results));
    let compared = Compared::of(results);
    ios::add_rate(&mut figures, &compared);
    ios::add_latency(&mut figures, &compared);
    ios::add_amounts(&mut figures, &compared);
    ios::add_simulation(&mut figures, &compared);
    if results.iter().any(|kept| kept.findings.summary.iops_mean.is_some()) {
        figures.notes.push(CLIFF.to_owned());
    }
    figures
}
