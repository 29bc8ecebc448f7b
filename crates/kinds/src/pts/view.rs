//! What is shown of tests in rounds.

use drivelab_view::format::long_time;
use drivelab_view::{Block, Detail, Section, View};

use super::charts::charts;
use super::sentences::{NAMES, OVER_ROUNDS, state, verdict};
use super::settings::{PtsPrecondition, PtsTest};
use super::tables::OfTest;
use super::tables::figures;
use super::{Pts, tables};
use crate::{Comparison, shown};

/// The view of the tests of one drive, or of several next to each other.
pub(super) fn view(compared: &Comparison<'_, Pts>) -> View {
    let mut head = shown::verdicts(compared, verdict);
    head.push(Block::Text(how(compared)));
    let mut sections = vec![Section::summary(None, head)];
    if compared.iter().any(|one| !one.findings.tests.is_empty()) {
        sections.push(figures(compared));
    }
    sections.extend(PtsTest::ALL.into_iter().flat_map(|test| sections_of(test, compared)));
    shown::view(compared, sections)
}

/// How the figures were taken.
fn how(compared: &Comparison<'_, Pts>) -> String {
    let mut lengths: Vec<String> =
        compared.iter().map(|one| long_time(one.settings.cell_duration_ns as f64 / 1e9)).collect();
    lengths.dedup();
    let is = |asked| compared.iter().any(|one| one.settings.precondition == asked);
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
fn sections_of(test: PtsTest, compared: &Comparison<'_, Pts>) -> Vec<Section> {
    let found: Vec<OfTest<'_>> =
        compared.iter().filter_map(|one| Some(OfTest { one, found: one.findings.find(test)? })).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let is_alone = compared.len() == 1;
    // Whether the test was steady, on each drive.
    let state = |OfTest { one, found }: &OfTest<'_>| {
        let state = state(found);
        Block::Text(if is_alone { state } else { format!("{}: {state}", one.label()) })
    };
    let mut blocks: Vec<Block> = found.iter().map(state).collect();
    blocks.extend(tables::mixes(test, &found));
    blocks.push(tables::cells(test, &found));
    let detail = if is_alone { Detail::Summary } else { Detail::Full };
    let figures = Section { detail, ..Section::full(test.title(), blocks) };
    let charts = Section { heading: None, detail: Detail::Full, blocks: charts(test, &found) };
    [figures, charts].into_iter().filter(|section| !section.blocks.is_empty()).collect()
}
