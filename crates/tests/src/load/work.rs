//! What a load does.

use drivelab_block::Op;
use drivelab_method::LoadPlan;
use drivelab_record::Severity;
use drivelab_workload::Mix;

use super::{LoadFindings, PlannedLoad};
use crate::{PlanError, Session};

/// The one phase of the load.
pub(super) fn run<S: Session>(
    planned: &PlannedLoad,
    session: &mut S,
    found: &mut LoadFindings,
) -> Result<(), S::Error> {
    let plan = &planned.load;
    let reads = matches!(plan.mix, Mix::Only(Op::Read) | Mix::ReadPercent(1..));
    if reads && session.reads_nothing_free() {
        let text = "The simulated drive begins empty: a read of what this load has not written itself costs no flash read.";
        session.notice(Severity::Note, text.to_owned());
    }
    session.check_target()?;
    session.begin_account();
    let wrong = |error: &dyn std::fmt::Display| S::Error::from(PlanError(error.to_string()));
    let engines = session.engines();
    let phase = plan.phase(&planned.geometry, engines < plan.workers).map_err(|error| wrong(&error))?;
    let workloads = plan.workloads(engines).map_err(|error| wrong(&error))?;
    note_whole_bytes(plan, session);
    let end = session.phase(&phase, workloads, None)?;
    found.delayed_sends = Some(end.delayed_sends);
    let unsent = end.unsent.count();
    if unsent > 0 {
        let text = format!(
            "Requests that were due and never sent, as every slot was taken until the load ended: {unsent}. Response \
             times are at least what is shown, since these count with what they had waited until then."
        );
        session.notice(Severity::Warning, text);
    }
    if end.delayed_sends > 0 {
        let text = format!(
            "Requests that found all {} slots taken and were sent late: {}. Their response time counts from when they \
             were due.",
            phase.limits.queue_depth, end.delayed_sends
        );
        session.notice(Severity::Note, text);
    }
    Ok(())
}

/// Notes where an amount is no whole number of blocks for each thread.
fn note_whole_bytes<S: Session>(plan: &LoadPlan, session: &mut S) {
    if let (Some(asked), Some(whole)) = (plan.stop.bytes, plan.whole_bytes(session.engines()))
        && asked != whole
    {
        let (asked, whole) = (asked.get(), whole.get());
        let text =
            format!("--bytes {asked} is no whole number of blocks for each worker: {whole} are asked for.");
        session.notice(Severity::Note, text);
    }
}
