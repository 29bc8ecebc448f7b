//! What a replay finds.

use drivelab_inspect::slow::SlowByDirection;
use drivelab_inspect::trace::{ByOperation, LatencyByDirection, TracePhases, TraceSpan};
use drivelab_method::replay::LeftOutRequests;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ios::IoFindings;

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayFindings {
    /// What the trace asks for; null of a replay that was killed.
    pub trace: Option<TraceAsked>,
    /// What was replayed; null where figures are withheld, and where the replay never began.
    pub replayed: Option<Replayed>,
    /// How requests were changed and held up on their way to the drive; null of a replay that was killed.
    pub handling: Option<ReplayHandling>,
    /// The replay's latencies, compared with the trace's own; null of a replay that did not come to its end.
    pub against_trace: Option<AgainstTrace>,
    /// What is found of the I/Os.
    pub ios: IoFindings,
}

/// What a trace asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceAsked {
    /// Which phases are replayed, where the trace is a run; null for a trace, which has no phases.
    pub phases: Option<TracePhases>,
    /// What its durations span.
    pub measured: TraceSpan,
    /// From when on its I/Os are slow; null where it does not know its durations, and where that depends on their median.
    pub slow_from_ns: Option<u64>,
    /// Requests of the part that was chosen, without those that are left out.
    pub requests: u64,
    /// From its first request to the last issue or completion.
    pub span_ns: u64,
    /// From the first request to the last one, as they are to be made; null where the schedule is not absolute.
    pub asked_span_ns: Option<u64>,
    /// Requests a second over that; null where the schedule is not absolute, and below two requests.
    pub iops: Option<f64>,
    /// Idle time that was cut; null where nothing was to be cut.
    pub idle_cut_ns: Option<u64>,
    /// How many idle spans were cut; null where nothing was to be cut.
    pub idle_cuts: Option<u64>,
    /// Requests that were not replayed.
    pub left_out: LeftOutRequests,
}

/// How requests were changed and held up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayHandling {
    /// Requests in flight at most.
    pub queue_depth: u32,
    /// How addresses were moved together; null where they are the trace's own.
    pub moved: Option<MovedAddresses>,
    /// Bytes that were written before; null where nothing was.
    pub filled_bytes: Option<u64>,
    /// Requests that were widened to whole blocks of the drive.
    pub widened: u64,
    /// Requests that were due when every slot was taken, and were sent late.
    pub delayed_sends: u64,
    /// Requests that waited for others in flight on the same sectors.
    pub held_back: u64,
    /// How often the trace's reader was late.
    pub late_steps: u64,
}

/// How addresses were moved together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovedAddresses {
    /// The unit of what is moved in one piece, in bytes.
    pub granule_bytes: u64,
    /// What the trace touches, in whole units.
    pub touched_bytes: u64,
}

/// What was replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replayed {
    /// Requests that were made.
    pub requests: ByOperation<u64>,
    /// Bytes of them.
    pub bytes: ByOperation<u64>,
    /// From the first submission to the last.
    pub span_ns: u64,
    /// Requests a second over that; null below two requests.
    pub iops: Option<f64>,
    /// From submission to completion.
    pub service_ns: LatencyByDirection,
    /// From when a request was due to its completion; of nothing where requests had no times.
    pub response_ns: LatencyByDirection,
    /// How well the replay kept to its times.
    pub fidelity: ReplayFidelity,
    /// Slow I/Os, and whether they are clustered.
    pub slow_ios: SlowByDirection,
}

/// How well a replay kept to the times of its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayFidelity {
    /// Submission minus due time; null where requests had no times.
    pub lateness_ns: Option<Lateness>,
    /// The slope of lateness over due time by least squares, in millionths: how much longer the submissions take than the
    /// schedule. Null where the schedule is not absolute.
    pub drift_ppm: Option<f64>,
    /// Requests that were submitted after one that was due later.
    pub inversions: u64,
}

/// Lateness in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lateness {
    /// Mean, exact.
    pub mean: f64,
    /// The median, within 1 %.
    pub p50: u64,
    /// The 99th percentile, within 1 %.
    pub p99: u64,
    /// The greatest, exact.
    pub max: u64,
}

/// The replay's latencies, compared with the trace's own service times. The requests of a replay are due when those of the trace
/// were issued: what these had waited before is no part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgainstTrace {
    /// The replay's service times; null where the trace's times do not span what they do (D2C on a simulated drive, else Q2C).
    pub service: LatencyDistances,
    /// The replay's response times; null where requests had no times, and where only the trace's times lack the wait before the
    /// issue.
    pub response: LatencyDistances,
}

/// Distances by direction; null where one of the two has no latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyDistances {
    /// Of all operations.
    pub all: Option<LatencyDistance>,
    /// Of reads.
    pub read: Option<LatencyDistance>,
    /// Of writes.
    pub write: Option<LatencyDistance>,
}

/// How far two latencies are apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyDistance {
    /// Kolmogorov-Smirnov: the greatest difference between the shares of values up to any bound, 0 to 1.
    pub ks: f64,
    /// The replay's mean / the trace's.
    pub ratio_of_means: f64,
}
