//! What is shown of streams.

mod answer;
mod buffers;
mod charts;
mod figures;
mod lists;
mod words;

use drivelab_view::{Block, Section, View};

use super::{Stalls, StreamFindings};
use crate::{StoredResult, read_back, shown};

/// The view of one stream, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Stalls>]) -> View {
    let mut sections = vec![Section::summary(None, head(results))];
    sections.push(figures::section(results));
    sections.extend(buffers::section(results));
    sections.extend(charts::section(results));
    sections.extend(lists::delays(results));
    sections.extend(read_back::faults(results));
    shown::view(results, sections)
}

fn head(results: &[StoredResult<Stalls>]) -> Vec<Block> {
    let shared = crate::kept::shared_notices(results);
    let mut blocks: Vec<Block> = Vec::new();
    if results.iter().all(|kept| kept.settings.rate_bytes_s.is_none()) {
        blocks.extend(shown::times_faster(results, "writing", |found| found.stream.as_ref()?.mb_s));
    }
    for (subject, kept) in results.iter().enumerate() {
        let mut verdict = answer::verdict(subject, kept);
        verdict.notices = kept.own_notices(&shared);
        blocks.push(Block::Verdict(verdict));
        let was_read_later = kept.findings.verification.as_ref().is_some_and(|found| found.later.is_some());
        blocks.extend(read_back::verdict(subject, kept).filter(|_| was_read_later).map(Block::Verdict));
    }
    blocks.extend(shown::shared(shared));
    blocks
}

/// The writes of every result that has some, with its place.
fn streams(
    results: &[StoredResult<Stalls>],
) -> impl Iterator<Item = (usize, &StoredResult<Stalls>, &StreamFindings)> {
    results.iter().enumerate().filter_map(|(place, kept)| Some((place, kept, kept.findings.stream.as_ref()?)))
}
