//! Latencies of a trace.

use drivelab_block::Op;
use drivelab_stats::{Latency, TraceAnalysis, TracedOp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latencies by direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyByDirection {
    /// Of all operations; none where none is known.
    pub all: Option<LatencyFindings>,
    /// Of reads.
    pub read: Option<LatencyFindings>,
    /// Of writes.
    pub write: Option<LatencyFindings>,
    /// Of flushes.
    pub flush: Option<LatencyFindings>,
}

/// One latency, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyFindings {
    /// How many values.
    pub count: u64,
    /// The exact mean.
    pub mean: f64,
    /// The exact sample standard deviation; none for a single value.
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

impl LatencyByDirection {
    /// From issue to completion.
    pub fn service(analysis: &TraceAnalysis) -> LatencyByDirection {
        LatencyByDirection::pick(analysis, &analysis.service(), |op| &op.service)
    }

    /// With the wait before the issue.
    pub fn response(analysis: &TraceAnalysis) -> LatencyByDirection {
        LatencyByDirection::pick(analysis, &analysis.response(), |op| &op.response)
    }

    fn pick(
        analysis: &TraceAnalysis,
        all: &Latency,
        pick: impl Fn(&TracedOp) -> &Latency,
    ) -> LatencyByDirection {
        LatencyByDirection {
            all: LatencyFindings::from_latency(all),
            read: LatencyFindings::from_latency(pick(analysis.op(Op::Read))),
            write: LatencyFindings::from_latency(pick(analysis.op(Op::Write))),
            flush: LatencyFindings::from_latency(pick(analysis.op(Op::Flush))),
        }
    }
}

impl LatencyFindings {
    /// The figures of a latency; `None` without a value.
    pub fn from_latency(latency: &Latency) -> Option<LatencyFindings> {
        let distribution = &latency.distribution;
        let (moments, shares) = (distribution.moments(), latency.shares()?);
        Some(LatencyFindings {
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
}
