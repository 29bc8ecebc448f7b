//! From the analysis of a replay to its findings.

use drivelab_block::{Nanos, Op};
use drivelab_inspect::slow::{SlowByDirection, SlowReport, page_threshold};
use drivelab_inspect::trace::{ByOperation, LatencyByDirection, TraceSpan};
use drivelab_stats::{
    Distance, Latency, ReplayAnalysis, SlowThreshold, Threshold, ThresholdOrigin, TraceAnalysis,
};

use super::findings::{
    AgainstTrace, LatencyDistance, LatencyDistances, Lateness, MovedAddresses, ReplayFidelity,
    ReplayHandling, Replayed, TraceAsked,
};
use super::{PlannedReplay, Replay, ReplaySettings, ReplayTiming, replay_of};
use crate::StoredResult;

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
    /// What the I/Os of a replay give.
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
}

impl AgainstTrace {
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
    let distance = Distance::between(&asked.distribution, &made.distribution)?;
    Some(LatencyDistance { ks: distance.kolmogorov_smirnov, ratio_of_means: distance.ratio_of_means })
}

/// Requests a second, over the span from the first to the last one.
fn a_second(requests: u64, span_ns: u64) -> Option<f64> {
    let seconds = Nanos::new(span_ns).as_secs_f64();
    (requests > 1 && span_ns > 0).then(|| (requests - 1) as f64 / seconds)
}
