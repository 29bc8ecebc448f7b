//! What a replay does.

use drivelab_block::{ByteCount, ByteRange, Op};
use drivelab_method::{PhaseObserver, Purge};
use drivelab_stats::ReplayAnalysis;

use super::PlannedReplay;
use super::findings::{AgainstTrace, ReplayFindings, ReplayHandling, TraceAsked};
use crate::purge::purge;
use crate::{DriveError, DriveUnderTest, PurgeOption};

/// Purges and fills, where that was asked for, and replays.
pub(super) fn run<S: DriveUnderTest>(
    planned: &PlannedReplay,
    session: &mut S,
    found: &mut ReplayFindings,
) -> Result<(), S::Error> {
    let trace = &planned.trace;
    trace.notices(planned.timing).into_iter().for_each(|notice| session.notice(notice.severity, notice.text));
    found.trace = Some(TraceAsked::from_planned(planned));
    let handling = found.handling.insert(ReplayHandling::from_planned(planned));
    if planned.purge != PurgeOption::None {
        let whole = ByteRange::new(ByteCount::new(0), planned.geometry.capacity);
        purge(planned.purge, Purge::new(whole, &planned.geometry), session)?;
    }
    if let Some((phase, fill)) = &planned.ready.fill {
        session.check_target()?;
        session.phase(phase, vec![fill.clone()], Some(fill.bytes()))?;
        handling.filled_bytes = Some(fill.bytes().get());
    }
    session.check_target()?;
    session.begin_account();
    replay(planned, session, found)
}

fn replay<S: DriveUnderTest>(
    planned: &PlannedReplay,
    session: &mut S,
    found: &mut ReplayFindings,
) -> Result<(), S::Error> {
    let trace = &planned.trace;
    let unread = |error: &dyn std::fmt::Display| {
        S::Error::from(DriveError(format!("the trace's reader could not be started: {error}")))
    };
    let reader = trace.source.reader().map_err(|error| unread(&error))?;
    let started = planned.ready.clone().start(reader, session.waits_for_requests());
    let (workload, reading) = started.map_err(|error| unread(&error))?;
    let counts = workload.counts();
    let thresholds = planned.thresholds;
    session.add_observer(|phase| PhaseObserver::Replay(Box::new(ReplayAnalysis::new(phase, thresholds))));
    let bytes: u64 = Op::ALL.iter().map(|op| trace.survey.asked.op(*op).bytes).sum();
    let ended = session.phase(&planned.ready.phase, vec![workload], Some(ByteCount::new(bytes)));
    let placed = reading.end();
    if let (Some(asked), Some(handling)) = (&mut found.trace, &mut found.handling) {
        asked.left_out = placed.left_out;
        handling.widened = placed.widened;
        handling.held_back = counts.held_back();
        handling.late_steps = counts.late_steps();
        handling.delayed_sends = ended.as_ref().map_or(0, |end| end.delayed_sends);
    }
    let end = ended?;
    // A part of a replay is not compared with the whole trace.
    if !end.interrupted && !session.is_interrupted() {
        found.against_trace = against_trace(planned, session);
    }
    Ok(())
}

fn against_trace<S: DriveUnderTest>(planned: &PlannedReplay, session: &S) -> Option<AgainstTrace> {
    let Some(PhaseObserver::Replay(replay)) = session.observer() else { return None };
    // What it holds back until later I/Os come is counted as well.
    let mut replay = replay.clone();
    replay.finish();
    Some(AgainstTrace::compare(&planned.trace.survey.asked, replay.made(), planned.timing))
}
