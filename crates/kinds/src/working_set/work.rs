//! What a test of working sets does.

use super::findings::WorkingSetFindings;
use super::plan::WorkingSetPlan;
use crate::DriveUnderTest;
use crate::one_load::{fill_new, run_load};

/// A fill, where there is to be one, and the reads of one part after the other.
pub(super) fn run<S: DriveUnderTest>(
    plan: &WorkingSetPlan,
    session: &mut S,
    found: &mut WorkingSetFindings,
) -> Result<(), S::Error> {
    found.planned = plan.parts().len() as u64;
    if plan.fills() {
        session.check_target()?;
        run_load(session, &plan.geometry, &plan.fill())?;
    } else if session.begins_empty() {
        fill_new(session, &plan.geometry, &plan.fill())?;
    }
    session.warm_up(plan.range)?;
    session.begin_account();
    for part in plan.parts() {
        if session.is_interrupted() {
            return Ok(());
        }
        run_load(session, &plan.geometry, &plan.warm_up(*part))?;
        if session.is_interrupted() {
            return Ok(());
        }
        run_load(session, &plan.geometry, &plan.read(*part))?;
        // What was cut short has a rate of its own, which is compared with none.
        if !session.is_interrupted()
            && let Some(phase) = session.last_phase()
        {
            found.take(*part, phase);
        }
    }
    Ok(())
}
