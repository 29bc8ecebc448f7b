//! A replay before it is carried out: what it needs, and the plan in words.

use std::sync::Arc;

use drivelab_block::{ByteCount, Geometry, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::replay::{REPLAY_PHASE, ReadyReplay};
use drivelab_view::format::{bytes, count, nanos};
use drivelab_workload::Seed;

use super::{Replay, ReplaySettings, ReplayTiming, SurveyedTrace};
use crate::words::{noun, numbered};
use crate::{NeededDiscards, Outline, PlanResult, PlannedTime, PurgeOption, Test, TestNeeds};

/// A replay on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct PlannedReplay {
    pub(super) trace: Arc<SurveyedTrace>,
    pub(super) ready: ReadyReplay,
    pub(super) settings: ReplaySettings,
    pub(super) geometry: Geometry,
}

/// How a message names a replay that writes nothing.
pub const NAME_OF_READING: &str = "this replay";

/// What is said of a trace with discards and a target that takes none, and what to type instead.
pub const DISCARDS: NeededDiscards = NeededDiscards {
    asked: "the trace has discards",
    instead: "leave them out with --no-discards, or name another target",
};

impl Test for Replay {
    type Plan = PlannedReplay;
    type Input = Arc<SurveyedTrace>;

    fn needs(settings: &ReplaySettings, trace: &Arc<SurveyedTrace>) -> TestNeeds {
        let discards = (trace.survey.asked.op(Op::Discard).requests > 0).then_some(DISCARDS);
        let writes = settings.purge != PurgeOption::None || trace.plan.writes(&trace.survey);
        TestNeeds {
            name_of_reading: Some(NAME_OF_READING.to_owned()),
            discards,
            purge: settings.purge,
            compressibility_percent: settings.compressibility_percent,
            ..TestNeeds::new(writes, MeasuredPhases::Phase(REPLAY_PHASE.to_owned()))
        }
    }

    fn label(target: &str, settings: &ReplaySettings) -> String {
        format!("{} on {target}", settings.trace)
    }

    fn conditions(settings: &ReplaySettings, _: &PlannedReplay) -> Vec<Condition> {
        let condition = |name: &str, value: &str| Condition::new("Trace", name, value);
        vec![condition("Name", &settings.trace), condition("Digest", &settings.trace_digest)]
    }

    fn plan(
        settings: &ReplaySettings,
        trace: &Arc<SurveyedTrace>,
        geometry: Geometry,
        _: Seed,
    ) -> PlanResult<Self> {
        let ready = trace.plan.ready(&trace.survey, &geometry)?;
        Ok(PlannedReplay { trace: Arc::clone(trace), ready, settings: settings.clone(), geometry })
    }

    fn outline(planned: &PlannedReplay) -> Outline {
        let survey = &planned.trace.survey;
        let filled = planned.ready.fill.as_ref().map_or(0, |(_, fill)| fill.bytes().get());
        let mut sentences: Vec<String> =
            planned.settings.purge.outline("the whole target").into_iter().collect();
        if filled > 0 {
            sentences.push(format!("{} would be written first", bytes(filled as f64)));
        }
        sentences.push(requests(planned));
        let left_out =
            [(survey.left_out.writes, "writes left out"), (survey.left_out.discards, "discards left out")];
        sentences.extend(numbered(&left_out));
        if survey.cuts > 0 {
            let cut = nanos(survey.idle_cut.get() as f64);
            sentences.push(format!("{cut} of idle time cut, in {} spans", count(survey.cuts as f64)));
        }
        if let Some((granule, touched)) = planned.ready.moved {
            let touched = bytes(touched as f64);
            sentences.push(format!("{touched} touched, moved together in pieces of {granule} bytes"));
        }
        let written = ByteCount::new(survey.asked.op(Op::Write).bytes + filled);
        let filled = ByteCount::new(filled);
        let all = ByteCount::new(survey.asked.op(Op::Read).bytes + written.get());
        let filling = PlannedTime { unpaced: filled, ..PlannedTime::default() };
        let time = match planned.settings.timing {
            ReplayTiming::Recorded => PlannedTime { timed: survey.lasts, ..filling },
            ReplayTiming::Unpaced => PlannedTime { unpaced: all, ..PlannedTime::default() },
            ReplayTiming::Dependent => PlannedTime { recorded: survey.lasts, ..filling },
        };
        Outline { sentences, written: Some(written), time: Some(time) }
    }
}

/// The requests, when they are made, and how many are in flight.
fn requests(planned: &PlannedReplay) -> String {
    let survey = &planned.trace.survey;
    let asked = Op::ALL.map(|op| (op, survey.asked.op(op))).into_iter();
    let asked = asked.filter(|(_, found)| found.requests > 0).map(|(op, found)| {
        let moved = if op == Op::Flush { String::new() } else { format!(" ({})", bytes(found.bytes as f64)) };
        format!("{} {}{moved}", count(found.requests as f64), noun(op, found.requests))
    });
    let when = match planned.settings.timing {
        ReplayTiming::Recorded => format!("in {}", nanos(survey.lasts.get() as f64)),
        ReplayTiming::Dependent => "each as long after an answer as in the trace".to_owned(),
        ReplayTiming::Unpaced => "without times".to_owned(),
    };
    let depth = planned.ready.phase.limits.queue_depth;
    format!("{} {when}, at most {depth} in flight", asked.collect::<Vec<_>>().join(", "))
}
