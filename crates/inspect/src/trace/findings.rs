//! What is found in a trace.

use std::collections::BTreeMap;

use drivelab_block::Op;
use drivelab_documents::{ClockTime, Notice, Severity};
use drivelab_stats::waiting::Waits;
use drivelab_stats::{Latency, SIZE_CLASSES, TraceAnalysis, TracedOp, size_class_bytes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{StretchFindings, TraceDeviceFindings, TracePhases, TraceSpan, WaitingFindings};
use crate::slow::{SlowByDirection, SlowReport, WaitFindings, waits};

/// What a trace shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceFindings {
    /// What the trace is called: the name that it was given, or else its folder as the user named it.
    pub trace: String,
    /// The format it was imported from, or `recorded`.
    pub source: String,
    /// The version of drivelab that recorded or imported it.
    pub version: String,
    /// When it began: by the clock of the machine that was recorded, or in UTC where an import knows no zone; null where the
    /// source has no clock time.
    pub began: Option<ClockTime>,
    /// The host name of the machine that was recorded; null of an import.
    pub machine: Option<String>,
    /// Which phases are shown, where the trace is a run; none for a trace, which has no phases.
    pub phases: Option<TracePhases>,
    /// The part that is shown, where it is not all of the trace.
    pub stretch: Option<StretchFindings>,
    /// What the durations span.
    pub measured: TraceSpan,
    /// The devices.
    pub devices: Vec<TraceDeviceFindings>,
    /// From the first issue to the last issue or completion.
    pub span_ns: u64,
    /// Nanoseconds in which nothing was in flight; none where durations are not known.
    pub idle_ns: Option<u64>,
    /// Requests.
    pub requests: ByOperation<u64>,
    /// Bytes asked for.
    pub bytes: ByOperation<u64>,
    /// Requests that ended with an error.
    pub failed: u64,
    /// Shares of requests that began where the one before of the same kind and device had ended, whichever process it was of.
    pub sequential: ByOperation<Option<f64>>,
    /// Requests by size.
    pub sizes: Vec<SizeClass>,
    /// Mean and greatest number in flight at an issue; none where durations are not known.
    pub queue_depth: Option<InFlightFindings>,
    /// From issue to completion (D2C), or whatever `measured` has.
    pub service_ns: LatencyByDirection,
    /// With the wait before the issue; of nothing where the source knows no waits.
    pub response_ns: LatencyByDirection,
    /// How often I/Os of any kind took as long as each of the fixed thresholds.
    pub waits: Vec<WaitFindings>,
    /// Slow I/Os, and whether they are clustered.
    pub slow_ios: SlowByDirection,
    /// Who waited, and what went on meanwhile; null where durations are not known.
    pub waiting: Option<WaitingFindings>,
    /// Events whose other half was not found.
    pub unpaired: u64,
    /// The same by reason.
    pub unpaired_reasons: BTreeMap<String, u64>,
    /// Rows and events that could not be believed, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Events that the source lost, as it reports.
    pub lost_events: u64,
    /// Lines of the source that are no records.
    pub other_lines: u64,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<Notice>,
}

/// Something of each operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the operations")]
pub struct ByOperation<T> {
    pub read: T,
    pub write: T,
    pub discard: T,
    pub flush: T,
}

/// Requests of one class of sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeClass {
    /// The greatest size of the class; the class begins above half of it.
    pub up_to_bytes: u64,
    /// Requests.
    pub requests: ByOperation<u64>,
    /// Those of them that programs waited for, for 100 ms or longer; null where durations are not known.
    pub waits: Option<u64>,
}

/// How many were in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InFlightFindings {
    /// The mean over the requests, each with itself.
    pub mean: f64,
    /// The greatest.
    pub max: u64,
}

impl<T> ByOperation<T> {
    /// A figure of each operation of a trace.
    pub fn pick(analysis: &TraceAnalysis, pick: impl Fn(&TracedOp) -> T) -> ByOperation<T> {
        let of = |op| pick(analysis.op(op));
        ByOperation {
            read: of(Op::Read),
            write: of(Op::Write),
            discard: of(Op::Discard),
            flush: of(Op::Flush),
        }
    }
}

impl ByOperation<u64> {
    /// All operations together.
    pub fn sum(&self) -> u64 {
        self.read + self.write + self.discard + self.flush
    }
}

impl TraceFindings {
    /// What the source of a trace says of it (names, times, devices, what was rejected, notices) with the figures of its
    /// analysis. Processes have their names by their number; the first is that of all whose name is not known.
    #[must_use]
    pub fn with_figures(
        self,
        analysis: &TraceAnalysis,
        processes: &[String],
        slow: &SlowReport,
    ) -> TraceFindings {
        let (depth, waited) = (analysis.queue_depth(), analysis.waits());
        let devices = self.devices.into_iter().enumerate();
        let devices: Vec<TraceDeviceFindings> =
            devices.map(|(place, device)| device.with_figures(place, analysis, waited.as_ref())).collect();
        let waiting =
            waited.as_ref().map(|waits| WaitingFindings::from_waits(waits, self.began, processes, &devices));
        TraceFindings {
            measured: measured(&devices),
            devices,
            span_ns: analysis.span(),
            idle_ns: analysis.idle().map(|gaps| u64::try_from(gaps.sum()).unwrap_or(u64::MAX)),
            requests: ByOperation::pick(analysis, |op| op.requests),
            bytes: ByOperation::pick(analysis, |op| op.bytes),
            failed: analysis.failed,
            sequential: ByOperation::pick(analysis, |op| {
                (op.requests > 0).then(|| op.sequential as f64 / op.requests as f64)
            }),
            sizes: sizes(analysis, waited.as_ref()),
            queue_depth: depth
                .and_then(|depth| Some(InFlightFindings { mean: depth.mean()?, max: depth.max()? })),
            service_ns: LatencyByDirection::service(analysis),
            response_ns: LatencyByDirection::response(analysis),
            waits: waits(&analysis.bunching_of_all),
            slow_ios: SlowByDirection::from_report(slow, analysis),
            waiting,
            unpaired: self.unpaired_reasons.values().sum(),
            ..self
        }
    }

    /// What is not in the figures and should be, a sentence each.
    pub fn gaps(&self) -> impl Iterator<Item = &str> {
        let failures = self.notices.iter().filter(|notice| notice.severity == Severity::Failure);
        failures.map(|notice| notice.text.as_str())
    }
}

/// What the durations span: that of all devices where they agree.
fn measured(devices: &[TraceDeviceFindings]) -> TraceSpan {
    let mut spans = devices.iter().map(|device| device.measured).filter(|span| *span != TraceSpan::Nothing);
    let Some(first) = spans.next() else { return TraceSpan::Nothing };
    if spans.all(|span| span == first) { first } else { TraceSpan::Mixed }
}

fn sizes(analysis: &TraceAnalysis, waits: Option<&Waits<'_>>) -> Vec<SizeClass> {
    let classes = (0..SIZE_CLASSES).map(|class| SizeClass {
        waits: waits.map(|waits| waits.sizes[class].ios),
        up_to_bytes: size_class_bytes(class),
        requests: ByOperation::pick(analysis, |op| op.sizes[class]),
    });
    classes.filter(|class| class.requests != ByOperation::default()).collect()
}

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
