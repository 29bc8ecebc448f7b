//! Kinds of results whose figures come from the records of I/Os.

use super::{IoFindings, Judging, MeasuredPhase};
use crate::{ResultKind, StoredResult};

/// A kind of result whose figures come from the records of I/Os.
pub(crate) trait RecordedKind: ResultKind {
    /// Whether the figures come before the rate of every second on its pages.
    const FIGURES_FIRST: bool = false;

    /// What is found of the I/Os.
    fn ios(findings: &Self::Findings) -> &IoFindings;

    /// By what the rate is judged.
    fn judging(settings: &Self::Settings) -> Judging;
}

/// The measured phase of a result; none of one without an analysis of its records.
pub(crate) fn measured<K: RecordedKind>(kept: &StoredResult<K>) -> Option<MeasuredPhase<'_>> {
    let analysis = kept.analysis.as_ref()?;
    Some(MeasuredPhase::new(&kept.run, analysis, K::judging(&kept.settings)))
}
