//! What a consistency test does.

use drivelab_method::{DiscardPurpose, LoadPlan, Purge};
use drivelab_record::Severity;

use super::ConsistencyPlan;
use crate::{DiscardOutcome, PlanError, Session};

/// Purge, fill, random writes.
pub(super) fn run<S: Session>(plan: &ConsistencyPlan, session: &mut S) -> Result<(), S::Error> {
    if plan.purge {
        session.check_target()?;
        purge(plan, session)?;
    } else {
        warn(session, "The drive was not purged (--no-purge): it began as it was.".to_owned());
    }
    if !plan.fill {
        warn(session, "The range was not filled before the random writes (--precondition none).".to_owned());
    } else if !session.is_interrupted() {
        session.check_target()?;
        load(session, &plan.fill(), plan)?;
    }
    session.begin_account();
    if session.is_interrupted() {
        return Ok(());
    }
    session.check_target()?;
    load(session, &plan.random_writes(), plan)
}

fn warn<S: Session>(session: &mut S, text: String) {
    session.notice(Severity::Warning, text);
}

/// Discards what the test may touch: the whole drive, unless a range was chosen. A drive that takes no discards begins as it
/// is.
fn purge<S: Session>(plan: &ConsistencyPlan, session: &mut S) -> Result<(), S::Error> {
    let why = match session.discard(DiscardPurpose::Purge, Purge::of(plan.range, &plan.geometry))? {
        DiscardOutcome::Taken(_) => {
            let text = "Purge: a discard of the range stands in for a sanitize or secure erase.";
            session.notice(Severity::Note, text.to_owned());
            return Ok(());
        }
        DiscardOutcome::Unsupported(why) => why,
        DiscardOutcome::Failed { count, why } => format!("{count} discards failed ({why})"),
    };
    warn(session, format!("The drive was not purged: {why}. It began as it was."));
    Ok(())
}

fn load<S: Session>(session: &mut S, load: &LoadPlan, plan: &ConsistencyPlan) -> Result<(), S::Error> {
    let wrong = |error: &dyn std::fmt::Display| S::Error::from(PlanError(error.to_string()));
    let phase = load.phase(&plan.geometry, false).map_err(|error| wrong(&error))?;
    let ends_after = load.span().map_err(|error| wrong(&error))?.bytes();
    let workloads = load.workloads(1).map_err(|error| wrong(&error))?;
    session.phase(&phase, workloads, Some(ends_after)).map(drop)
}
