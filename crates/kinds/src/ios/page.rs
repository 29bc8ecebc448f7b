//! The page that kinds of results share whose figures come from the records of I/Os.

use drivelab_view::{Block, Figures, Section, Subject, View};

use super::{RecordedKind, delays, failed_table, gauges, latency, phases, rate};
use crate::{StoredResult, shown};

/// The view of results: the answer of each, the rate of every second, the figures, and what else was recorded.
pub(crate) fn view<K: RecordedKind>(
    results: &[StoredResult<K>],
    (title, subjects): (String, Vec<Subject>),
    head: Vec<Block>,
    figures: Figures,
) -> View {
    let labels: Vec<String> = subjects.iter().map(|subject| subject.label.clone()).collect();
    let mut sections = vec![Section::summary(None, head)];
    let figures = vec![Section::summary(Some("Figures"), vec![Block::Figures(figures)])];
    let (first, then) = if K::FIGURES_FIRST { (figures, rate(results)) } else { (rate(results), figures) };
    sections.extend(first.into_iter().chain(then));
    sections.extend(latency(results));
    sections.extend(shown::machine(results).map(|mut section| {
        section.blocks.extend(gauges(results, &labels));
        section
    }));
    sections.extend(shown::energy(results));
    sections.extend(shown::media_writes(results));
    sections.extend(shown::heat(results));
    sections.extend(delays(results, &labels));
    sections.extend(failed_table::section(results));
    sections.extend(shown::kernel_log(results));
    sections.push(phases(results, &labels));
    sections.push(shown::conditions(results));
    View { title, kind: K::WORDS.to_owned(), name: K::NAME, subjects, sections }
}
