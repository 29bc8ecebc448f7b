//! What is found of slow I/Os, as the document of a replay names it.

use std::collections::BTreeMap;

use drivelab_analysis::TraceAnalysis;
use drivelab_inspect::slow::{
    ChanceFindings, ClusteringAnswer, DispersionFindings, NotShownReason, SlowByDirection, SlowFindings,
    SlowReport, ThresholdReason,
};
use serde::{Deserialize, Serialize};

/// Slow I/Os, and whether they are clustered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BunchingDocument {
    /// From when on an I/O is slow; none where that is ten times the median of the time.
    pub threshold_ms: Option<f64>,
    /// Why it is that.
    #[serde(default)]
    pub threshold_chosen: Option<ThresholdReason>,
    /// Slow I/Os.
    pub slow: u64,
    /// Their share.
    pub p_slow: f64,
    /// Their share among those right after a slow one; none where there is none.
    pub p_slow_after_slow: Option<f64>,
    /// The second divided by the first; 1 is chance.
    pub lift: Option<f64>,
    /// The index of dispersion by window; 1 is chance.
    pub dispersion: BTreeMap<String, f64>,
    /// The same with what chance allows.
    pub dispersion_bounds: Vec<DispersionFindings>,
    /// Slow I/Os that a person meets as one wait.
    pub episodes: u64,
    /// Seconds in which the oldest I/O in flight was slow already.
    pub frozen_s: f64,
    /// What they come back with, where that is regular: bytes written.
    pub period_bytes: Option<f64>,
    /// The same in nanoseconds.
    pub period_ns: Option<f64>,
    /// How likely chance alone crowds them as much; none where that was not asked.
    pub crowding_by_chance: Option<ChanceFindings>,
    /// How likely chance alone brings them back as regularly; none where they do not come back regularly.
    pub period_by_chance: Option<f64>,
    /// Whether they are clustered.
    #[serde(default)]
    pub clustering: Option<ClusteringAnswer>,
    /// Why neither clustering nor chance is shown; none where one of them is.
    #[serde(default)]
    pub not_shown_because: Option<NotShownReason>,
    /// Where they are consistent with chance: the shortest and the longest window, in seconds, in which bursts of ten that
    /// hold one in nine of them are excluded.
    #[serde(default)]
    pub bursts_excluded_s: Option<(f64, f64)>,
    /// In words.
    pub verdict: String,
}

/// Slow I/Os of all kinds, which are none without I/Os; and slow reads and writes, apart.
pub fn of(
    report: &SlowReport,
    analysis: &TraceAnalysis,
) -> (Option<BunchingDocument>, BTreeMap<String, BunchingDocument>) {
    let SlowByDirection { all, read, write } = SlowByDirection::of(report, analysis);
    let directions = [("read", read), ("write", write)].into_iter();
    let known =
        directions.filter_map(|(name, found)| Some((name.to_owned(), BunchingDocument::from(found?))));
    (all.map(BunchingDocument::from), known.collect())
}

impl From<SlowFindings> for BunchingDocument {
    fn from(found: SlowFindings) -> BunchingDocument {
        BunchingDocument {
            threshold_ms: found.threshold_ms,
            threshold_chosen: Some(found.threshold_chosen),
            slow: found.slow,
            p_slow: found.slow_share,
            p_slow_after_slow: found.slow_after_slow_share,
            lift: found.lift,
            dispersion: found.dispersion.iter().map(|one| (window_name(one.window_s), one.index)).collect(),
            dispersion_bounds: found.dispersion,
            episodes: found.episodes,
            frozen_s: found.stalled_s,
            period_bytes: found.period_bytes,
            period_ns: found.period_ns,
            crowding_by_chance: found.clustering_by_chance,
            period_by_chance: found.period_by_chance,
            clustering: Some(found.clustering),
            not_shown_because: found.not_shown_because,
            bursts_excluded_s: found.bursts_excluded_s,
            verdict: found.verdict,
        }
    }
}

/// `10ms`, `1s`, ...
fn window_name(seconds: f64) -> String {
    let nanos = (seconds * 1e9).round();
    if nanos < 1e9 { format!("{}ms", (nanos / 1e6).trunc()) } else { format!("{}s", (nanos / 1e9).trunc()) }
}
