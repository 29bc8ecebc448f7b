//! What is found of slow I/Os, as other programs read it.

use std::collections::BTreeMap;

use drivelab_analysis::{
    Bunching, Clustering, Judgement, NotShown, Period, SameThreshold, SlowIos, SlowThreshold, Threshold,
    TraceAnalysis,
};
use drivelab_block::Op;
use drivelab_inspect::slow::SlowReport;
use serde::{Deserialize, Serialize};

use super::bunching;

/// Slow I/Os, and whether they are clustered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BunchingDocument {
    /// From when on an I/O is slow; none where that is ten times the median of the time.
    pub threshold_ms: Option<f64>,
    /// Why it is that.
    #[serde(default)]
    pub threshold_chosen: Option<ThresholdChosen>,
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
    pub dispersion_bounds: Vec<DispersionDocument>,
    /// Slow I/Os that a person meets as one wait.
    pub episodes: u64,
    /// Seconds in which the oldest I/O in flight was slow already.
    pub frozen_s: f64,
    /// What they come back with, where that is regular: bytes written.
    pub period_bytes: Option<f64>,
    /// The same in nanoseconds.
    pub period_ns: Option<f64>,
    /// How likely chance alone crowds them as much; none where that was not asked.
    pub crowding_by_chance: Option<ChanceDocument>,
    /// How likely chance alone brings them back as regularly; none where they do not come back regularly.
    pub period_by_chance: Option<f64>,
    /// Whether they are clustered.
    #[serde(default)]
    pub clustering: Option<ClusteringDocument>,
    /// Why neither clustering nor chance is shown; none where one of them is.
    #[serde(default)]
    pub not_shown_because: Option<NotShownDocument>,
    /// Where they are consistent with chance: the shortest and the longest window, in seconds, in which bursts of ten that
    /// hold one in nine of them are excluded.
    #[serde(default)]
    pub bursts_excluded_s: Option<(f64, f64)>,
    /// In words.
    pub verdict: String,
}

/// A circular-shift permutation: four strands of slow I/Os shifted against each other, the arrivals kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChanceDocument {
    /// `(1 + shifts that crowd as much) / (1 + shifts)`.
    pub p: f64,
    /// Shifts made.
    pub shifts: u64,
    /// The shortest window in the comparison: 10 ms, longer where the trace has too many windows to keep.
    pub finest_window_s: f64,
}

/// An index of dispersion, and what chance allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DispersionDocument {
    /// The window.
    pub window_s: f64,
    /// The index.
    pub index: f64,
    /// Its standard deviation where each I/O is slow or not by itself; it is 1 then.
    pub deviation: f64,
    /// Windows that had I/Os.
    pub windows: u64,
}

/// Why a threshold holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdChosen {
    /// It is this direction's own.
    Own,
    /// It was asked for.
    Asked,
    /// It is the least at which slow I/Os are exceptions in all that is compared.
    Common,
    /// There is none like that: 100 ms.
    Instant,
}

/// Whether slow I/Os are clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusteringDocument {
    /// They are.
    Shown,
    /// They are as chance would have them: bursts are excluded.
    ConsistentWithChance,
    /// Neither is shown.
    NotShown,
}

/// Why neither clustering nor chance is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "drivelab_analysis::NotShown says what each means")]
pub enum NotShownDocument {
    TooFew,
    TooMany,
    TooFewWindows,
    LargeIndex,
    LargeLift,
    Borderline,
    BurstsPossible,
    TooManyToShift,
}

/// Slow I/Os of all kinds; `None` without I/Os.
pub fn of_all(report: &SlowReport, analysis: &TraceAnalysis) -> Option<BunchingDocument> {
    document(report.threshold, analysis.bunching_of_all(), &report.all, "I/Os")
}

/// Slow reads, and slow writes.
pub fn by_direction(report: &SlowReport, analysis: &TraceAnalysis) -> BTreeMap<String, BunchingDocument> {
    let directions = [(Op::Read, "read", "reads"), (Op::Write, "write", "writes")];
    let documents = directions.into_iter().filter_map(|(op, name, words)| {
        let found = document(report.threshold, analysis.bunching(op), report.judged(op), words);
        Some((name.to_owned(), found?))
    });
    documents.collect()
}

/// Those of the page's threshold, or where a trace has none of its own, those of the relative one.
fn document(
    threshold: SlowThreshold,
    found: &Bunching,
    judged: &Judgement,
    what: &str,
) -> Option<BunchingDocument> {
    let chance = &judged.chance;
    if found.count() == 0 {
        return None;
    }
    let slow = judged.slow(found).unwrap_or_else(|| found.relative());
    let dispersions = slow.dispersions();
    let (period_bytes, period_ns) = match slow.period() {
        Some(Period::Bytes(bytes)) => (Some(bytes), None),
        Some(Period::Nanos(nanos)) => (None, Some(nanos)),
        None => (None, None),
    };
    Some(BunchingDocument {
        threshold_ms: threshold_ms(slow),
        threshold_chosen: Some(chosen(threshold)),
        slow: slow.slow(),
        p_slow: slow.p_slow(),
        p_slow_after_slow: slow.p_slow_after_slow(),
        lift: slow.lift(),
        dispersion: dispersions.iter().map(|found| (window_name(found.window), found.index)).collect(),
        dispersion_bounds: dispersions
            .iter()
            .map(|found| DispersionDocument {
                window_s: found.window as f64 / 1e9,
                index: found.index,
                deviation: found.deviation,
                windows: found.windows,
            })
            .collect(),
        episodes: slow.episode_count(),
        frozen_s: slow.frozen() as f64 / 1e9,
        period_bytes,
        period_ns,
        crowding_by_chance: chance.crowding.map(|found| ChanceDocument {
            p: found.p,
            shifts: found.rotations,
            finest_window_s: found.finest_window as f64 / 1e9,
        }),
        period_by_chance: chance.period,
        clustering: Some(clustering(judged.clustering)),
        not_shown_because: not_shown(judged.clustering),
        bursts_excluded_s: match judged.clustering {
            Clustering::Chance { shortest, longest } => Some((shortest as f64 / 1e9, longest as f64 / 1e9)),
            _ => None,
        },
        verdict: bunching::verdict(found, judged, what),
    })
}

fn threshold_ms(slow: SlowIos<'_>) -> Option<f64> {
    match slow.threshold() {
        Threshold::Fixed(nanos) => Some(nanos as f64 / 1e6),
        Threshold::TenMedians => None,
    }
}

/// `10ms`, `1s`, ...
fn window_name(nanos: u64) -> String {
    match nanos {
        0..1_000_000_000 => format!("{}ms", nanos / 1_000_000),
        _ => format!("{}s", nanos / 1_000_000_000),
    }
}

fn chosen(threshold: SlowThreshold) -> ThresholdChosen {
    match threshold {
        SlowThreshold::Own => ThresholdChosen::Own,
        SlowThreshold::Same(_, SameThreshold::Asked) => ThresholdChosen::Asked,
        SlowThreshold::Same(_, SameThreshold::Common) => ThresholdChosen::Common,
        SlowThreshold::Same(_, SameThreshold::Instant) => ThresholdChosen::Instant,
    }
}

fn clustering(found: Clustering) -> ClusteringDocument {
    match found {
        Clustering::Shown(_) => ClusteringDocument::Shown,
        Clustering::Chance { .. } => ClusteringDocument::ConsistentWithChance,
        Clustering::NotShown(_) => ClusteringDocument::NotShown,
    }
}

fn not_shown(found: Clustering) -> Option<NotShownDocument> {
    let Clustering::NotShown(why) = found else { return None };
    Some(match why {
        NotShown::TooFew { .. } => NotShownDocument::TooFew,
        NotShown::TooMany(_) => NotShownDocument::TooMany,
        NotShown::TooFewWindows => NotShownDocument::TooFewWindows,
        NotShown::LargeIndex { .. } => NotShownDocument::LargeIndex,
        NotShown::LargeLift { .. } => NotShownDocument::LargeLift,
        NotShown::Borderline(_) => NotShownDocument::Borderline,
        NotShown::BurstsPossible { .. } => NotShownDocument::BurstsPossible,
        NotShown::TooManyToShift => NotShownDocument::TooManyToShift,
    })
}
