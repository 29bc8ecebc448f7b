//! What the views of several kinds of results share.

mod comparison;
mod energy;
mod heat;
mod kernel_log;
mod machine;
mod media_writes;

use drivelab_record::Notice;
use drivelab_view::format::{capitalised, counted};
use drivelab_view::{Block, Conditions, Section, Verdict, View};

use crate::{ResultKind, StoredResult};

pub(crate) use comparison::{ComparedResult, comparison, listed, together};
pub(crate) use energy::{add_energy, energy};
pub(crate) use heat::heat;
pub(crate) use kernel_log::{add_kernel_marks, kernel_log, kernel_marks};
pub(crate) use machine::{machine, machine_but_power, power};
pub(crate) use media_writes::media_writes;

/// The title of a view: the kind of result and what it is of. Drives are counted, not the results of one.
pub(crate) fn title<K: ResultKind>(results: &[StoredResult<K>]) -> String {
    format!("{} of {}", capitalised(K::WORDS), subject(results))
}

/// What results are of, as a title says it: the label of one, the drive of several of one drive, or how many drives.
pub(crate) fn subject<K: ResultKind>(results: &[StoredResult<K>]) -> String {
    match (results, crate::kept::drives(results)) {
        ([one], _) => one.run.label.clone(),
        ([first, ..], 1) => format!("{}: {} results", first.run.target, counted(results.len())),
        (_, drives) => format!("{} drives", counted(drives)),
    }
}

/// A view with these sections, and then those that all kinds have at the end.
pub(crate) fn view<K: ResultKind>(results: &[StoredResult<K>], mut sections: Vec<Section>) -> View {
    sections.extend(machine(results));
    sections.extend(energy(results));
    sections.extend(media_writes(results));
    sections.extend(heat(results));
    sections.extend(kernel_log(results));
    sections.push(conditions(results));
    let subjects = crate::labels::subjects(results);
    View { title: title(results), kind: K::WORDS.to_owned(), name: K::NAME, subjects, sections }
}

/// The verdict of each result with its own notices, and then the notices that all of them have.
pub(crate) fn verdicts<K: ResultKind>(
    results: &[StoredResult<K>],
    verdict: impl Fn(usize, &StoredResult<K>) -> Verdict,
) -> Vec<Block> {
    let shared = crate::kept::shared_notices(results);
    let of_each = results.iter().enumerate().map(|(subject, kept)| {
        let mut verdict = verdict(subject, kept);
        verdict.notices.extend(kept.own_notices(&shared));
        Block::Verdict(verdict)
    });
    let mut blocks: Vec<Block> = of_each.collect();
    blocks.extend(self::shared(shared));
    blocks
}

/// What all results have to say, where there is anything.
pub(crate) fn shared(notices: Vec<Notice>) -> Option<Block> {
    (!notices.is_empty()).then_some(Block::Notices(notices))
}

/// The conditions of all results.
pub(crate) fn conditions<K: ResultKind>(results: &[StoredResult<K>]) -> Section {
    let of_subjects = results.iter().map(StoredResult::conditions).collect();
    Section::full("Conditions", vec![Block::Conditions(Conditions { of_subjects })])
}

/// How many times the fastest of several results is as fast as each other one, in a sentence; nothing where the results
/// were asked for differently.
pub(crate) fn times_faster<K: ResultKind>(
    results: &[StoredResult<K>],
    what: &str,
    rate_of: impl Fn(&K::Findings) -> Option<f64>,
) -> Option<Block> {
    if crate::ranking::ranking(results) != drivelab_view::Ranking::Ranked {
        return None;
    }
    let subjects = crate::labels::subjects(results);
    let labels = subjects.iter().map(|subject| subject.label.as_str());
    times_as_fast(results.iter().zip(labels), what, rate_of)
}

/// The same of results that can be compared, each with its label.
pub(crate) fn times_as_fast<'a, K: ResultKind>(
    results: impl Iterator<Item = (&'a StoredResult<K>, &'a str)>,
    what: &str,
    rate_of: impl Fn(&K::Findings) -> Option<f64>,
) -> Option<Block> {
    let known = results.filter_map(|(kept, label)| Some((rate_of(&kept.findings)?, label)));
    drivelab_view::times_as_fast(what, known).map(Block::Text)
}
