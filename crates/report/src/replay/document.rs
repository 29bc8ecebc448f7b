//! A replay as other programs read it.

use std::collections::BTreeMap;

use drivelab_analysis::{Distance, Latency, TraceAnalysis};
use drivelab_block::{ByteCount, Op};
use drivelab_inspect::trace::{ByOperation, LatencyByDirection, TracePhases};
use serde::{Deserialize, Serialize};

use super::ReplayReport;
use crate::condition::Condition;
use crate::trace::{BunchingDocument, MadeFigures};
use drivelab_record::EnergyDocument;

/// The schema name of [`ReplayDocument`].
pub const REPLAY_SCHEMA: &str = "drivelab.replay/1";

/// A replay: `drivelab.replay/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayDocument {
    /// `drivelab.replay/1`.
    pub schema: String,
    /// The trace, as the user named it.
    pub trace: String,
    /// Which phases were replayed, where the trace is a run; none for a trace, which has no phases.
    #[serde(default)]
    pub trace_phases: Option<TracePhases>,
    /// What it was replayed on.
    pub target: String,
    /// `recorded`, `dependent` or `unpaced`.
    pub timing: String,
    /// How much faster than the trace.
    pub speed: f64,
    /// How addresses were mapped.
    pub map: MapDocument,
    /// The seed of the data that was written.
    pub seed: u64,
    /// Requests in flight at most.
    pub depth_limit: u32,
    /// Requests that were replayed.
    pub requests: ByOperation<u64>,
    /// Bytes of them.
    pub bytes: ByOperation<u64>,
    /// Requests of the part of the trace that was chosen, without those left out.
    pub requests_asked: u64,
    /// Requests of the trace that were not replayed, by reason.
    pub left_out: LeftOutDocument,
    /// Requests that were widened to whole blocks of the target.
    pub widened: u64,
    /// Bytes that were written before; none without a fill.
    pub filled_bytes: Option<u64>,
    /// Spans of time.
    pub span_ns: SpanDocument,
    /// Requests a second.
    pub iops: IopsDocument,
    /// From submission to completion.
    pub service_ns: LatencyByDirection,
    /// From when a request was due to its completion.
    pub response_ns: LatencyByDirection,
    /// How well the replay kept to the trace.
    pub fidelity: FidelityDocument,
    /// The replay beside the trace itself.
    pub against_trace: ComparisonDocument,
    /// Slow I/Os of all kinds.
    pub bunching: Option<BunchingDocument>,
    /// Slow reads, and slow writes, apart.
    pub bunching_by_direction: BTreeMap<String, BunchingDocument>,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// Completions, whether they ended well or not, those of a fill included.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Completions that were not kept.
    pub lost_records: u64,
    /// Bytes of the files that hold the records.
    pub records_bytes: u64,
    /// Hexadecimal hash over all completions; absent for real drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions_hash: Option<String>,
    /// What the reader has to know before believing the figures, a sentence each.
    pub notices: Vec<String>,
    /// What it took, by a meter; absent where none was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
    /// What the engine obtained, by name.
    pub obtained: BTreeMap<String, String>,
}

/// How addresses were mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapDocument {
    /// `identity` or `compact`.
    pub kind: String,
    /// The unit of what was moved together, in bytes; none for identity.
    pub granule_bytes: Option<u64>,
    /// What the trace touches, in whole granules; none for identity.
    pub touched_bytes: Option<u64>,
}

/// Requests of the trace that were not replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutDocument {
    /// Writes, as was asked.
    pub writes: u64,
    /// Discards, as was asked.
    pub discards: u64,
    /// Requests for nothing.
    pub empty: u64,
}

/// Spans of time, from the first request to the last one, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanDocument {
    /// In the trace, until the last issue or completion.
    pub trace: u64,
    /// As the schedule had it; none where it is not absolute.
    pub asked: Option<u64>,
    /// From the first submission to the last.
    pub replayed: u64,
    /// Idle time of the trace that was cut; none where nothing was to be cut.
    pub idle_cut: Option<u64>,
    /// How many idle spans were cut.
    pub idle_cuts: Option<u64>,
}

/// Requests a second, over the spans from the first to the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IopsDocument {
    /// As the schedule had it; none where it is not absolute.
    pub asked: Option<f64>,
    /// As they were submitted; none below two requests.
    pub achieved: Option<f64>,
}

/// How well a replay kept to its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FidelityDocument {
    /// Submission minus due time; none where requests had no times.
    pub lateness_ns: Option<LatenessDocument>,
    /// The slope of lateness over due time by least squares, in millionths: how much longer the replay's submissions
    /// take than the schedule. None where the schedule is not absolute.
    pub drift_ppm: Option<f64>,
    /// Requests that were submitted after one that was due later.
    pub inversions: u64,
    /// Requests that were due when every slot was taken.
    pub capped: u64,
    /// Requests that waited for others in flight on the same sectors.
    pub held_back: u64,
    /// How often the trace's reader was late.
    pub late_steps: u64,
}

/// Lateness in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatenessDocument {
    /// Mean, exact.
    pub mean: f64,
    /// The median, within 1 %.
    pub p50: u64,
    /// The 99th percentile, within 1 %.
    pub p99: u64,
    /// The greatest, exact.
    pub max: u64,
}

/// The replay's latencies beside the trace's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonDocument {
    /// What the trace's durations span: `D2C`, `Q2C`, `mixed` or `nothing`.
    pub measured: String,
    /// Service times; each none where one of the two has none, and where the user ended the replay.
    pub service: DirectionsDocument,
    /// Response times.
    pub response: DirectionsDocument,
}

/// Distances by direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the directions")]
pub struct DirectionsDocument {
    pub all: Option<DistanceDocument>,
    pub read: Option<DistanceDocument>,
    pub write: Option<DistanceDocument>,
}

/// How far two latencies are apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistanceDocument {
    /// Kolmogorov-Smirnov: the greatest difference between the shares of values up to any bound, 0 to 1.
    pub ks: f64,
    /// The replay's mean / the trace's.
    pub ratio_of_means: f64,
}

impl ReplayDocument {
    /// Whether two replays asked their targets for the same requests at the same times, so that answers can be compared.
    pub(crate) fn asks_the_same(&self, other: &ReplayDocument) -> bool {
        let is_as_fast = (self.speed - other.speed).abs() < f64::EPSILON;
        let shown = |one: &ReplayDocument| one.trace_phases.as_ref().map(|phases| phases.shown.clone());
        let is_of_the_same = self.trace == other.trace && shown(self) == shown(other);
        let is_alike = (&self.timing, &self.map) == (&other.timing, &other.map);
        let has_as_many = (&self.requests, &self.bytes) == (&other.requests, &other.bytes);
        let is_as_dense = (self.depth_limit, self.span_ns.asked) == (other.depth_limit, other.span_ns.asked);
        is_as_fast && is_of_the_same && is_alike && has_as_many && is_as_dense
    }

    /// The document of a replay.
    pub fn of(report: &ReplayReport<'_>) -> ReplayDocument {
        let made = made(report);
        let records = &report.records;
        let named = |condition: &Condition| (condition.name.clone(), condition.value.clone());
        ReplayDocument {
            schema: REPLAY_SCHEMA.to_owned(),
            trace: report.trace.clone(),
            trace_phases: report.trace_phases.clone(),
            target: report.target.clone(),
            timing: report.timing.clone(),
            speed: report.speed,
            map: report.map.clone(),
            seed: report.seed,
            depth_limit: report.depth_limit,
            requests: made.requests,
            bytes: made.bytes,
            requests_asked: report.asked.requests(),
            left_out: report.left_out,
            widened: report.widened,
            filled_bytes: report.filled.map(ByteCount::get),
            span_ns: spans(report),
            iops: iops(report),
            service_ns: made.service_ns,
            response_ns: made.response_ns,
            fidelity: fidelity(report),
            against_trace: against_trace(report),
            bunching: made.bunching,
            bunching_by_direction: made.bunching_by_direction,
            interrupted: report.interrupted,
            completions: records.completions,
            failed: records.failed,
            lost_records: records.lost,
            records_bytes: records.bytes,
            completions_hash: records.completions_hash.clone(),
            notices: report.notices.clone(),
            energy: report.energy.clone(),
            obtained: report.obtained.iter().map(named).collect(),
        }
    }
}

/// The figures of the trace that the replay made.
fn made(report: &ReplayReport<'_>) -> MadeFigures {
    MadeFigures::of(report.replayed.made(), &report.slow)
}

fn spans(report: &ReplayReport<'_>) -> SpanDocument {
    SpanDocument {
        trace: report.asked.span(),
        asked: report.lasts.map(drivelab_block::Nanos::get),
        replayed: report.replayed.fidelity().span(),
        idle_cut: report.idle_cut.map(|(cut, _)| cut.get()),
        idle_cuts: report.idle_cut.map(|(_, cuts)| cuts),
    }
}

fn iops(report: &ReplayReport<'_>) -> IopsDocument {
    let per_second = |requests: u64, nanos: u64| {
        (requests > 1 && nanos > 0).then(|| (requests - 1) as f64 / (nanos as f64 / 1e9))
    };
    let lasts = report.lasts.map_or(0, drivelab_block::Nanos::get);
    IopsDocument {
        asked: per_second(report.asked.requests(), lasts),
        achieved: per_second(report.replayed.made().requests(), report.replayed.fidelity().span()),
    }
}

fn fidelity(report: &ReplayReport<'_>) -> FidelityDocument {
    let fidelity = report.replayed.fidelity();
    let lateness = fidelity.lateness();
    let figures = || {
        Some(LatenessDocument {
            mean: lateness.moments().mean()?,
            p50: lateness.quantile(0.5)?,
            p99: lateness.quantile(0.99)?,
            max: lateness.moments().max()?,
        })
    };
    FidelityDocument {
        lateness_ns: report.has_due_times.then(figures).flatten(),
        drift_ppm: fidelity.drift_ppm().filter(|_| report.lasts.is_some()),
        inversions: fidelity.inversions(),
        capped: report.capped,
        held_back: report.held_back,
        late_steps: report.late_steps,
    }
}

/// The two beside each other; of a replay that was cut short there is nothing to compare with all of the trace.
fn against_trace(report: &ReplayReport<'_>) -> ComparisonDocument {
    let (asked, made) = (report.asked, report.replayed.made());
    let between = |asked: &Latency, made: &Latency| {
        let distance = Distance::between(&asked.distribution, &made.distribution)?;
        Some(DistanceDocument { ks: distance.kolmogorov_smirnov, ratio_of_means: distance.ratio_of_means })
    };
    // The requests of a replay are due when those of the trace were issued: what these had waited before is no part of it.
    let directions = |all: fn(&TraceAnalysis) -> Latency, of: fn(&TraceAnalysis, Op) -> &Latency| {
        if report.interrupted {
            return DirectionsDocument::default();
        }
        DirectionsDocument {
            all: between(&asked.service(), &all(made)),
            read: between(&asked.op(Op::Read).service, of(made, Op::Read)),
            write: between(&asked.op(Op::Write).service, of(made, Op::Write)),
        }
    };
    ComparisonDocument {
        measured: report.measured.clone(),
        service: directions(TraceAnalysis::service, |analysis, op| &analysis.op(op).service),
        response: directions(TraceAnalysis::response, |analysis, op| &analysis.op(op).response),
    }
}
