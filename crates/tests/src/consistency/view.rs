//! What is shown of consistency tests.

use drivelab_view::{Block, Figures, Subject, View};

use super::verdict::verdict;
use super::{Consistency, ConsistencySettings};
use crate::ios::{self, Compared};
use crate::{Kept, shown};

/// What a cliff is, for a reader of figures; the analysis has it in full.
const CLIFF: &str = "A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
                     twentieth of the run (5 s to 30 s); the fresh level is the median of the first twentieth \
                     (5 s to 30 s), or of what came before the cliff where that is shorter. Steady state is looked for \
                     in the windows that begin after the cliff.";
/// Above so many results a sentence that compares all of them is longer than it helps.
const IN_A_SENTENCE: usize = 4;

/// The view of one consistency test, or of several next to each other.
pub(super) fn view(results: &[Kept<Consistency>]) -> View {
    ios::view(results, (title(results), subjects(results)), head(results), figures(results))
}

/// Drives are counted, not their runs with different over-provisioning.
fn title(results: &[Kept<Consistency>]) -> String {
    let mut targets: Vec<&str> = results.iter().map(|kept| kept.run.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    match (targets.as_slice(), results) {
        ([target], [_, _, ..]) => format!("Performance consistency of {target}"),
        (_, [_]) => shown::title(results),
        (several, _) => shown::title_of::<Consistency>(several.len()),
    }
}

/// The results, which a page switches by drive and by over-provisioning.
fn subjects(results: &[Kept<Consistency>]) -> Vec<Subject> {
    let share = |settings: &ConsistencySettings| format!("{} %", settings.over_provisioning_percent);
    let drive = |kept: &Kept<Consistency>| match (&kept.run.drive.serial, kept.run.drive.model.as_str()) {
        (Some(serial), model) if !model.is_empty() => format!("{model} ({serial})"),
        _ => kept.run.target.clone(),
    };
    let subjects = crate::kept::subjects(results).into_iter().zip(results);
    let with_facets = subjects.map(|(subject, kept)| {
        subject.with_facet("Drive", drive(kept)).with_facet("Over-provisioning", share(&kept.settings))
    });
    with_facets.collect()
}

fn head(results: &[Kept<Consistency>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if results.len() <= IN_A_SENTENCE {
        blocks.extend(shown::times_faster(results, "steady random writes", |found| {
            found.summary.iops_mean.filter(|_| found.summary.steady_state.reached)
        }));
    }
    blocks.extend(ios::head(results, verdict));
    blocks
}

fn figures(results: &[Kept<Consistency>]) -> Figures {
    let mut figures = Figures::new("figures", results.len(), crate::kept::ranking(results));
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
