//! What a test of working sets does.

use drivelab_method::LoadPlan;

use super::findings::WorkingSetFindings;
use super::plan::WorkingSetPlan;
use crate::{PlanError, Session};

/// A fill, where there is to be one, and the reads of one part after the other.
pub(super) fn run<S: Session>(
    plan: &WorkingSetPlan,
    session: &mut S,
    found: &mut WorkingSetFindings,
) -> Result<(), S::Error> {
    found.planned = plan.parts().len() as u64;
    if plan.fills() || session.begins_empty() {
        session.check_target()?;
        load(plan, session, &plan.fill())?;
    }
    session.begin_account();
    for part in plan.parts() {
        if session.is_interrupted() {
            return Ok(());
        }
        load(plan, session, &plan.warm_up(*part))?;
        if session.is_interrupted() {
            return Ok(());
        }
        load(plan, session, &plan.read(*part))?;
        // What was cut short has a rate of its own, which is compared with none.
        if !session.is_interrupted()
            && let Some(phase) = session.last_phase()
        {
            found.take(*part, phase);
        }
    }
    Ok(())
}

fn load<S: Session>(plan: &WorkingSetPlan, session: &mut S, load: &LoadPlan) -> Result<(), S::Error> {
    let wrong = |error: &dyn std::fmt::Display| S::Error::from(PlanError(error.to_string()));
    let phase = load.phase(plan.geometry(), true).map_err(|error| wrong(&error))?;
    let workloads = load.workloads(1).map_err(|error| wrong(&error))?;
    session.phase(&phase, workloads, None).map(drop)
}
