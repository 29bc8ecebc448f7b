//! What is found of slow I/Os.

use drivelab_block::{Nanos, Op};
use drivelab_stats::{
    Bunching, Clustering, ClusteringShown, Judgement, NotShown, Period, SlowIos, SlowThreshold, Threshold,
    ThresholdOrigin, TraceAnalysis,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;

/// Slow I/Os of a trace; none of a kind that has no I/O whose duration is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowByDirection {
    /// Of all kinds.
    pub all: Option<SlowFindings>,
    /// Reads.
    pub read: Option<SlowFindings>,
    /// Writes.
    pub write: Option<SlowFindings>,
}

/// Slow I/Os, and whether they are clustered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowFindings {
    /// From when on an I/O is slow, the same in all that stands on one page; none where that is ten times the
    /// median of the latest 1,024 of the same direction.
    pub threshold_ms: Option<f64>,
    /// Why it is that.
    pub threshold_chosen: ThresholdOrigin,
    /// I/Os whose duration is known.
    pub count: u64,
    /// Slow I/Os.
    pub slow: u64,
    /// Their share.
    pub slow_share: f64,
    /// Their share among those right after a slow one; none where there is none.
    pub slow_after_slow_share: Option<f64>,
    /// The second divided by the first; 1 is chance.
    pub lift: Option<f64>,
    /// The index of dispersion by window, and what chance allows.
    pub dispersion: Vec<DispersionFindings>,
    /// Slow I/Os that a user meets as one wait: their intervals overlap, or lie no farther apart than 50 ms or the threshold.
    pub episodes: u64,
    /// Seconds in which the oldest I/O in flight was slow already.
    pub stalled_s: f64,
    /// What they come back with, where that is regular: bytes written.
    pub period_bytes: Option<f64>,
    /// The same in nanoseconds.
    pub period_ns: Option<f64>,
    /// How likely they are clustered as much by chance alone; none where that was not tested.
    pub clustering_by_chance: Option<ChanceFindings>,
    /// How likely chance alone brings them back as regularly; none where they do not come back regularly.
    pub period_by_chance: Option<f64>,
    /// Whether they are clustered.
    pub clustering: ClusteringAnswer,
    /// The windows over which their number varies more than by chance, in seconds; null where they are not clustered, or follow
    /// one another more often than by chance.
    pub clustered_over_s: Option<f64>,
    /// Why neither clustering nor chance is shown; none where one of them is.
    pub not_shown_because: Option<NotShownReason>,
    /// Where they are consistent with chance: the shortest and the longest window, in seconds, in which bursts of ten that
    /// hold one in nine of them are excluded.
    pub bursts_excluded_s: Option<(f64, f64)>,
    /// The same in a sentence.
    pub verdict: String,
}

/// A circular-shift permutation: four strands of slow I/Os shifted against each other, the arrivals kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChanceFindings {
    /// `(1 + shifts after which they are clustered as much) / (1 + shifts)`.
    pub p: f64,
    /// Shifts made.
    pub shifts: u64,
    /// The shortest window in the comparison: 10 ms, longer where the trace has too many windows to keep.
    pub finest_window_s: f64,
}

/// An index of dispersion, and what chance allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DispersionFindings {
    /// The window.
    pub window_s: f64,
    /// The index.
    pub index: f64,
    /// Its standard deviation where each I/O is slow or not by itself; it is 1 then.
    pub deviation: f64,
    /// Windows that had I/Os.
    pub windows: u64,
}

/// How often I/Os took so long or longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitFindings {
    /// So long.
    pub threshold_ms: f64,
    /// I/Os that took it or longer.
    pub slow: u64,
    /// Their share.
    pub slow_share: f64,
    /// How often a user meets them as one wait.
    pub episodes: u64,
    /// Seconds in which the oldest I/O in flight had taken so long already.
    pub stalled_s: f64,
}

/// Whether slow I/Os are clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusteringAnswer {
    /// They are.
    Shown,
    /// They are as chance would have them: bursts are excluded.
    ConsistentWithChance,
    /// Neither is shown.
    NotShown,
}

/// Why neither clustering nor chance is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "drivelab_stats::NotShown says what each means")]
pub enum NotShownReason {
    TooFew,
    TooMany,
    TooFewWindows,
    LargeIndex,
    LargeLift,
    Borderline,
    BurstsPossible,
    TooManyToShift,
}

impl SlowByDirection {
    /// What was found of the slow I/Os of a trace.
    pub fn from_report(report: &SlowReport, analysis: &TraceAnalysis) -> SlowByDirection {
        let origin = report.threshold.origin;
        let [read, write] = analysis.directions();
        SlowByDirection {
            all: SlowFindings::from_bunching(origin, &analysis.bunching_of_all, &report.all, "I/Os"),
            read: SlowFindings::from_bunching(origin, read, &report.read, "reads"),
            write: SlowFindings::from_bunching(origin, write, &report.write, "writes"),
        }
    }

    /// Which threshold holds for everything on the page, on which several may be compared, and why, in a
    /// sentence; none where no duration is known.
    pub fn threshold_sentence(&self, compared: bool) -> Option<String> {
        let all = self.all.as_ref()?;
        Some(words::same_threshold((all.threshold_ms, all.threshold_chosen), compared))
    }
}

impl SlowFindings {
    /// Those of one direction, `what`, at the page's threshold; `None` without I/Os.
    fn from_bunching(
        origin: ThresholdOrigin,
        found: &Bunching,
        judged: &Judgement,
        what: &str,
    ) -> Option<SlowFindings> {
        if found.count() == 0 {
            return None;
        }
        let chance = &judged.chance;
        let slow = judged.slow(found);
        let (clustering, clustered_over_s, not_shown_because, bursts_excluded_s) = match judged.clustering {
            Clustering::Shown(ClusteringShown::Windows { window, .. }) => {
                (ClusteringAnswer::Shown, Some(seconds(window)), None, None)
            }
            Clustering::Shown(_) => (ClusteringAnswer::Shown, None, None, None),
            Clustering::Chance { shortest, longest } => {
                let excluded = Some((seconds(shortest), seconds(longest)));
                (ClusteringAnswer::ConsistentWithChance, None, None, excluded)
            }
            Clustering::NotShown(why) => (ClusteringAnswer::NotShown, None, Some(not_shown(why)), None),
        };
        let (period_bytes, period_ns) = match slow.tally.episodes.period() {
            Some(Period::Bytes(bytes)) => (Some(bytes), None),
            Some(Period::Nanos(nanos)) => (None, Some(nanos)),
            None => (None, None),
        };
        Some(SlowFindings {
            threshold_ms: threshold_ms(slow),
            threshold_chosen: origin,
            count: found.count(),
            slow: slow.tally.slow,
            slow_share: slow.p_slow(),
            slow_after_slow_share: slow.p_slow_after_slow(),
            lift: slow.lift(),
            dispersion: dispersion(slow),
            episodes: slow.tally.episodes.count,
            stalled_s: seconds(slow.tally.frozen),
            period_bytes,
            period_ns,
            clustering_by_chance: chance.crowding.map(|found| ChanceFindings {
                p: found.p,
                shifts: found.rotations,
                finest_window_s: seconds(found.finest_window),
            }),
            period_by_chance: chance.period,
            clustering,
            clustered_over_s,
            not_shown_because,
            bursts_excluded_s,
            verdict: words::verdict(found, judged, what),
        })
    }
}

/// How often I/Os took as long as each of the fixed thresholds; nothing where no duration is known.
pub fn waits(found: &Bunching) -> Vec<WaitFindings> {
    if found.count() == 0 {
        return Vec::new();
    }
    let at = |slow: SlowIos<'_>| {
        Some(WaitFindings {
            threshold_ms: threshold_ms(slow)?,
            slow: slow.tally.slow,
            slow_share: slow.p_slow(),
            episodes: slow.tally.episodes.count,
            stalled_s: seconds(slow.tally.frozen),
        })
    };
    found.thresholds().filter_map(at).collect()
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

fn dispersion(slow: SlowIos<'_>) -> Vec<DispersionFindings> {
    let all = slow.dispersions().into_iter().map(|found| DispersionFindings {
        window_s: seconds(found.window),
        index: found.index,
        deviation: found.deviation,
        windows: found.windows,
    });
    all.collect()
}

fn threshold_ms(slow: SlowIos<'_>) -> Option<f64> {
    match slow.tally.threshold {
        Threshold::Fixed(nanos) => Some(nanos as f64 / 1e6),
        Threshold::TenMedians => None,
    }
}

fn not_shown(why: NotShown) -> NotShownReason {
    match why {
        NotShown::TooFew { .. } => NotShownReason::TooFew,
        NotShown::TooMany(_) => NotShownReason::TooMany,
        NotShown::TooFewWindows => NotShownReason::TooFewWindows,
        NotShown::LargeIndex { .. } => NotShownReason::LargeIndex,
        NotShown::LargeLift { .. } => NotShownReason::LargeLift,
        NotShown::Borderline(_) => NotShownReason::Borderline,
        NotShown::BurstsPossible { .. } => NotShownReason::BurstsPossible,
        NotShown::TooManyToShift => NotShownReason::TooManyToShift,
    }
}

/// What is found of the slow I/Os of one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowReport {
    /// From when on they are slow.
    pub threshold: SlowThreshold,
    /// Reads.
    pub read: Judgement,
    /// Writes.
    pub write: Judgement,
    /// I/Os of any kind.
    pub all: Judgement,
}

/// The threshold of a page with these traces: the one that was asked for, at which their I/Os were counted,
/// or one that is chosen from all of them ([`SlowThreshold::chosen`]).
pub fn page_threshold(asked: Option<Nanos>, traces: &[&TraceAnalysis]) -> SlowThreshold {
    let chosen = || {
        let directions: Vec<[&Bunching; 2]> = traces.iter().map(|trace| trace.directions()).collect();
        SlowThreshold::chosen(&directions)
    };
    asked.map_or_else(chosen, |asked| SlowThreshold::asked(asked.get()))
}

impl SlowReport {
    /// Judges one direction after the other. Takes up to a second each.
    pub fn from_analysis(analysis: &TraceAnalysis, threshold: SlowThreshold) -> SlowReport {
        let [read, write] = analysis.directions().map(|direction| direction.judge(threshold));
        SlowReport { threshold, read, write, all: analysis.bunching_of_all.judge(threshold) }
    }

    /// That of one direction; that of all for other operations.
    pub fn judged(&self, op: Op) -> &Judgement {
        match op {
            Op::Read => &self.read,
            Op::Write => &self.write,
            Op::Discard | Op::Flush => &self.all,
        }
    }

    /// The slow reads, or the slow writes.
    pub fn ios<'a>(&self, analysis: &'a TraceAnalysis, op: Op) -> SlowIos<'a> {
        self.judged(op).slow(analysis.bunching(op))
    }
}
