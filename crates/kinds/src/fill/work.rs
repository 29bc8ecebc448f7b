//! What a fill does.

use drivelab_block::{ByteCount, ByteRange, Nanos};
use drivelab_method::{Collected, DiscardPurpose, LoadPlan, Purge, StepTime, stepped};
use drivelab_record::Severity;
use drivelab_view::format::things;

use super::Fill;
use super::findings::{FastWrites, FillFindings, FirstFall, NoRecovery, RecoveryFindings};
use super::plan::{Burst, FillPlan, MEASURED};
use crate::one_load::purge;
use crate::one_load::run_load_in;
use crate::{DiscardOutcome, DriveResult, DriveUnderTest, RecordedTest, TestSetup};

impl RecordedTest for Fill {
    fn setup(plan: &FillPlan) -> TestSetup {
        TestSetup { written_range: Some(plan.written), ..TestSetup::default() }
    }

    /// Purge, fill, and what is fast again after rests.
    fn run<D: DriveUnderTest>(plan: &FillPlan, drive: &mut D, found: &mut FillFindings) -> DriveResult<D> {
        found.planned_bytes = plan.written.length().get();
        found.step_bytes = plan.step().get();
        purge(plan.settings.purge, Purge::new(plan.written, &plan.geometry), drive)?;
        drive.warm_up(plan.written)?;
        drive.begin_account();
        if drive.is_interrupted() {
            return Ok(());
        }
        fill(plan, drive, found)?;
        if plan.rests().next().is_none() || drive.is_interrupted() {
            return Ok(());
        }
        let Some(fall) = found.first_fall() else {
            found.no_recovery = Some(NoRecovery::NoFall);
            return Ok(());
        };
        let mut taker = Taker::Asked;
        for percent in &plan.settings.filled_percent {
            match plan.burst(*percent, ByteCount::new(fall.at_bytes)) {
                Some(burst) => recovery(plan, drive, (*percent, burst, fall), (found, &mut taker))?,
                None => found.no_recovery = Some(NoRecovery::NoRoom),
            }
        }
        Ok(())
    }
}

/// The fill itself.
fn fill<D: DriveUnderTest>(plan: &FillPlan, drive: &mut D, found: &mut FillFindings) -> DriveResult<D> {
    let steps = Collected::with_room(room(plan.written.length(), plan.step()));
    let ended = write(plan, drive, &plan.write(MEASURED, plan.written), plan.step(), &steps);
    let phase = drive.last_phase();
    let lasted = phase.map(|phase| phase.ran(phase.until_last_success));
    let lasted = lasted.filter(|_| ended.is_ok());
    found.take_fill(&steps.all(), phase, lasted);
    ended
}

/// What is fast again after each rest, with the range filled so far. What was written behind the level is given back
/// before each rest, and the drive rests before it is written again, so that its cache is empty then, where that takes it no
/// longer.
fn recovery<D: DriveUnderTest>(
    plan: &FillPlan,
    drive: &mut D,
    (percent, burst, fall): (f64, Burst, FirstFall),
    (found, taker): (&mut FillFindings, &mut Taker),
) -> DriveResult<D> {
    give_back(plan, drive, plan.written, taker)?;
    let filled = plan.filled(burst);
    if filled.length().get() > 0 && !drive.is_interrupted() {
        let write_filled = plan.write(&format!("fill to {percent} %"), filled);
        write(plan, drive, &write_filled, filled.length(), &Collected::with_room(0))?;
    }
    for (number, rest) in plan.rests().enumerate() {
        if number > 0 {
            give_back(plan, drive, ByteRange::new(burst.before.start, burst.after.end), taker)?;
        }
        let settling = plan.settling();
        drive.rest(&format!("rest of {} before the cache is filled", seconds_of(settling)), settling)?;
        let name = format!("filling of the cache at {percent} %");
        let before = write_fast(plan, drive, (&name, burst.before), (burst, fall))?;
        drive.rest(&format!("rest of {}", seconds_of(rest)), rest)?;
        let name = format!("writes after {} at {percent} %", seconds_of(rest));
        let after = write_fast(plan, drive, (&name, burst.after), (burst, fall))?;
        if drive.is_interrupted() {
            return Ok(());
        }
        found.recovery.push(RecoveryFindings {
            filled_percent: percent,
            filled_bytes: ByteRange::new(plan.written.start, burst.before.end).length().get(),
            rest_ns: rest.get(),
            fast_bytes: after.bytes,
            at_least: !after.fell,
            filling_fast_bytes: Some(before.bytes),
            filling_fell: Some(before.fell),
        });
    }
    Ok(())
}

fn seconds_of(rest: Nanos) -> String {
    format!("{} s", rest.as_secs_f64())
}

/// Writes a part of the range before or after a rest, and says how much of it was fast; nothing where the run was interrupted.
fn write_fast<D: DriveUnderTest>(
    plan: &FillPlan,
    drive: &mut D,
    (name, range): (&str, ByteRange),
    (burst, fall): (Burst, FirstFall),
) -> DriveResult<D, FastWrites> {
    if drive.is_interrupted() {
        return Ok(FastWrites::default());
    }
    let step = plan.step_of_burst(burst);
    let steps = Collected::with_room(room(range.length(), step));
    write(plan, drive, &plan.write(name, range), step, &steps)?;
    Ok(FastWrites::from_steps(&steps.all(), fall))
}

/// Whether the drive is asked to take blocks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Asked,
    /// It took none.
    Refused,
}

/// Gives a part of the range back, so that the drive is filled as far as before; where it takes none, that is noted once.
fn give_back<D: DriveUnderTest>(
    plan: &FillPlan,
    drive: &mut D,
    range: ByteRange,
    taker: &mut Taker,
) -> DriveResult<D> {
    if *taker == Taker::Refused || drive.is_interrupted() {
        return Ok(());
    }
    drive.check_target()?;
    let outcome = drive.discard(DiscardPurpose::Trim, Purge::new(range, &plan.geometry))?;
    let why = match outcome {
        DiscardOutcome::Taken(_) => return Ok(()),
        DiscardOutcome::Unsupported(why) => why,
        DiscardOutcome::Failed { count, why } => format!("{} failed ({why})", things(count, "discard")),
    };
    *taker = Taker::Refused;
    let text = format!(
        "The drive did not take back what was written before a rest ({why}): it was fuller than asked for."
    );
    drive.notice(Severity::Warning, text);
    Ok(())
}

fn write<D: DriveUnderTest>(
    plan: &FillPlan,
    drive: &mut D,
    load: &LoadPlan,
    step: ByteCount,
    steps: &Collected<StepTime>,
) -> DriveResult<D> {
    drive.check_target()?;
    let stepped = |workload| stepped(workload, step, steps.clone());
    run_load_in(drive, &plan.geometry, load, Some(load.range.length()), stepped).map(drop)
}

/// How many steps there may be.
fn room(bytes: ByteCount, step: ByteCount) -> usize {
    usize::try_from(bytes.get() / step.get().max(1) + 1).unwrap_or(0)
}
