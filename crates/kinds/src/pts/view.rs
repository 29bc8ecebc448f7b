//! What is shown of tests in rounds.

use drivelab_view::format::long_time;
use drivelab_view::{Block, Detail, Section, View};

use super::charts::charts;
use super::figures::figures;
use super::findings::PtsTestFindings;
use super::sentences::{NAMES, OVER_ROUNDS, state, verdict};
use super::settings::{PtsPrecondition, PtsTest};
use super::{Pts, tables};
use crate::{StoredResult, shown};

/// The view of the tests of one drive, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Pts>]) -> View {
    let mut sections = vec![Section::summary(None, head(results))];
    if results.iter().any(|kept| !kept.findings.tests.is_empty()) {
        sections.push(Section::summary(Some("Figures"), vec![Block::Figures(figures(results))]));
    }
    sections.extend(PtsTest::ALL.into_iter().flat_map(|test| sections_of(test, results)));
    shown::view(results, sections)
}

fn head(results: &[StoredResult<Pts>]) -> Vec<Block> {
    let mut blocks =
        shown::verdicts(results, |subject, kept| verdict(subject, &kept.settings, &kept.findings));
    blocks.push(Block::Text(how(results)));
    blocks
}

/// How the figures were taken.
fn how(results: &[StoredResult<Pts>]) -> String {
    let mut lengths: Vec<String> =
        results.iter().map(|kept| long_time(kept.settings.cell_duration_ns as f64 / 1e9)).collect();
    lengths.dedup();
    let is = |asked| results.iter().any(|kept| kept.settings.precondition == asked);
    let first = match (is(PtsPrecondition::FillTwice), is(PtsPrecondition::OnePass)) {
        (_, false) => "writes it twice in sequence first",
        (false, true) => {
            "writes the flash once first, in the order of one-pass preconditioning (throughput and cross stimulus: the \
             range twice in sequence)"
        }
        (true, true) => {
            "writes it twice in sequence first, or the flash once in the order of one-pass preconditioning"
        }
    };
    format!(
        "A cell of a round lasts {}. Each test purges the range and {first}, but for write saturation, which begins \
         with a purged drive. {NAMES} {OVER_ROUNDS}",
        lengths.join(" or ")
    )
}

/// What a test found on each drive, and its charts, which a summary leaves out; nothing where it ran on none.
fn sections_of(test: PtsTest, results: &[StoredResult<Pts>]) -> Vec<Section> {
    let found: Vec<(usize, &PtsTestFindings)> = results
        .iter()
        .enumerate()
        .filter_map(|(subject, kept)| Some((subject, kept.findings.find(test)?)))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let is_alone = results.len() == 1;
    let mut blocks = states(results, &found, is_alone);
    blocks.extend(tables::mixes(test, &found, is_alone));
    blocks.push(tables::cells(test, &found, is_alone));
    let detail = if is_alone { Detail::Summary } else { Detail::Full };
    let figures = Section { detail, ..Section::full(test.title(), blocks) };
    let charts = Section { heading: None, detail: Detail::Full, blocks: charts(test, &found) };
    [figures, charts].into_iter().filter(|section| !section.blocks.is_empty()).collect()
}

/// Whether the test was steady, on each drive.
fn states(results: &[StoredResult<Pts>], found: tables::OfTest<'_>, is_alone: bool) -> Vec<Block> {
    let subjects = crate::labels::subjects(results);
    let text = |(subject, found): &(usize, &PtsTestFindings)| {
        let state = state(found);
        Block::Text(if is_alone { state } else { format!("{}: {state}", subjects[*subject].label) })
    };
    found.iter().map(text).collect()
}
