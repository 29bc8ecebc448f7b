//! What a consistency test does.

use drivelab_documents::Notice;
use drivelab_method::Purge;

use super::{Consistency, ConsistencyPlan, ConsistencyPrecondition};
use crate::ios::IoFindings;
use crate::one_load::purge;
use crate::one_load::run_to_end;
use crate::{DriveResult, DriveUnderTest, RecordedTest, TestSetup, one_load};

impl RecordedTest for Consistency {
    fn setup(plan: &ConsistencyPlan) -> TestSetup {
        TestSetup { written_range: Some(plan.written_range()), ..TestSetup::default() }
    }

    /// Purge, fill, random writes.
    fn run<D: DriveUnderTest>(plan: &ConsistencyPlan, drive: &mut D, _: &mut IoFindings) -> DriveResult<D> {
        purge(plan.settings.purge, Purge::new(plan.range, &plan.geometry), drive)?;
        if plan.settings.precondition == ConsistencyPrecondition::None {
            let text = "The range was not filled before the random writes (--precondition none).";
            drive.notice(Notice::warning(text));
        }
        if let Some(pass) = &plan.one_pass {
            drive.notice(pass.notice());
        }
        if let Some(preparing) = plan.preparing().filter(|_| !drive.is_interrupted()) {
            drive.check_target()?;
            run_to_end(drive, &plan.geometry, &preparing)?;
        }
        drive.warm_up(plan.written_range())?;
        drive.begin_account();
        if drive.is_interrupted() {
            return Ok(());
        }
        drive.check_target()?;
        let random_writes = plan.random_writes();
        one_load::note_physical_blocks(&random_writes, &plan.geometry, drive);
        run_to_end(drive, &plan.geometry, &random_writes).map(drop)
    }
}
