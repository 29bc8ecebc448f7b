//! What is shown of comparisons of paths.

mod charts;
mod rates;
mod tables;
mod verdict;

use drivelab_view::{Block, Section, View};

use super::Paths;
use crate::Comparison;
use crate::shown;

/// The view of one comparison of paths, or of several next to each other.
pub(super) fn view(results: &Comparison<'_, Paths>) -> View {
    let mut sections = vec![Section::summary(None, head(results))];
    sections.push(Section::summary(Some("Rate and time for each file"), rates::blocks(results)));
    sections.push(Section::full("Rate and time by file size", charts::both(results)));
    sections.extend(tables::time(results).map(|table| Section::summary(Some("Where the time goes"), table)));
    let processors = charts::processors(results).into_iter().chain(tables::processors(results)).flatten();
    let processors: Vec<Block> = processors.collect();
    sections.extend((!processors.is_empty()).then(|| Section::full("Processors", processors)));
    sections.push(Section::full("Runs", tables::runs(results)));
    shown::view(results, sections)
}

fn head(results: &Comparison<'_, Paths>) -> Vec<Block> {
    let mut blocks = shown::verdicts(results, |one| verdict::judge(one.place, &one.findings));
    blocks.extend(results.first().map(|kept| Block::Text(verdict::method(&kept.findings))));
    blocks
}

/// Files of a length, as the head of a row.
fn files_of(file_bytes: u64) -> String {
    format!("{} files", drivelab_view::format::bytes(file_bytes as f64))
}

/// The lengths of files that any of the results has, in ascending order.
fn lengths(results: &Comparison<'_, Paths>) -> Vec<u64> {
    let mut lengths: Vec<u64> = results.iter().flat_map(|kept| kept.findings.file_lengths()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The paths that any of the results has, from the longest to the shortest.
fn paths(results: &Comparison<'_, Paths>) -> Vec<super::DataPath> {
    let has = |path: &super::DataPath| results.iter().any(|kept| kept.findings.paths().contains(path));
    super::DataPath::ALL.into_iter().filter(has).collect()
}
