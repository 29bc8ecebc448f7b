//! What a quick test does.

use drivelab_block::{Completion, Op};
use drivelab_documents::Notice;
use drivelab_method::{Collected, LoadPlan, noted};
use drivelab_stats::mean_rate;

use super::Quick;
use super::findings::QuickFindings;
use super::plan::{ACCESSES, PLACES, QuickPlan};
use crate::one_load::run_load_in;
use crate::{DriveResult, DriveUnderTest, RecordedTest};

impl RecordedTest for Quick {
    /// The curve of reading, random reads, and the curve of writing where it was asked for.
    fn run<D: DriveUnderTest>(plan: &QuickPlan, drive: &mut D, found: &mut QuickFindings) -> DriveResult<D> {
        found.logical_block_bytes = plan.geometry.logical_block;
        found.places_asked = PLACES;
        if drive.begins_empty() {
            fill(plan, drive)?;
        }
        curve(plan, drive, Op::Read, found)?;
        let answers = Collected::with_room(usize::try_from(ACCESSES).unwrap_or(0));
        let ended = load(drive, &plan.access(), plan, &answers);
        found.take_accesses(&answers.all());
        ended?;
        if let Some(reads) = drive.last_phase().and_then(|phase| phase.op(Op::Read)) {
            found.take_access(reads.service.moments());
        }
        if plan.write && !drive.is_interrupted() {
            drive.check_target()?;
            curve(plan, drive, Op::Write, found)?;
        }
        Ok(())
    }
}

/// Writes what is read later. The places come last: they push the blocks of the random reads out of the drive's write buffer.
fn fill<D: DriveUnderTest>(plan: &QuickPlan, drive: &mut D) -> DriveResult<D> {
    load(drive, &plan.fill_access(), plan, &Collected::with_room(0))?;
    let (phase, writes) = plan.fill();
    drive.phase(&phase, vec![writes], None).map(drop)
}

/// Takes a curve, as far as it came, and its mean rate.
fn curve<D: DriveUnderTest>(
    plan: &QuickPlan,
    drive: &mut D,
    op: Op,
    found: &mut QuickFindings,
) -> DriveResult<D> {
    let (requests, points) = plan.curve(op);
    let ended = drive.phase(&plan.curve_phase(op), vec![requests], None);
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
        let written = drive.last_phase().and_then(|phase| phase.op(Op::Write)).map(|writes| writes.bytes);
        found.written_bytes = written.filter(|bytes| *bytes > 0);
    }
    if (points.len() as u64) < PLACES {
        drive.notice(Notice::warning(short_of_places(op, points.len(), drive)));
    }
    ended.map(drop)
}

/// Why the rate of a curve is that of fewer places, or there is none.
fn short_of_places<D: DriveUnderTest>(op: Op, places: usize, drive: &D) -> String {
    let has_failed = drive.last_phase().is_some_and(|phase| phase.failed() > 0);
    let why = match (has_failed, drive.is_interrupted()) {
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
fn load<D: DriveUnderTest>(
    drive: &mut D,
    load: &LoadPlan,
    plan: &QuickPlan,
    answers: &Collected<Completion>,
) -> DriveResult<D> {
    let noted = |workload| noted(workload, answers.clone());
    run_load_in(drive, &plan.geometry, load, None, noted).map(drop)
}
