//! Reads before a test measures anything, until the drive is warm.

use drivelab_block::{ByteCount, Engine, Geometry};
use drivelab_method::{ConductError, LoadError, Thermometry, WarmUpState, Warmed};
use drivelab_probe::{Roots, Thermometer};
use drivelab_record::WarmUpDocument;
use drivelab_safety::Target;
use drivelab_tests::WarmUpPlan;

use crate::{Failure, Session, TargetName};

/// Refuses `--until-warm` of a target whose temperature is not known: before anything is done.
pub fn check_until_warm(name: &TargetName, target: Option<&Target>) -> Result<(), Failure> {
    let why = match (name, target) {
        (TargetName::Simulated(profile), _) if profile.has_temperature() => return Ok(()),
        (TargetName::Simulated(_), _) => {
            "this simulated drive has none: leave the option out, or give the drive a thermal_resistance and a heat_capacity"
                .to_owned()
        }
        (TargetName::Path(_), Some(Target::File(_))) => {
            "a file has none: leave the option out, or name a drive".to_owned()
        }
        (TargetName::Path(_), Some(Target::Drive(drive))) => {
            let whole = drive.identity().whole_name();
            if Thermometer::of(&Roots::live(), whole).is_some() {
                return Ok(());
            }
            format!(
                "the kernel has none of {whole}: leave the option out; the sensor of a SATA drive is there after \
                 `modprobe drivetemp`"
            )
        }
        (TargetName::Path(_), None) => return Ok(()),
    };
    Err(Failure::Environment(format!("--until-warm needs a temperature sensor, and {why}")))
}

/// Why a drive could not be read until it was warm.
pub enum NotWarmed {
    /// The reads make no sense on the target.
    Load(LoadError),
    /// The drive broke.
    Drive(ConductError),
}

/// Reads a range, its first byte and the one past its last, until the drive is warm or the time for it is over, in a phase of its
/// own.
pub fn read_until_warm<E: Engine + Send>(
    session: &mut Session<E>,
    (plan, geometry): (&WarmUpPlan, &Geometry),
    range: (ByteCount, ByteCount),
    thermometry: &Thermometry,
) -> Result<WarmUpDocument, NotWarmed> {
    let threads = session.engine_count();
    let reads = plan.reads(range, geometry, threads);
    let phase = reads.phase(geometry, false).map_err(NotWarmed::Load)?;
    let workloads = reads.workloads(threads).map_err(|error| NotWarmed::Load(error.into()))?;
    let state = WarmUpState::lasting(plan.at_most());
    let from_celsius = thermometry();
    let mut first = Some(thermometry.clone());
    let workloads =
        workloads.into_iter().map(|workload| Warmed::new(workload, &state, first.take())).collect();
    let end = session.phase(&phase, workloads, None).map_err(NotWarmed::Drive)?;
    let readings = state.readings();
    Ok(WarmUpDocument {
        lasted_s: end.asked_for().as_secs_f64(),
        from_celsius,
        to_celsius: thermometry(),
        rise_kelvins: readings.rise_at(end.asked_for()),
        is_warm: readings.is_warm(),
    })
}
