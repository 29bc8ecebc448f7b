//! What the views of several kinds of results share.

mod comparison;
mod kernel_log;
mod machine;
mod media_writes;
mod tables;

use drivelab_view::format::{capitalised, counted};
use drivelab_view::{Block, Conditions, Section, Verdict, View};

use crate::{ComparedResult, Comparison, ResultKind};

pub(crate) use comparison::{ComparedFigures, comparison, listed, together};
pub(crate) use kernel_log::{add_kernel_marks, kernel_log, kernel_marks};
pub(crate) use machine::{heat, machine, machine_but_power, power};
pub(crate) use media_writes::{add_energy, energy, media_writes};

/// The title of a view: the kind of result and what it is of. Drives are counted, not the results of one.
pub(crate) fn title<K: ResultKind>(compared: &Comparison<'_, K>) -> String {
    format!("{} of {}", capitalised(K::WORDS), subject(compared))
}

/// What results are of, as a title says it: the label of one, the drive of several of one drive, or how many drives.
pub(crate) fn subject<K: ResultKind>(compared: &Comparison<'_, K>) -> String {
    match (&**compared, compared.drives()) {
        ([one], _) => one.run.label.clone(),
        ([first, ..], 1) => format!("{}: {} results", first.run.target, counted(compared.len())),
        (_, drives) => format!("{} drives", counted(drives)),
    }
}

pub(crate) fn titled<K: ResultKind>(
    compared: &Comparison<'_, K>,
    title: String,
    sections: Vec<Section>,
) -> View {
    let subjects = compared.iter().map(|one| one.subject.clone()).collect();
    View { title, kind: K::WORDS.to_owned(), name: K::NAME, subjects, sections }
}

/// A view with these sections, and then those that all kinds have at the end.
pub(crate) fn view<K: ResultKind>(compared: &Comparison<'_, K>, mut sections: Vec<Section>) -> View {
    let reads_records = K::HOOKS.reads_records();
    sections.extend(machine(compared).map(|mut section| {
        section.blocks.extend(tables::gauges(compared).filter(|_| reads_records));
        section
    }));
    sections.extend(energy(compared));
    sections.extend(media_writes(compared));
    sections.extend(heat(compared));
    sections.extend(tables::delays(compared));
    sections.extend(tables::failed(compared));
    sections.extend(kernel_log(compared));
    sections.extend(reads_records.then(|| tables::phases(compared)));
    sections.push(conditions(compared));
    titled(compared, title(compared), sections)
}

/// The verdict of each result with its own notices, and then the notices that all of them have.
pub(crate) fn verdicts<'c, 'a, K: ResultKind>(
    compared: &'c Comparison<'a, K>,
    verdict: impl Fn(&'c ComparedResult<'a, K>) -> Verdict,
) -> Vec<Block> {
    verdicts_of_each(compared, |one| vec![verdict(one)])
}

/// The same where a result may have several verdicts, of which the first has its notices.
pub(crate) fn verdicts_of_each<'c, 'a, K: ResultKind>(
    compared: &'c Comparison<'a, K>,
    verdicts: impl Fn(&'c ComparedResult<'a, K>) -> Vec<Verdict>,
) -> Vec<Block> {
    let of_each = compared.iter().flat_map(|one| {
        let mut verdicts = verdicts(one);
        let first = verdicts.first_mut().into_iter();
        first.for_each(|first| first.notices.extend(one.own_notices.iter().cloned()));
        verdicts
    });
    let mut blocks: Vec<Block> = of_each.map(Block::Verdict).collect();
    let shared = &compared.shared_notices;
    blocks.extend((!shared.is_empty()).then(|| Block::Notices(shared.clone())));
    blocks
}

pub(crate) fn conditions<K: ResultKind>(compared: &Comparison<'_, K>) -> Section {
    let of_subjects = compared.iter().map(|one| one.conditions()).collect();
    Section::full("Conditions", vec![Block::Conditions(Conditions { of_subjects })])
}

/// How many times the fastest of several results is as fast as each other one, in a sentence; nothing where the results are not
/// ranked.
pub(crate) fn times_faster<K: ResultKind>(
    compared: &Comparison<'_, K>,
    what: &str,
    rate_of: impl Fn(&K::Findings) -> Option<f64>,
) -> Option<Block> {
    let known = compared.iter().filter_map(|one| Some((rate_of(&one.findings)?, one.label())));
    drivelab_view::times_as_fast(what, known).filter(|_| compared.is_ranked()).map(Block::Text)
}
