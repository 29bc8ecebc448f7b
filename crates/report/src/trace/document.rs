//! Figures of the trace that a replay makes.

use std::collections::BTreeMap;

use drivelab_analysis::{Latency, TraceAnalysis, TracedOp};
use drivelab_block::Op;
use drivelab_inspect::slow::SlowReport;
use serde::{Deserialize, Serialize};

use super::bunching_document::{self, BunchingDocument};

/// What a replay's document holds of the trace that it made.
pub(crate) struct MadeFigures {
    /// Requests.
    pub requests: ByOp<u64>,
    /// Bytes asked for.
    pub bytes: ByOp<u64>,
    /// From submission to completion.
    pub service_ns: ServiceDocument,
    /// From when a request was due.
    pub response_ns: ServiceDocument,
    /// Slow I/Os of all kinds; none where nothing was replayed.
    pub bunching: Option<BunchingDocument>,
    /// Slow reads, and slow writes, apart.
    pub bunching_by_direction: BTreeMap<String, BunchingDocument>,
}

impl MadeFigures {
    /// The figures of a trace.
    pub fn of(analysis: &TraceAnalysis, slow: &SlowReport) -> MadeFigures {
        MadeFigures {
            requests: ByOp::of(analysis, |op| op.requests),
            bytes: ByOp::of(analysis, |op| op.bytes),
            service_ns: latencies(analysis, &analysis.service(), |op| &op.service),
            response_ns: latencies(analysis, &analysis.response(), |op| &op.response),
            bunching: bunching_document::of_all(slow, analysis),
            bunching_by_direction: bunching_document::by_direction(slow, analysis),
        }
    }
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
