//! Reads before a test measures anything, until the drive is warm.

use drivelab_block::{ByteRange, Engine, Geometry};
use drivelab_documents::WarmUpDocument;
use drivelab_kinds::WarmUpPlan;
use drivelab_method::{ConductError, Thermometry, WarmUpState, Warmed};
use drivelab_safety::Target;

use crate::temperature_limit::{NoSensor, sensed_of};
use crate::{Failure, RunSession, TargetName};

/// Refuses `--until-warm` of a target whose temperature is not known: before anything is done.
pub fn check_until_warm(name: &TargetName, target: Option<&Target>) -> Result<(), Failure> {
    let missing = match (name, target) {
        (TargetName::Simulated(profile), _) => (!profile.has_temperature()).then_some(NoSensor::Simulated),
        (TargetName::Path(_), Some(target)) => sensed_of(target).err(),
        (TargetName::Path(_), None) => None,
    };
    let Some(missing) = missing else { return Ok(()) };
    let remedy = missing.remedy();
    Err(environment!("--until-warm needs a temperature sensor, and {missing}: leave the option out{remedy}"))
}

/// Reads a range, its first byte and the one past its last, until the drive is warm or the time for it is over, in a phase of its
/// own; or why the drive broke. Reads that make no sense on the target are the outer error.
pub fn read_until_warm<E: Engine + Send + 'static>(
    session: &mut RunSession<E>,
    (plan, geometry): (&WarmUpPlan, &Geometry),
    range: ByteRange,
    thermometry: &Thermometry,
) -> Result<Result<WarmUpDocument, ConductError>, Failure> {
    let threads = session.engine_count();
    let reads = plan.reads(range, geometry, threads);
    let phase = reads.phase(geometry, false)?;
    let workloads = reads.workloads(threads)?;
    let state = WarmUpState::lasting(plan.at_most);
    let from_celsius = thermometry();
    let mut first = Some(thermometry.clone());
    let workloads =
        workloads.into_iter().map(|workload| Warmed::new(workload, &state, first.take())).collect();
    let ended = session.phase(&phase, workloads, None);
    let readings = state.readings();
    Ok(ended.map(|end| WarmUpDocument {
        lasted_s: end.asked_for().as_secs_f64(),
        from_celsius,
        to_celsius: thermometry(),
        rise_kelvins: readings.rise_at(end.asked_for()),
        is_warm: readings.is_warm(),
    }))
}
