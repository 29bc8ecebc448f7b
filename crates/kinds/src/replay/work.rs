//! What a replay does.

use drivelab_block::{ByteCount, ByteRange, Op};
use drivelab_method::{PhaseObserver, Purge};

use super::findings::{AgainstTrace, ReplayFindings, ReplayHandling, TraceAsked};
use super::{PlannedReplay, Replay};
use crate::one_load::purge;
use crate::{DriveError, DriveResult, DriveUnderTest, PurgeOption, RecordedTest};

impl RecordedTest for Replay {
    /// Purges and fills, where that was asked for, and replays.
    fn run<D: DriveUnderTest>(
        planned: &PlannedReplay,
        drive: &mut D,
        found: &mut ReplayFindings,
    ) -> DriveResult<D> {
        let trace = &planned.trace;
        trace.notices(planned.settings.timing).into_iter().for_each(|notice| drive.notice(notice));
        found.trace = Some(TraceAsked::from_planned(planned));
        let handling = found.handling.insert(ReplayHandling::from_planned(planned));
        if planned.settings.purge != PurgeOption::None {
            let whole = ByteRange::new(ByteCount::new(0), planned.geometry.capacity);
            purge(planned.settings.purge, Purge::new(whole, &planned.geometry), drive)?;
        }
        if let Some((phase, fill)) = &planned.ready.fill {
            drive.check_target()?;
            drive.phase(phase, vec![fill.clone()], Some(fill.bytes()))?;
            handling.filled_bytes = Some(fill.bytes().get());
        }
        drive.check_target()?;
        drive.begin_account();
        replay(planned, drive, found)
    }
}

fn replay<D: DriveUnderTest>(
    planned: &PlannedReplay,
    drive: &mut D,
    found: &mut ReplayFindings,
) -> DriveResult<D> {
    let trace = &planned.trace;
    let unread = |error: &dyn std::fmt::Display| {
        D::Error::from(DriveError(format!("the trace's reader could not be started: {error}")))
    };
    let reader = trace.source.reader().map_err(|error| unread(&error))?;
    let started = planned.ready.clone().start(reader, drive.waits_for_requests());
    let (workload, reading) = started.map_err(|error| unread(&error))?;
    let counts = workload.counts();
    drive.add_observer(|phase| planned.settings.observer(phase));
    let bytes: u64 = Op::ALL.iter().map(|op| trace.survey.asked.op(*op).bytes).sum();
    let ended = drive.phase(&planned.ready.phase, vec![workload], Some(ByteCount::new(bytes)));
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
    if !end.interrupted && !drive.is_interrupted() {
        found.against_trace = against_trace(planned, drive);
    }
    Ok(())
}

fn against_trace<D: DriveUnderTest>(planned: &PlannedReplay, drive: &D) -> Option<AgainstTrace> {
    let Some(PhaseObserver::Replay(replay)) = drive.observer() else { return None };
    // What it holds back until later I/Os come is counted as well.
    let mut replay = replay.clone();
    replay.finish();
    Some(AgainstTrace::compare(&planned.trace.survey.asked, &replay.made, planned.settings.timing))
}
