//! What a test of waking up does.

use drivelab_block::Nanos;
use drivelab_method::{Collected, Rested};

use super::findings::WakeFindings;
use super::plan::WakePlan;
use crate::one_load::{fill_new, run_load};
use crate::{PlanError, Session};

/// How long a drive rests that was filled for this: what it does by itself after that would lengthen the first reads.
const SETTLING: Nanos = Nanos::from_secs(60);

/// The reads after rests, in random order.
pub(super) fn run<S: Session>(
    plan: &WakePlan,
    session: &mut S,
    found: &mut WakeFindings,
) -> Result<(), S::Error> {
    match session.power_states() {
        Ok(states) => found.power_states = states,
        Err(why) => found.no_power_states = Some(why),
    }
    found.planned = plan.rests().len() as u64;
    let wrong = |error: &dyn std::fmt::Display| S::Error::from(PlanError(error.to_string()));
    if session.begins_empty() {
        fill_new(session, plan.geometry(), &plan.fill())?;
        run_load(session, plan.geometry(), &plan.push_out())?;
        session.rest("rest after the fill", SETTLING)?;
        run_load(session, plan.geometry(), &plan.wake_up())?;
    }
    session.keep_processors_awake();
    session.begin_account();
    let load = plan.reads();
    let phase = load.phase(plan.geometry(), true).map_err(|error| wrong(&error))?;
    let reads = Collected::with_room(plan.rests().len());
    let workloads = load.workloads(1).map_err(|error| wrong(&error))?;
    let rested = |workload| Rested::new(workload, plan.rests().to_vec(), reads.clone());
    let ended = session.phase(&phase, workloads.into_iter().map(rested).collect(), None);
    found.take(&reads.all());
    ended.map(drop)
}
