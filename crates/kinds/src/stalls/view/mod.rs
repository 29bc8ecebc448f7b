//! What is shown of streams.

mod answer;
mod buffers;
mod charts;
mod figures;

use drivelab_view::{Block, Section, View};

use super::{Stalls, StreamFindings};
use crate::{ComparedResult, Comparison, read_back, shown};

pub(super) fn view(compared: &Comparison<'_, Stalls>) -> View {
    let mut sections = vec![Section::summary(None, head(compared))];
    sections.push(figures::section(compared));
    sections.extend(buffers::section(compared));
    sections.extend(charts::section(compared));
    sections.extend(buffers::delays(compared));
    sections.extend(read_back::faults(compared));
    shown::view(compared, sections)
}

fn head(compared: &Comparison<'_, Stalls>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    if compared.iter().all(|one| one.settings.rate_bytes_s.is_none()) {
        blocks.extend(shown::times_faster(compared, "writing", |found| found.stream.as_ref()?.mb_s));
    }
    blocks.extend(shown::verdicts_of_each(compared, |one| {
        let was_read_later = one.findings.verification.as_ref().is_some_and(|found| found.later.is_some());
        let read_back = read_back::verdict(one.place, one).filter(|_| was_read_later);
        [answer::verdict(one)].into_iter().chain(read_back).collect()
    }));
    blocks
}

/// The writes of every result that has some.
fn streams<'c, 'a>(
    compared: &'c Comparison<'a, Stalls>,
) -> impl Iterator<Item = (&'c ComparedResult<'a, Stalls>, &'c StreamFindings)> {
    compared.iter().filter_map(|one| Some((one, one.findings.stream.as_ref()?)))
}
