//! What a drive did not do as it was asked: the same of every kind of result, and the first thing that is said of it.

mod words;

use drivelab_block::Op;
use drivelab_documents::{LapsesDocument, NotAsWrittenDocument, Notice, Outcome, UnansweredIosDocument};
use drivelab_stats::{NamedPhases, Unserved};
use drivelab_view::format::count;
use drivelab_view::{About, Block, Tone, Verdict, View};
use drivelab_workload::verify::{Fault, Verification};

use crate::{Comparison, ResultKind, StoredResult};

/// What the drive of a run did not do as it was asked, for its manifest; none where it did everything. `capacity` is that of the
/// drive in bytes, `read_back` what is known of blocks that were read back.
pub fn document(
    phases: &NamedPhases<'_>,
    read_back: Option<NotAsWrittenDocument>,
    capacity: u64,
) -> Option<LapsesDocument> {
    let mut found = LapsesDocument { not_as_written: read_back, ..LapsesDocument::collect(phases) };
    found.sentence = words::sentence(&found, capacity)?;
    Some(found)
}

/// The same of what has no other records: all that is known is what its drive had not answered.
pub fn unanswered_document(unanswered: UnansweredIosDocument) -> LapsesDocument {
    let found = LapsesDocument { unanswered: Some(unanswered), ..LapsesDocument::default() };
    let sentence = words::sentence(&found, 0).unwrap_or_default();
    LapsesDocument { sentence, ..found }
}

/// What a result does not show if a test wrote and read nothing back: a drive that forgets what it was given answers as any
/// other. None where nothing was written.
pub fn unread_writes<'a>(mut phases: impl Iterator<Item = &'a Unserved>) -> Option<Notice> {
    let text = "What was written was not read back: this result does not show that the drive keeps it.";
    phases.any(|unserved| unserved.served(Op::Write) > 0).then(|| Notice::note(text))
}

/// What is known of blocks that were read back; none where all are as they were written, or none was read back.
pub fn not_as_written(found: &Verification) -> Option<NotAsWrittenDocument> {
    let lowest = found.lowest_faulty()?;
    Some(NotAsWrittenDocument {
        judged: found.blocks,
        faulty: found.not_as_written(),
        lowest_byte: lowest.byte_offset(),
        all_behind_byte: found.faulty_behind().map(drivelab_block::Sector::byte_offset),
        wraps_at_bytes: found.wraps_at().map(drivelab_block::ByteCount::get),
        flipped: found.count(Fault::Flipped),
        torn: found.count(Fault::Torn),
        misplaced: found.count(Fault::Misplaced),
        stale: found.count(Fault::Stale),
        missing: found.count(Fault::Missing),
    })
}

/// Of a result that only counts what failed.
fn of_older(outcome: &Outcome) -> Option<LapsesDocument> {
    let (failed, all) = (count(outcome.failed as f64), count(outcome.completions as f64));
    let sentence = format!("{failed} of {all} I/Os failed.");
    (outcome.failed > 0).then(|| LapsesDocument { sentence, ..LapsesDocument::default() })
}

fn of_records<K: ResultKind>(kept: &StoredResult<K>) -> Option<LapsesDocument> {
    let records = kept.analysis.as_ref().filter(|records| records.withheld.is_none())?;
    let phases = kept.run.phases.iter().zip(records.run.phases());
    let phases: Vec<(&str, &Unserved)> =
        phases.map(|(phase, analysis)| (phase.name.as_str(), &analysis.unserved)).collect();
    document(&phases, None, kept.run.drive.size_bytes)
}

impl<K: ResultKind> Comparison<'_, K> {
    /// What is shown of the results: first what their drives did not do as they were asked.
    pub fn page_view(&self) -> View {
        let mut view = (K::VIEW)(self);
        lead(&mut view, self);
        view
    }
}

impl<K: ResultKind> StoredResult<K> {
    /// What the drive did not do as it was asked; none where it did everything. Of a run that was killed it is what its records
    /// give.
    pub fn lapses(&self) -> Option<LapsesDocument> {
        let of_run = match &self.run.outcome {
            Some(outcome) => outcome.lapses.clone().or_else(|| of_older(outcome)),
            None => of_records(self),
        };
        let Some(later) = (K::HOOKS.not_as_written_later)(&self.findings) else { return of_run };
        let mut all = LapsesDocument { not_as_written: Some(later.clone()), ..of_run.unwrap_or_default() };
        all.sentence = words::sentence(&all, self.run.drive.size_bytes)?;
        Some(all)
    }
}

/// Puts what drives did not do first, in a view of these results. What the kind itself says of such a result follows, and marks
/// it as nothing that is done or good.
pub(crate) fn lead<K: ResultKind>(view: &mut View, compared: &Comparison<'_, K>) {
    let Some(section) = view.sections.first_mut() else { return };
    let mut first = Vec::new();
    for one in compared.iter() {
        let Some(lapses) = one.lapses() else { continue };
        let (own, others): (Vec<Block>, Vec<Block>) = section.blocks.drain(..).partition(
            |block| matches!(block, Block::Verdict(verdict) if verdict.subject == Some(one.place)),
        );
        section.blocks = others;
        first.push(Block::Verdict(verdict(one.place, &lapses, own)));
    }
    section.blocks.splice(0..0, first);
}

/// The verdict on a drive with lapses, with what else was to be said of it.
fn verdict(subject: usize, lapses: &LapsesDocument, own: Vec<Block>) -> Verdict {
    let mark = match lapses {
        LapsesDocument { unanswered: Some(ios), .. } if ios.later_ones_were_answered => "Not answered",
        LapsesDocument { unanswered: Some(_), .. } => "Hung",
        LapsesDocument { not_as_written: Some(_), .. } => "Not as written",
        LapsesDocument { failed, silence: Some(_), .. } if failed.is_empty() => "No answer",
        _ => "I/Os failed",
    };
    let mut verdict = Verdict::on(subject, Tone::Bad, mark, lapses.sentence.clone());
    for block in own {
        let Block::Verdict(own) = block else { continue };
        match own.about {
            // The first sentence says why.
            About::Nothing => {}
            About::Figures if !lapses.failed.is_empty() => {
                verdict.details.push(format!("Of the I/Os that did not fail: {}", own.sentence));
            }
            About::Figures | About::Findings => verdict.details.push(own.sentence),
        }
        verdict.details.extend(own.details);
        verdict.notices.extend(own.notices);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_documents::PhaseMoment;

    #[test]
    fn of_what_has_no_records_it_is_said_in_the_same_words_what_was_given_up() {
        let since = PhaseMoment { phase: "recording".to_owned(), at_s: 2.01 };
        let unanswered =
            UnansweredIosDocument { count: 8, since, waited_s: 7.5, later_ones_were_answered: false };
        let found = unanswered_document(unanswered.clone());
        assert_eq!(
            found.sentence,
            "No answer since second 2.01 of the phase recording: 8 I/Os were given up after 7.50 s, and it is not known whether \
             the drive would have answered later."
        );
        assert_eq!(
            found.unanswered.map(|unanswered| (unanswered.count, unanswered.waited_s)),
            Some((8, 7.5))
        );
    }
}
