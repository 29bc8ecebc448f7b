//! What a replay finds, and how that comes from its analysis.

use drivelab_block::{Nanos, Op};
use drivelab_inspect::slow::{SlowByDirection, SlowReport, page_threshold};
use drivelab_inspect::trace::{ByOperation, LatencyByDirection, TracePhases, TraceSpan};
use drivelab_method::replay::LeftOutRequests;
use drivelab_stats::{
    Latency, LatencyDistance, ReplayAnalysis, SlowThreshold, Threshold, ThresholdOrigin, TraceAnalysis,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlannedReplay, Replay, ReplaySettings, ReplayTiming, replay_of};
use crate::StoredResult;
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

impl TraceAsked {
    /// What is known of the trace before its replay.
    pub(super) fn from_planned(planned: &PlannedReplay) -> TraceAsked {
        let (trace, survey) = (&planned.trace, &planned.trace.survey);
        let has_schedule = planned.timing == ReplayTiming::Recorded;
        let cuts_idle = planned.trace.plan.max_idle.is_some();
        TraceAsked {
            phases: trace.phases(),
            measured: trace.measured(),
            slow_from_ns: slow_from(&survey.asked),
            requests: survey.asked.requests(),
            span_ns: survey.asked.span(),
            asked_span_ns: has_schedule.then_some(survey.lasts.get()),
            iops: has_schedule.then(|| a_second(survey.asked.requests(), survey.lasts.get())).flatten(),
            idle_cut_ns: cuts_idle.then_some(survey.idle_cut.get()),
            idle_cuts: cuts_idle.then_some(survey.cuts),
            left_out: survey.left_out,
        }
    }
}

impl ReplayHandling {
    /// What is known of it before the replay.
    pub(super) fn from_planned(planned: &PlannedReplay) -> ReplayHandling {
        let moved = planned.ready.moved;
        ReplayHandling {
            queue_depth: planned.ready.phase.limits.queue_depth,
            moved: moved
                .map(|(granule_bytes, touched_bytes)| MovedAddresses { granule_bytes, touched_bytes }),
            filled_bytes: None,
            widened: 0,
            delayed_sends: 0,
            held_back: 0,
            late_steps: 0,
        }
    }
}

impl Replayed {
    pub(super) fn from_replay(
        replay: &ReplayAnalysis,
        settings: &ReplaySettings,
        trace: Option<&TraceAsked>,
    ) -> Replayed {
        let made = &replay.made;
        let span_ns = replay.fidelity.span();
        let threshold = threshold(settings, trace, &[made]);
        Replayed {
            requests: ByOperation::pick(made, |op| op.requests),
            bytes: ByOperation::pick(made, |op| op.bytes),
            span_ns,
            iops: a_second(made.requests(), span_ns),
            service_ns: LatencyByDirection::service(made),
            response_ns: if settings.timing == ReplayTiming::Unpaced {
                LatencyByDirection::default()
            } else {
                LatencyByDirection::response(made)
            },
            fidelity: ReplayFidelity::from_replay(replay, settings.timing),
            slow_ios: SlowByDirection::from_report(&SlowReport::from_analysis(made, threshold), made),
        }
    }
}

/// From when on the I/Os of a trace are slow, as a page that shows it alone has it; none where that is not known or does not hold
/// for others.
fn slow_from(asked: &TraceAnalysis) -> Option<u64> {
    let has_durations = asked.bunching_of_all.count() > 0;
    match page_threshold(None, &[asked]).limit {
        Threshold::Fixed(nanos) => has_durations.then_some(nanos),
        Threshold::TenMedians => None,
    }
}

/// From when on the I/Os of replays of one trace are slow: from when on they are in the trace, if nothing else was asked for.
fn threshold(
    settings: &ReplaySettings,
    trace: Option<&TraceAsked>,
    made: &[&TraceAnalysis],
) -> SlowThreshold {
    match (settings.slow(), trace.and_then(|trace| trace.slow_from_ns)) {
        (None, Some(nanos)) => {
            SlowThreshold { limit: Threshold::Fixed(nanos), origin: ThresholdOrigin::OfTrace }
        }
        (asked, _) => page_threshold(asked, made),
    }
}

/// The trace that a replay made; none where figures are withheld.
fn made(kept: &StoredResult<Replay>) -> Option<&TraceAnalysis> {
    Some(&replay_of(kept.analysis.as_ref()?)?.made)
}

/// Judges the slow I/Os of replays that are shown together at one threshold: that of their trace, where it is the same for all.
/// A single replay was judged when its findings were taken.
pub(super) fn judge_together(results: &mut [StoredResult<Replay>]) {
    let [first, _, ..] = &*results else { return };
    let all: Vec<Option<&TraceAnalysis>> = results.iter().map(made).collect();
    let known: Vec<&TraceAnalysis> = all.iter().flatten().copied().collect();
    let of_trace =
        |kept: &StoredResult<Replay>| kept.findings.trace.as_ref().and_then(|trace| trace.slow_from_ns);
    let have_one = results.iter().all(|kept| of_trace(kept) == of_trace(first));
    let trace = first.findings.trace.as_ref().filter(|_| have_one);
    let threshold = threshold(&first.settings, trace, &known);
    let judged = |made: &TraceAnalysis| {
        SlowByDirection::from_report(&SlowReport::from_analysis(made, threshold), made)
    };
    let judged: Vec<Option<SlowByDirection>> = all.into_iter().map(|made| made.map(judged)).collect();
    for (kept, judged) in results.iter_mut().zip(judged) {
        if let Some((replayed, judged)) = kept.findings.replayed.as_mut().zip(judged) {
            replayed.slow_ios = judged;
        }
    }
}

impl ReplayFidelity {
    fn from_replay(replay: &ReplayAnalysis, timing: ReplayTiming) -> ReplayFidelity {
        let fidelity = &replay.fidelity;
        let lateness = &fidelity.lateness;
        let figures = || {
            Some(Lateness {
                mean: lateness.moments().mean()?,
                p50: lateness.quantile(0.5)?,
                p99: lateness.quantile(0.99)?,
                max: lateness.moments().max()?,
            })
        };
        ReplayFidelity {
            lateness_ns: (timing != ReplayTiming::Unpaced).then(figures).flatten(),
            drift_ppm: fidelity.drift_ppm().filter(|_| timing == ReplayTiming::Recorded),
            inversions: fidelity.inversions,
        }
    }
}

impl AgainstTrace {
    /// The latencies that a replay made, compared with those of the trace that it was asked for.
    pub(super) fn compare(asked: &TraceAnalysis, made: &TraceAnalysis, timing: ReplayTiming) -> AgainstTrace {
        let of = |all: &Latency, pick: fn(&TraceAnalysis, Op) -> &Latency| LatencyDistances {
            all: distance(&asked.service(), all),
            read: distance(&asked.op(Op::Read).service, pick(made, Op::Read)),
            write: distance(&asked.op(Op::Write).service, pick(made, Op::Write)),
        };
        AgainstTrace {
            service: of(&made.service(), |analysis, op| &analysis.op(op).service),
            response: if timing == ReplayTiming::Unpaced {
                LatencyDistances::default()
            } else {
                of(&made.response(), |analysis, op| &analysis.op(op).response)
            },
        }
    }

    /// Without distances of times that span different things in the trace and in the replay. Response times begin when a request
    /// is due, which is when the trace's times begin: they are comparable with times that have the wait before the issue, too.
    pub(super) fn of_same_spans(self, trace: TraceSpan, replay: TraceSpan) -> AgainstTrace {
        let is_same = trace == replay;
        let keep = |distances, is_kept| if is_kept { distances } else { LatencyDistances::default() };
        AgainstTrace {
            service: keep(self.service, is_same),
            response: keep(self.response, is_same || trace == TraceSpan::QueueToComplete),
        }
    }
}

fn distance(asked: &Latency, made: &Latency) -> Option<LatencyDistance> {
    LatencyDistance::between(&asked.distribution, &made.distribution)
}

/// Requests a second, over the span from the first to the last one.
fn a_second(requests: u64, span_ns: u64) -> Option<f64> {
    let seconds = Nanos::new(span_ns).as_secs_f64();
    (requests > 1 && span_ns > 0).then(|| (requests - 1) as f64 / seconds)
}
