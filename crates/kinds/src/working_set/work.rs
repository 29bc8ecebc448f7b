//! What a test of working sets does.

use super::WorkingSet;
use super::findings::WorkingSetFindings;
use super::plan::WorkingSetPlan;
use crate::one_load::{fill_new, run_load};
use crate::{DriveResult, DriveUnderTest, RecordedTest};

impl RecordedTest for WorkingSet {
    /// A fill, where there is to be one, and the reads of one part after the other.
    fn run<D: DriveUnderTest>(
        plan: &WorkingSetPlan,
        drive: &mut D,
        found: &mut WorkingSetFindings,
    ) -> DriveResult<D> {
        found.planned = plan.parts.len() as u64;
        if plan.settings.fill {
            drive.check_target()?;
            run_load(drive, &plan.geometry, &plan.fill())?;
        } else if drive.begins_empty() {
            fill_new(drive, &plan.geometry, &plan.fill())?;
        }
        drive.warm_up(plan.range)?;
        drive.begin_account();
        for part in &plan.parts {
            if drive.is_interrupted() {
                return Ok(());
            }
            run_load(drive, &plan.geometry, &plan.warm_up(*part))?;
            if drive.is_interrupted() {
                return Ok(());
            }
            run_load(drive, &plan.geometry, &plan.read(*part))?;
            // What was cut short has a rate of its own, which is compared with none.
            if !drive.is_interrupted()
                && let Some(phase) = drive.last_phase()
            {
                found.take(*part, phase);
            }
        }
        Ok(())
    }
}
