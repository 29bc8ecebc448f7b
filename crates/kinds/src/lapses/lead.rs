//! The first words of a view: what drives did not do as they were asked.

use drivelab_record::LapsesDocument;
use drivelab_view::{About, Block, Tone, Verdict, View};

use super::document_of_result;
use crate::{Comparison, ResultKind, StoredResult};

/// What stands before the figures of a drive on which I/Os failed.
const OF_THE_OTHERS: &str = "Of the I/Os that did not fail:";

impl<K: ResultKind> Comparison<'_, K> {
    /// What is shown of the results: first what their drives did not do as they were asked.
    pub fn page_view(&self) -> View {
        let mut view = K::view(self);
        lead(&mut view, self);
        view
    }
}

impl<K: ResultKind> StoredResult<K> {
    /// What the drive did not do as it was asked; none where it did everything. Of a run that was killed it is what its records
    /// give.
    pub fn lapses(&self) -> Option<LapsesDocument> {
        document_of_result(self)
    }
}

/// Puts what drives did not do first, in a view of these results. What the kind itself says of such a result follows, and marks
/// it as nothing that is done or good.
pub(crate) fn lead<K: ResultKind>(view: &mut View, compared: &Comparison<'_, K>) {
    let Some(section) = view.sections.first_mut() else { return };
    let mut first = Vec::new();
    for one in compared.iter() {
        let Some(lapses) = one.lapses() else { continue };
        let (own, others): (Vec<Block>, Vec<Block>) =
            section.blocks.drain(..).partition(|block| is_verdict_on(block, one.place));
        section.blocks = others;
        first.push(Block::Verdict(verdict(one.place, &lapses, own)));
    }
    section.blocks.splice(0..0, first);
}

fn is_verdict_on(block: &Block, subject: usize) -> bool {
    matches!(block, Block::Verdict(verdict) if verdict.subject == Some(subject))
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
                verdict.details.push(format!("{OF_THE_OTHERS} {}", own.sentence));
            }
            About::Figures | About::Findings => verdict.details.push(own.sentence),
        }
        verdict.details.extend(own.details);
        verdict.notices.extend(own.notices);
    }
    verdict
}
