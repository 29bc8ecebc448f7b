//! What a consistency test does.

use drivelab_method::{LoadPlan, Purge};
use drivelab_record::Severity;

use super::ConsistencyPlan;
use super::plan::Preparation;
use crate::purge::purge;
use crate::{DriveUnderTest, PlanError, physical_block};

/// Purge, fill, random writes.
pub(super) fn run<S: DriveUnderTest>(plan: &ConsistencyPlan, session: &mut S) -> Result<(), S::Error> {
    purge(plan.purge, Purge::new(plan.range, &plan.geometry), session)?;
    match &plan.preparation {
        Preparation::None => {
            let text = "The range was not filled before the random writes (--precondition none).";
            session.notice(Severity::Warning, text.to_owned());
        }
        Preparation::OnePass(pass) => {
            let notice = pass.notice();
            session.notice(notice.severity, notice.text);
        }
        Preparation::Fill => {}
    }
    if let Some(preparing) = plan.preparing().filter(|_| !session.is_interrupted()) {
        session.check_target()?;
        load(session, &preparing, plan)?;
    }
    session.warm_up(plan.written_range())?;
    session.begin_account();
    if session.is_interrupted() {
        return Ok(());
    }
    session.check_target()?;
    let random_writes = plan.random_writes();
    physical_block::note(&random_writes, &plan.geometry, session);
    load(session, &random_writes, plan)
}

fn load<S: DriveUnderTest>(session: &mut S, load: &LoadPlan, plan: &ConsistencyPlan) -> Result<(), S::Error> {
    let wrong = |error: &dyn std::fmt::Display| S::Error::from(PlanError(error.to_string()));
    let phase = load.phase(&plan.geometry, false).map_err(|error| wrong(&error))?;
    let ends_after = load.ends_after().map_err(|error| wrong(&error))?;
    let workloads = load.workloads(1).map_err(|error| wrong(&error))?;
    session.phase(&phase, workloads, Some(ends_after)).map(drop)
}
