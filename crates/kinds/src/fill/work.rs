//! What a fill does.

use drivelab_block::{ByteCount, ByteRange, Nanos};
use drivelab_documents::Notice;
use drivelab_method::{Collected, DiscardPurpose, LoadPlan, Purge, StepTime, stepped};

use super::Fill;
use super::findings::{FastWrites, FillFindings, FirstFall, NoRecovery, RecoveryFindings};
use super::plan::{Burst, FillPlan, MEASURED};
use crate::one_load::{purge, run_load_in};
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
        let mut work = FillWork { plan, drive, found, refuses_discards: false };
        work.fill()?;
        if plan.rests().next().is_none() || work.drive.is_interrupted() {
            return Ok(());
        }
        let Some(fall) = work.found.first_fall() else {
            work.found.no_recovery = Some(NoRecovery::NoFall);
            return Ok(());
        };
        for percent in &plan.settings.filled_percent {
            match plan.burst(*percent, ByteCount::new(fall.at_bytes)) {
                Some(burst) => work.recovery(*percent, burst, fall)?,
                None => work.found.no_recovery = Some(NoRecovery::NoRoom),
            }
        }
        Ok(())
    }
}

/// A fill under way.
struct FillWork<'a, D> {
    plan: &'a FillPlan,
    drive: &'a mut D,
    found: &'a mut FillFindings,
    /// Whether the drive took no blocks back.
    refuses_discards: bool,
}

impl<D: DriveUnderTest> FillWork<'_, D> {
    fn fill(&mut self) -> DriveResult<D> {
        let plan = self.plan;
        let steps = Collected::with_room(room(plan.written.length(), plan.step()));
        let ended = self.write(&plan.write(MEASURED, plan.written), plan.step(), &steps);
        let phase = self.drive.last_phase();
        let lasted = phase.map(|phase| phase.ran(phase.until_last_success));
        let lasted = lasted.filter(|_| ended.is_ok());
        self.found.take_fill(&steps.all(), phase, lasted);
        ended
    }

    /// What is fast again after each rest, with the range filled so far. What was written behind the level is given back before
    /// each rest, and the drive rests before it is written again, so that its cache is empty then, where that takes it no longer.
    fn recovery(&mut self, percent: f64, burst: Burst, fall: FirstFall) -> DriveResult<D> {
        let plan = self.plan;
        self.give_back(plan.written)?;
        let filled = plan.filled(burst);
        if filled.length().get() > 0 && !self.drive.is_interrupted() {
            let write_filled = plan.write(&format!("fill to {percent} %"), filled);
            self.write(&write_filled, filled.length(), &Collected::with_room(0))?;
        }
        for (number, rest) in plan.rests().enumerate() {
            if number > 0 {
                self.give_back(ByteRange::new(burst.before.start, burst.after.end))?;
            }
            let settling = plan.settling();
            let name = format!("rest of {} before the cache is filled", seconds_of(settling));
            self.drive.rest(&name, settling)?;
            let name = format!("filling of the cache at {percent} %");
            let before = self.write_fast(&name, burst.before, burst, fall)?;
            self.drive.rest(&format!("rest of {}", seconds_of(rest)), rest)?;
            let name = format!("writes after {} at {percent} %", seconds_of(rest));
            let after = self.write_fast(&name, burst.after, burst, fall)?;
            if self.drive.is_interrupted() {
                return Ok(());
            }
            self.found.recovery.push(RecoveryFindings {
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

    /// Writes a part of the range before or after a rest, and says how much of it was fast; nothing where the run was
    /// interrupted.
    fn write_fast(
        &mut self,
        name: &str,
        range: ByteRange,
        burst: Burst,
        fall: FirstFall,
    ) -> DriveResult<D, FastWrites> {
        if self.drive.is_interrupted() {
            return Ok(FastWrites::default());
        }
        let step = self.plan.step_of_burst(burst);
        let steps = Collected::with_room(room(range.length(), step));
        self.write(&self.plan.write(name, range), step, &steps)?;
        Ok(FastWrites::from_steps(&steps.all(), fall))
    }

    /// Gives a part of the range back, so that the drive is filled as far as before; where it takes none, that is noted once.
    fn give_back(&mut self, range: ByteRange) -> DriveResult<D> {
        if self.refuses_discards || self.drive.is_interrupted() {
            return Ok(());
        }
        self.drive.check_target()?;
        let discards = Purge::new(range, &self.plan.geometry);
        let why = match self.drive.discard(DiscardPurpose::Trim, discards)? {
            DiscardOutcome::Taken(_) => return Ok(()),
            DiscardOutcome::Unsupported(why) | DiscardOutcome::Failed(why) => why,
        };
        self.refuses_discards = true;
        self.drive.notice(Notice::warning(format!(
            "The drive did not take back what was written before a rest ({why}): it was fuller than asked for."
        )));
        Ok(())
    }

    fn write(&mut self, load: &LoadPlan, step: ByteCount, steps: &Collected<StepTime>) -> DriveResult<D> {
        self.drive.check_target()?;
        let stepped = |workload| stepped(workload, step, steps.clone());
        run_load_in(self.drive, &self.plan.geometry, load, Some(load.range.length()), stepped).map(drop)
    }
}

fn seconds_of(rest: Nanos) -> String {
    format!("{} s", rest.as_secs_f64())
}

/// How many steps there may be.
fn room(bytes: ByteCount, step: ByteCount) -> usize {
    usize::try_from(bytes.get() / step.get().max(1) + 1).unwrap_or(0)
}
