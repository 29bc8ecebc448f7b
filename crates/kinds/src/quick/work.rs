//! What a quick test does.

use drivelab_block::{Completion, Op};
use drivelab_method::{Collected, LoadPlan, Noted};
use drivelab_record::Severity;
use drivelab_stats::mean_rate;

use super::findings::QuickFindings;
use super::plan::{ACCESSES, PLACES, QuickPlan};
use crate::{DriveUnderTest, PlanError};

/// The curve of reading, random reads, and the curve of writing where it was asked for.
pub(super) fn run<S: DriveUnderTest>(
    plan: &QuickPlan,
    session: &mut S,
    found: &mut QuickFindings,
) -> Result<(), S::Error> {
    found.logical_block_bytes = plan.logical_block();
    found.places_asked = PLACES;
    if session.begins_empty() {
        fill(plan, session)?;
    }
    curve(plan, session, Op::Read, found)?;
    let answers = Collected::with_room(usize::try_from(ACCESSES).unwrap_or(0));
    let ended = load(session, &plan.access(), plan, &answers);
    found.take_accesses(&answers.all());
    ended?;
    if let Some(reads) = session.last_phase().and_then(|phase| phase.op(Op::Read)) {
        found.take_access(reads.service.moments());
    }
    if plan.writes() && !session.is_interrupted() {
        session.check_target()?;
        curve(plan, session, Op::Write, found)?;
    }
    Ok(())
}

/// Writes what is read later. The places come last: they push the blocks of the random reads out of the drive's write buffer.
fn fill<S: DriveUnderTest>(plan: &QuickPlan, session: &mut S) -> Result<(), S::Error> {
    load(session, &plan.fill_access(), plan, &Collected::with_room(0))?;
    let (phase, writes) = plan.fill();
    session.phase(&phase, vec![writes], None).map(drop)
}

/// Takes a curve, as far as it came, and its mean rate.
fn curve<S: DriveUnderTest>(
    plan: &QuickPlan,
    session: &mut S,
    op: Op,
    found: &mut QuickFindings,
) -> Result<(), S::Error> {
    let (requests, points) = plan.curve(op);
    let ended = session.phase(&plan.curve_phase(op), vec![requests], None);
    let mut points = points.all();
    // A place at which every I/O failed has no rate.
    points.retain(|point| point.bytes.get() > 0);
    let mean = mean_rate(&points).map(|rate| rate / 1e6);
    if op == Op::Read {
        found.take_curve(&points, |place| &mut place.read_mb_s);
        found.read_mb_s = mean;
    } else {
        found.take_curve(&points, |place| &mut place.write_mb_s);
        found.write_mb_s = mean;
        let written = session.last_phase().and_then(|phase| phase.op(Op::Write)).map(|writes| writes.bytes);
        found.written_bytes = written.filter(|bytes| *bytes > 0);
    }
    if (points.len() as u64) < PLACES {
        session.notice(Severity::Warning, short_of_places(op, points.len(), session));
    }
    ended.map(drop)
}

/// Why the rate of a curve is that of fewer places, or there is none.
fn short_of_places<S: DriveUnderTest>(op: Op, places: usize, session: &S) -> String {
    let has_failed = session.last_phase().is_some_and(|phase| phase.failed() > 0);
    let why = match (has_failed, session.is_interrupted()) {
        (true, _) => "I/Os failed",
        (false, true) => "the test was ended",
        (false, false) => "the time was over",
    };
    match places {
        0 => format!("There is no {op} rate: {why} before the first of {PLACES} places was done."),
        _ => format!("The {op} rate is that of {places} of {PLACES} places, as {why}."),
    }
}

/// Single blocks at random places, whose answers are noted as far as there is room for them.
fn load<S: DriveUnderTest>(
    session: &mut S,
    load: &LoadPlan,
    plan: &QuickPlan,
    answers: &Collected<Completion>,
) -> Result<(), S::Error> {
    let phase = load.phase(&plan.geometry, true).map_err(|error| PlanError(error.to_string()))?;
    let workloads = load.workloads(1).map_err(|error| PlanError(error.to_string()))?;
    let noted = workloads.into_iter().map(|workload| Noted::new(workload, answers.clone()));
    session.phase(&phase, noted.collect(), None).map(drop)
}
