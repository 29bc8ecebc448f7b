//! What a test at offered loads does.

use super::findings::OfferedLoadFindings;
use super::plan::OfferedLoadPlan;
use crate::one_load::{fill_new, run_load};
use crate::{DriveUnderTest, physical_block};

/// The peak, and then one load after the other.
pub(super) fn run<S: DriveUnderTest>(
    plan: &OfferedLoadPlan,
    session: &mut S,
    found: &mut OfferedLoadFindings,
) -> Result<(), S::Error> {
    let asked = plan.settings();
    found.planned = asked.loads.len() as u64;
    session.check_target()?;
    if asked.fill {
        run_load(session, &plan.geometry, &plan.fill())?;
    } else if session.begins_empty() {
        fill_new(session, &plan.geometry, &plan.fill())?;
    }
    session.warm_up(plan.range)?;
    session.begin_account();
    if session.is_interrupted() {
        return Ok(());
    }
    physical_block::note(&plan.peak(), &plan.geometry, session);
    run_load(session, &plan.geometry, &plan.peak())?;
    let Some(peak) = session.last_phase().filter(|_| !session.is_interrupted()) else { return Ok(()) };
    let seconds = peak.ran(peak.until_last_success()).as_secs_f64();
    let peak_iops = if seconds > 0.0 { peak.completed() as f64 / seconds } else { 0.0 };
    found.peak_iops = Some(peak_iops);
    if peak_iops <= 0.0 {
        return Ok(());
    }
    for (load, rate) in plan.loads(peak_iops) {
        session.check_target()?;
        let end = run_load(session, &plan.geometry, &plan.offered(load, rate))?;
        // What was cut short has a tail of its own, which is compared with none.
        let Some(phase) = session.last_phase().filter(|_| !session.is_interrupted()) else { return Ok(()) };
        found.take((load, rate), phase, &end);
        if let Some(limit_ns) = asked.limit_ns {
            found.judge(limit_ns);
        }
    }
    Ok(())
}
