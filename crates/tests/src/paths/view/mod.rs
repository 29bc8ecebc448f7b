//! What is shown of comparisons of paths.

mod charts;
mod rates;
mod tables;
mod verdict;

use drivelab_view::{Block, Section, View};

use super::Paths;
use crate::shown;
use crate::{Kept, ResultKind};

/// The view of one comparison of paths, or of several next to each other.
pub(super) fn view(results: &[Kept<Paths>]) -> View {
    let mut sections = vec![Section::summary(None, head(results))];
    sections.push(Section::summary(Some("Rate and time for each file"), rates::blocks(results)));
    sections.push(Section::full("Rate and time by file size", charts::both(results)));
    sections.extend(tables::time(results).map(|table| Section::summary(Some("Where the time goes"), table)));
    sections.extend(tables::processors(results).map(|tables| Section::full("Processors", tables)));
    sections.push(Section::full("Runs", tables::runs(results)));
    sections.extend(shown::machine(results));
    sections.extend(shown::energy(results));
    sections.push(shown::conditions(results));
    View {
        title: shown::title(results),
        kind: Paths::WORDS.to_owned(),
        name: Paths::NAME,
        subjects: crate::kept::subjects(results),
        sections,
    }
}

fn head(results: &[Kept<Paths>]) -> Vec<Block> {
    let shared = crate::kept::shared_notices(results);
    let of_subject = |(subject, kept): (usize, &Kept<Paths>)| {
        let mut verdict = verdict::of(subject, &kept.findings);
        verdict.notices = kept.own_notices(&shared);
        Block::Verdict(verdict)
    };
    let mut blocks: Vec<Block> = results.iter().enumerate().map(of_subject).collect();
    blocks.extend(results.first().map(|kept| Block::Text(verdict::method(&kept.findings))));
    blocks.extend(shown::shared(shared));
    blocks
}

/// Files of a length, as the head of a row.
fn files_of(file_bytes: u64) -> String {
    format!("{} files", drivelab_view::format::bytes(file_bytes as f64))
}

/// The lengths of files that any of the results has, in ascending order.
fn lengths(results: &[Kept<Paths>]) -> Vec<u64> {
    let mut lengths: Vec<u64> = results.iter().flat_map(|kept| kept.findings.file_lengths()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The paths that any of the results has, from the longest to the shortest.
fn paths(results: &[Kept<Paths>]) -> Vec<super::DataPath> {
    let has = |path: &super::DataPath| results.iter().any(|kept| kept.findings.paths().contains(path));
    super::DataPath::ALL.into_iter().filter(has).collect()
}
