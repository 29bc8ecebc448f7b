//! A trace as other programs read it.

use std::collections::BTreeMap;

use drivelab_analysis::{Latency, SIZE_CLASSES, TraceAnalysis, TracedOp, size_class_bytes};
use drivelab_block::Op;
use serde::{Deserialize, Serialize};

use super::bunching_document::{self, BunchingDocument};
use super::device::{self, DeviceDocument};
use super::{PhasesDocument, TraceReport};

/// The schema name of [`TraceDocument`].
pub const TRACE_DOCUMENT_SCHEMA: &str = "drivelab.trace/1";

/// A trace: `drivelab.trace/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceDocument {
    /// `drivelab.trace/1`.
    pub schema: String,
    /// The trace, as the user named it.
    pub trace: String,
    /// The format it was imported from, or `recorded`.
    pub source: String,
    /// Which phases are shown, where the trace is a run; none for a trace, which has no phases.
    pub phases: Option<PhasesDocument>,
    /// What the durations span: `D2C`, `Q2C`, `nothing` or `mixed`.
    pub measured: String,
    /// The devices.
    pub devices: Vec<DeviceDocument>,
    /// From the first issue to the last issue or completion.
    pub span_ns: u64,
    /// Nanoseconds in which nothing was in flight; none where durations are not known.
    pub idle_ns: Option<u64>,
    /// Requests.
    pub requests: ByOp<u64>,
    /// Bytes asked for.
    pub bytes: ByOp<u64>,
    /// Requests that ended with an error.
    pub failed: u64,
    /// Shares of requests that began where the one before of the same kind and device had ended.
    pub sequential: ByOp<Option<f64>>,
    /// Requests by size.
    pub sizes: Vec<SizeClassDocument>,
    /// Mean and greatest number in flight at an issue; none where durations are not known.
    pub queue_depth: Option<QueueDepthDocument>,
    /// From issue to completion (D2C), or whatever `measured` says.
    pub service_ns: ServiceDocument,
    /// With the wait before the issue; of nothing where the source knows no waits.
    pub response_ns: ServiceDocument,
    /// Events whose other half was not found.
    pub unpaired: u64,
    /// The same by reason.
    pub unpaired_reasons: BTreeMap<String, u64>,
    /// Rows and events that could not be believed, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Events that the source says it lost.
    pub lost_events: u64,
    /// Lines of the source that are no records.
    pub other_lines: u64,
    /// Slow I/Os of all kinds; none where durations are not known.
    pub bunching: Option<BunchingDocument>,
    /// Slow reads, and slow writes, apart.
    pub bunching_by_direction: BTreeMap<String, BunchingDocument>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
}

/// Something of each operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the operations")]
pub struct ByOp<T> {
    pub read: T,
    pub write: T,
    pub discard: T,
    pub flush: T,
}

impl<T> ByOp<T> {
    fn of(analysis: &TraceAnalysis, pick: impl Fn(&TracedOp) -> T) -> ByOp<T> {
        let of = |op| pick(analysis.op(op));
        ByOp { read: of(Op::Read), write: of(Op::Write), discard: of(Op::Discard), flush: of(Op::Flush) }
    }
}

/// Requests of one class of sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeClassDocument {
    /// The greatest size of the class; the class begins above half of it.
    pub up_to_bytes: u64,
    /// Requests.
    pub requests: ByOp<u64>,
}

/// How many were in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueDepthDocument {
    /// The mean over the requests, each with itself.
    pub mean: f64,
    /// The greatest.
    pub max: u64,
}

/// Latencies by direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceDocument {
    /// Of all operations; none where none is known.
    pub all: Option<LatencySummary>,
    /// Of reads.
    pub read: Option<LatencySummary>,
    /// Of writes.
    pub write: Option<LatencySummary>,
}

/// One latency, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencySummary {
    /// How many values.
    pub count: u64,
    /// The exact mean.
    pub mean: f64,
    /// The exact sample deviation; none for a single value.
    pub stddev: Option<f64>,
    /// The median, within 1 %, as the other percentiles.
    pub p50: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    pub p99_9: u64,
    /// The greatest value, exact.
    pub max: u64,
    /// The share below 1 ms.
    pub under_1ms: f64,
    /// The share from 1 to 100 ms.
    pub from_1_to_100ms: f64,
    /// The share above 100 ms.
    pub over_100ms: f64,
}

impl TraceDocument {
    /// The document of a trace.
    pub fn of(report: &TraceReport<'_>) -> TraceDocument {
        let analysis = report.analysis;
        TraceDocument {
            schema: TRACE_DOCUMENT_SCHEMA.to_owned(),
            trace: report.label.clone(),
            source: report.source.clone(),
            phases: report.phases.clone(),
            measured: report.measured().to_owned(),
            devices: device::documents(report),
            span_ns: analysis.span(),
            idle_ns: analysis.idle().map(|gaps| u64::try_from(gaps.sum()).unwrap_or(u64::MAX)),
            requests: ByOp::of(analysis, |op| op.requests),
            bytes: ByOp::of(analysis, |op| op.bytes),
            failed: analysis.failed(),
            sequential: ByOp::of(analysis, |op| {
                (op.requests > 0).then(|| op.sequential as f64 / op.requests as f64)
            }),
            sizes: sizes(analysis),
            queue_depth: analysis
                .queue_depth()
                .and_then(|depth| Some(QueueDepthDocument { mean: depth.mean()?, max: depth.max()? })),
            service_ns: latencies(analysis, &analysis.service(), |op| &op.service),
            response_ns: latencies(analysis, &analysis.response(), |op| &op.response),
            unpaired: report.unpaired.values().sum(),
            unpaired_reasons: report.unpaired.clone(),
            rejected: report.rejected.clone(),
            lost_events: report.lost_events,
            other_lines: report.other_lines,
            bunching: bunching_document::of_all(&report.slow, analysis),
            bunching_by_direction: bunching_document::by_direction(&report.slow, analysis),
            notices: report.notices.clone(),
        }
    }
}

fn sizes(analysis: &TraceAnalysis) -> Vec<SizeClassDocument> {
    let classes = (0..SIZE_CLASSES).map(|class| SizeClassDocument {
        up_to_bytes: size_class_bytes(class),
        requests: ByOp::of(analysis, |op| op.sizes[class]),
    });
    classes.filter(|class| class.requests != ByOp::default()).collect()
}

fn latencies(
    analysis: &TraceAnalysis,
    all: &Latency,
    pick: impl Fn(&TracedOp) -> &Latency,
) -> ServiceDocument {
    ServiceDocument {
        all: latency(all),
        read: latency(pick(analysis.op(Op::Read))),
        write: latency(pick(analysis.op(Op::Write))),
    }
}

fn latency(latency: &Latency) -> Option<LatencySummary> {
    let distribution = &latency.distribution;
    let (moments, shares) = (distribution.moments(), latency.shares()?);
    Some(LatencySummary {
        count: moments.count(),
        mean: moments.mean()?,
        stddev: moments.stddev(),
        p50: distribution.quantile(0.5)?,
        p99: distribution.quantile(0.99)?,
        p99_9: distribution.quantile(0.999)?,
        max: moments.max()?,
        under_1ms: shares.under_1ms,
        from_1_to_100ms: shares.from_1_to_100ms,
        over_100ms: shares.over_100ms,
    })
}
